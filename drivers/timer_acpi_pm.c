/* SPDX-License-Identifier: Apache-2.0 */
/* Time reference: the ACPI power management timer, 3.579545 MHz, 24 or 32 bits (ACPI 6.5, 4.8.2.1
 * and 4.8.1.4). */
#include "core/errno.h"
#include "core/time.h"
#include "drivers/acpi_fadt.h"
#include "drivers/fixed_register.h"

#define ACPI_PM_HZ 3579545u
#define ACPI_PM_MASK_24 0xFFFFFFu

static struct acpi_address acpi_pm_at;

static uint64_t acpi_pm_read(struct time_reference *ref)
{
    uint32_t count = 0;

    return fixed_register_read(&acpi_pm_at, 32, &count) ? count & ref->mask : 0;
}

static int acpi_pm_probe(struct time_reference *ref)
{
    const struct acpi_fadt *fadt = acpi_fadt();

    /* A timer in memory would be mapped anew at each read. */
    if (!fadt || fadt->pm_timer.space != ACPI_SPACE_IO || !fadt->pm_timer.address)
        return -CS_ENODEV;
    acpi_pm_at = fadt->pm_timer;
    ref->hz = ACPI_PM_HZ;
    ref->mask = fadt->pm_timer_is_32bit ? UINT32_MAX : ACPI_PM_MASK_24;
    return 0;
}

static struct time_reference acpi_pm = {
    .name = "acpi_pm",
    .rank = 200,
    .probe = acpi_pm_probe,
    .read = acpi_pm_read,
};
TIME_REFERENCE(acpi_pm);
