/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resets the machine: where a report is to be saved by the next start, where the shell is told to,
 * and, with reset=SECONDS, one that could not be powered off: a reset boots the same stick again,
 * and an unattended machine would run for ever. Without it the machine halts with the verdict on
 * its screen and its serial line.
 *
 * Ways, in this order: the ACPI reset register (6.5, 4.8.3.6), the PCI reset port 0xCF9, the
 * keyboard controller's pulse on the reset line.
 */
#include <arch/pio.h>

#include "core/log.h"
#include "core/param.h"
#include "core/power.h"
#include "core/time.h"
#include "drivers/acpi_fadt.h"
#include "drivers/fixed_register.h"

#define RESET_PCI_PORT 0xCF9u
#define RESET_PCI_HARD 0x02u
#define RESET_PCI_GO 0x06u
#define RESET_PCI_POWER_CYCLE 0x08u /* memory would lose what it holds */
#define RESET_8042_PORT 0x64u
#define RESET_8042_BUSY 0x02u
#define RESET_8042_PULSE 0xFEu
#define RESET_8042_POLLS 1000u
#define RESET_WAIT_NS 500000000ull
#define RESET_POLL_NS 10000u
#define RESET_SECOND_NS 1000000000ull

static int64_t reset_seconds = -1;

PARAM_NUMBER(reset, "reset", reset_seconds, 0, 3600, "seconds",
             "reset this long after the end, where power-off does not work; default: halt");

static void reset_by_acpi(void)
{
    const struct acpi_fadt *fadt = acpi_fadt();
    uint32_t value;

    if (!fadt)
        return;
    value = fadt->reset_value;
    if (fadt->reset.space == ACPI_SPACE_IO && fadt->reset.address == RESET_PCI_PORT)
        value &= ~RESET_PCI_POWER_CYCLE;
    if (fixed_register_write(&fadt->reset, 8, value))
        time_delay_ns(RESET_WAIT_NS);
}

static void reset_by_pci(void)
{
    pio_write8(RESET_PCI_PORT, RESET_PCI_HARD);
    time_delay_ns(RESET_POLL_NS);
    pio_write8(RESET_PCI_PORT, RESET_PCI_GO);
    time_delay_ns(RESET_WAIT_NS);
}

static void reset_by_8042(void)
{
    const struct acpi_fadt *fadt = acpi_fadt();

    if (fadt && !fadt->has_8042)
        return;
    for (unsigned i = 0; i < RESET_8042_POLLS; i++) {
        if (!(pio_read8(RESET_8042_PORT) & RESET_8042_BUSY))
            break;
        time_delay_ns(RESET_POLL_NS);
    }
    pio_write8(RESET_8042_PORT, RESET_8042_PULSE);
    time_delay_ns(RESET_WAIT_NS);
}

static void reset_now(bool pass)
{
    reset_by_acpi();
    reset_by_pci();
    reset_by_8042();
}

static const struct power_method reset_method = {
    .name = "reset", .rank = 100, .leave = reset_now};
RESTART_METHOD(reset_method);

static void power_reset_off(bool pass)
{
    if (reset_seconds < 0)
        return;
    log_line("no power-off; reset in %lld s (reset=)", (long long)reset_seconds);
    time_delay_ns((uint64_t)reset_seconds * RESET_SECOND_NS);
    reset_now(pass);
}

static const struct power_method power_reset = {
    .name = "reset",
    .rank = 100,
    .leave = power_reset_off,
};
POWER_METHOD(power_reset);
