/* SPDX-License-Identifier: Apache-2.0 */
/* PPTT: packages, caches, cores and threads as a tree (ACPI 6.5, 5.2.30). */
#ifndef DRIVERS_ACPI_PPTT_H
#define DRIVERS_ACPI_PPTT_H

#include <arch/topology.h>

#include "drivers/acpi_format.h"

struct acpi_pptt {
    uint32_t nodes, leaves, caches; /* leaves: processors that have a place */
};

/* Calls fn() with the place of every processor that has an ACPI id and a way up to a root of at
 * most PPTT_DEPTH_MAX nodes. The numbers of a place are offsets in the table. */
typedef void acpi_place_fn(void *arg, uint32_t uid, const struct arch_cpu_place *place);
void acpi_pptt_parse(const void *table, size_t bytes, acpi_place_fn *fn, void *arg,
                     struct acpi_pptt *out, struct acpi_issues *issues);

#endif
