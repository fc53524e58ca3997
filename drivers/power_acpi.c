/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Powers the machine off by ACPI: sleep state S5 (ACPI 6.5, 4.8.3.2 and 16.1.7).
 *
 * The sleep type goes into PM1a_CNT (and PM1b_CNT) together with SLP_EN, or into the sleep control
 * register of a hardware-reduced machine. A machine still in legacy mode is asked into ACPI mode
 * first, for at most POWER_ACPI_MODE_MS. POWER_OFF_MS after the write it has not worked.
 */
#include <arch/pio.h>

#include "core/power.h"
#include "core/time.h"
#include "drivers/acpi_fadt.h"
#include "drivers/fixed_register.h"

#define PM1_SCI_ENABLED 1u
#define PM1_SLEEP_TYPE_SHIFT 10u
#define PM1_SLEEP_BITS 0x3C00u /* type and enable */
#define PM1_SLEEP_ENABLE 0x2000u
#define SLEEP_CONTROL_TYPE_SHIFT 2u
#define SLEEP_CONTROL_ENABLE 0x20u
#define POWER_ACPI_MODE_MS 300u
#define POWER_OFF_MS 2000u
#define POWER_POLL_NS 1000000u

static bool power_acpi_mode_is_on(const struct acpi_fadt *fadt)
{
    uint32_t control;

    return fixed_register_read(&fadt->pm1a_control, 16, &control) && (control & PM1_SCI_ENABLED);
}

static void power_acpi_mode_enter(const struct acpi_fadt *fadt)
{
    if (!fadt->smi_command_port || fadt->smi_command_port > UINT16_MAX ||
        !fadt->acpi_enable_value || power_acpi_mode_is_on(fadt))
        return;
    pio_write8((uint16_t)fadt->smi_command_port, fadt->acpi_enable_value);
    for (unsigned i = 0; i < POWER_ACPI_MODE_MS && !power_acpi_mode_is_on(fadt); i++)
        time_delay_ns(POWER_POLL_NS);
}

static bool power_acpi_sleep(const struct acpi_address *at, unsigned type)
{
    uint32_t control;

    if (!fixed_register_read(at, 16, &control))
        return false;
    control = (control & ~PM1_SLEEP_BITS) | type << PM1_SLEEP_TYPE_SHIFT;
    return fixed_register_write(at, 16, control | PM1_SLEEP_ENABLE);
}

static bool power_acpi_reduced(const struct acpi_fadt *fadt, const struct acpi_s5 *s5)
{
    return fixed_register_write(&fadt->sleep_control, 8,
                                (uint32_t)s5->type_a << SLEEP_CONTROL_TYPE_SHIFT |
                                    SLEEP_CONTROL_ENABLE);
}

static bool power_acpi_full(const struct acpi_fadt *fadt, const struct acpi_s5 *s5)
{
    bool a, b;

    power_acpi_mode_enter(fadt);
    a = power_acpi_sleep(&fadt->pm1a_control, s5->type_a);
    b = power_acpi_sleep(&fadt->pm1b_control, s5->type_b);
    return a || b;
}

static void power_acpi_off(bool pass)
{
    const struct acpi_fadt *fadt = acpi_fadt();
    const struct acpi_s5 *s5 = acpi_s5();

    if (!fadt || !s5)
        return;
    if (fadt->hardware_reduced ? power_acpi_reduced(fadt, s5) : power_acpi_full(fadt, s5))
        time_delay_ns(POWER_OFF_MS * 1000000ull);
}

static const struct power_method power_acpi = {
    .name = "acpi-s5",
    .rank = 200,
    .leave = power_acpi_off,
};
POWER_METHOD(power_acpi);
