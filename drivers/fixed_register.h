/* SPDX-License-Identifier: Apache-2.0 */
/* Access to a register that an ACPI generic address names: port I/O or memory. */
#ifndef DRIVERS_FIXED_REGISTER_H
#define DRIVERS_FIXED_REGISTER_H

#include "drivers/acpi_format.h"

/* Registers of 8, 16 or 32 bits. False where there is none, or it lies in a space that is neither
 * port I/O nor memory. A memory register is mapped at its first use. */
bool fixed_register_read(const struct acpi_address *at, unsigned bits, uint32_t *value) must_check;
bool fixed_register_write(const struct acpi_address *at, unsigned bits, uint32_t value) must_check;

#endif
