/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Output before any driver has looked: on the UART that the boot path found, as firmware left it.
 *
 * PL011: Arm DDI 0183, 3.3. 16550: National PC16550D, section 8. Bounded: a transmitter that never
 * empties costs SPINS_MAX reads a character, once.
 */
#include <arch/machine.h>
#include <arch/mmu.h>

#include "arch/arm64/arm64.h"

#define PL011_DATA 0x00u
#define PL011_FLAGS 0x18u
#define PL011_FLAG_FULL (1u << 5)
#define UART_DATA 0u
#define UART_LSR 5u
#define UART_LSR_EMPTY 0x20u
#define SPINS_MAX 1000000u
#define WINDOW_BYTES 0x100u

static struct boot_console console; /* kind NONE once it has failed */
static uintptr_t registers;

void early_console_init(void)
{
    console = arm64_handoff->console;
    if (console.kind != BOOT_CONSOLE_NONE) {
        early_map_console(console.phys);
        registers = console.phys;
    }
}

void early_console_move(void)
{
    if (console.kind != BOOT_CONSOLE_NONE)
        registers = (uintptr_t)arch_map_device(console.phys, WINDOW_BYTES);
    if (!registers)
        console.kind = BOOT_CONSOLE_NONE;
}

static uint32_t uart_read(unsigned reg)
{
    uintptr_t at = registers + ((uintptr_t)reg << console.register_shift);

    return console.register_bytes == 4 ? *(volatile uint32_t *)at : *(volatile uint8_t *)at;
}

static void uart_write(unsigned reg, uint32_t value)
{
    uintptr_t at = registers + ((uintptr_t)reg << console.register_shift);

    if (console.register_bytes == 4)
        *(volatile uint32_t *)at = value;
    else
        *(volatile uint8_t *)at = (uint8_t)value;
}

static bool is_ready(void)
{
    if (console.kind == BOOT_CONSOLE_PL011)
        return !(*(volatile uint32_t *)(registers + PL011_FLAGS) & PL011_FLAG_FULL);
    return uart_read(UART_LSR) & UART_LSR_EMPTY;
}

static void put(char c)
{
    unsigned spins = 0;

    while (console.kind != BOOT_CONSOLE_NONE && !is_ready())
        if (spins++ > SPINS_MAX)
            console.kind = BOOT_CONSOLE_NONE;
    if (console.kind == BOOT_CONSOLE_PL011)
        *(volatile uint32_t *)(registers + PL011_DATA) = (uint8_t)c;
    else if (console.kind == BOOT_CONSOLE_16550)
        uart_write(UART_DATA, (uint8_t)c);
}

void arch_early_write(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '\n')
            put('\r');
        put(text[i]);
    }
}

bool arch_early_is_console(void)
{
    return false;
}
