/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time reference: the HPET's main counter (IA-PC HPET specification 1.0a, 2.3 and 3.2.4).
 *
 * Read by its low 32 bits: one aligned access, whole on every machine; at 100 MHz they last 43 s.
 */
#include <arch/mmu.h>

#include "core/errno.h"
#include "core/init.h"
#include "core/time.h"
#include "drivers/acpi.h"

#define HPET_TABLE_ADDRESS 40u
#define HPET_TABLE_BYTES 56u
#define HPET_BYTES 0x400u
#define HPET_PERIOD (0x004u / 4) /* high half of the capabilities: femtoseconds a tick */
#define HPET_CONFIG (0x010u / 4)
#define HPET_COUNTER (0x0F0u / 4)
#define HPET_CONFIG_ENABLE 1u
#define HPET_PERIOD_MAX_FS 100000000u /* the specification's bound */
#define HPET_PERIOD_MIN_FS 100000u
#define FS_PER_SECOND 1000000000000000ull

static volatile uint32_t *hpet_registers;

static void hpet_init(void)
{
    struct acpi_issues issues = {.table = "HPET"};
    struct acpi_address at;
    size_t bytes;
    const void *table = acpi_table("HPET", 0, &bytes);

    if (!table)
        return;
    if (bytes < HPET_TABLE_BYTES) {
        acpi_issue(&issues, bytes, "too short for its fixed part");
        return;
    }
    at = acpi_address_at(table, HPET_TABLE_ADDRESS);
    if (at.space == ACPI_SPACE_MEMORY && at.address && at.address % 8 == 0)
        hpet_registers = arch_map_device(at.address, HPET_BYTES);
}
INIT_FN(hpet_init, INIT_FIRMWARE, 40);

static int hpet_probe(struct time_reference *ref)
{
    uint32_t period_fs;

    if (!hpet_registers)
        return -CS_ENODEV;
    period_fs = hpet_registers[HPET_PERIOD];
    if (period_fs < HPET_PERIOD_MIN_FS || period_fs > HPET_PERIOD_MAX_FS)
        return -CS_ENODEV;
    hpet_registers[HPET_CONFIG] |= HPET_CONFIG_ENABLE;
    ref->hz = FS_PER_SECOND / period_fs;
    ref->mask = UINT32_MAX;
    return 0;
}

static uint64_t hpet_read(struct time_reference *ref)
{
    return hpet_registers[HPET_COUNTER];
}

static struct time_reference hpet = {
    .name = "hpet",
    .rank = 300,
    .probe = hpet_probe,
    .read = hpet_read,
};
TIME_REFERENCE(hpet);
