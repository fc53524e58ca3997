/* SPDX-License-Identifier: Apache-2.0 */
/* The port's first steps on the boot CPU, its earliest output, and its end. */
#include <arch/machine.h>
#include <arch/pio.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

#include "boot/early.h"

/* The first serial port of a PC, as firmware left it (National PC16550D, section 8). */
#define COM1_DATA 0x3f8u
#define COM1_STATUS 0x3fdu
#define COM1_TRANSMITTER_EMPTY 0x20u
#define COM1_NOT_THERE 0xffu
#define COM1_SPINS_MAX 100000u /* about 0.1 s of port reads */

/* Until the boot CPU has a unit and guarded stacks of its own. */
static char first_ist_stack[IST_STACK_BYTES] __attribute__((aligned(16)));

void arch_early_init(void)
{
    uintptr_t top = (uintptr_t)first_ist_stack + sizeof(first_ist_stack);
    const uintptr_t stacks[IST_END] = {0, top, top, top};

    x86_features_read();
    x86_traps_init();
    x86_tables_fill(x86_this_cpu(), stacks);
    x86_tables_load(x86_this_cpu());
    x86_cpu_setup();
    x86_pic_disable();
}

/* early_entry.asm has mapped the first 4 GiB. */
bool early_map(uint64_t phys, uint64_t bytes)
{
    return true;
}

static bool com1_put(char c)
{
    for (unsigned i = 0; i < COM1_SPINS_MAX; i++) {
        uint8_t status = pio_read8(COM1_STATUS);

        if (status == COM1_NOT_THERE)
            return false;
        if (status & COM1_TRANSMITTER_EMPTY) {
            pio_write8(COM1_DATA, (uint8_t)c);
            return true;
        }
    }
    return false;
}

void arch_early_write(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if ((text[i] == '\n' && !com1_put('\r')) || !com1_put(text[i]))
            return;
}

bool arch_early_is_console(void)
{
    return false;
}

void arch_power_off(int exit_status)
{
}

void arch_halt(void)
{
    for (;;)
        __asm__ volatile("cli\n\thlt" : : : "memory");
}
