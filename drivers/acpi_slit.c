/* SPDX-License-Identifier: Apache-2.0 */
/* SLIT: N, and N x N bytes, for the distances of core/topology.h. Read behind the SRAT, which says
 * what the domains are. */
#include "drivers/acpi_slit.h"

#include "core/init.h"
#include "core/log.h"
#include "core/topology.h"
#include "drivers/acpi.h"

#define SLIT_COUNT 36u
#define SLIT_MATRIX 44u
#define SLIT_DOMAINS_MAX 4096u

uint32_t acpi_slit_parse(const void *table, size_t bytes, acpi_distance_fn *fn, void *arg,
                         struct acpi_issues *issues)
{
    uint64_t count = bytes >= SLIT_MATRIX ? acpi_u64(table, SLIT_COUNT) : 0;

    if (!count || count > SLIT_DOMAINS_MAX || count * count > bytes - SLIT_MATRIX) {
        acpi_issue(issues, SLIT_COUNT, "too short for the domains that it has");
        return 0;
    }
    for (uint32_t i = 0; i < count * count; i++) {
        uint32_t from = i / (uint32_t)count, to = i % (uint32_t)count;
        uint8_t distance = acpi_u8(table, SLIT_MATRIX + i);

        if (distance < TOPOLOGY_DISTANCE_LOCAL ||
            (from == to && distance != TOPOLOGY_DISTANCE_LOCAL)) {
            acpi_issue(issues, SLIT_MATRIX + i, "a distance that cannot be");
            continue;
        }
        fn(arg, from, to, distance);
    }
    return (uint32_t)count;
}

static void slit_set_distance(void *arg, uint32_t from, uint32_t to, uint8_t distance)
{
    topology_set_distance(from, to, distance);
}

static void slit_init(void)
{
    struct acpi_issues issues = {.table = "SLIT"};
    uint32_t count;
    size_t bytes;
    const void *table = acpi_table("SLIT", 0, &bytes);

    if (!table)
        return;
    count = acpi_slit_parse(table, bytes, slit_set_distance, NULL, &issues);
    log_line("acpi: SLIT: %u domains; %u problems", count, issues.count);
}
INIT_FN(slit_init, INIT_FIRMWARE, 30);
