/* SPDX-License-Identifier: Apache-2.0 */
/* The firmware's ACPI tables, found, checked and copied. */
#ifndef DRIVERS_ACPI_H
#define DRIVERS_ACPI_H

#include "core/registry.h"
#include "drivers/acpi_format.h"

/*
 * The i-th table (from 0) with this signature, in a copy of our own that is valid for ever: length
 * and checksum are right. NULL when there is none. Made on first use from the boot memory, so the
 * first call for a table must come before pages_init(): in INIT_CONSOLE or INIT_FIRMWARE. Later
 * calls get the same copy; a table that nobody asked for by then is not to be had any more.
 */
const void *acpi_table(const char *signature, uint32_t i, size_t *bytes);

/* A table that is not in the root table but that another one points to (DSDT). Same rules; every
 * call makes a copy. */
const void *acpi_table_at(uint64_t phys, const char *signature, size_t *bytes);

/* Another way to find the root pointer where the boot path gave none: returns its physical address
 * or 0. */
struct acpi_finder {
    uint64_t (*find)(void);
};

REGISTRY_DECLARE(acpi_finders, const struct acpi_finder);
#define ACPI_FINDER(object) REGISTRY_ADD(acpi_finders, const struct acpi_finder, object)

/* Copies physical memory that need not be in the direct map; false where it cannot be reached. */
bool acpi_copy(void *to, uint64_t phys, size_t bytes) must_check;

#endif
