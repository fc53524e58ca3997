/* SPDX-License-Identifier: Apache-2.0 */
/* FADT: fixed hardware: power, reset, PM timer (ACPI 6.5, 5.2.9); and the S5 sleep type. */
#ifndef DRIVERS_ACPI_FADT_H
#define DRIVERS_ACPI_FADT_H

#include "drivers/acpi_format.h"

struct acpi_fadt {
    uint64_t dsdt_phys;
    uint32_t smi_command_port; /* 0: always in ACPI mode */
    uint8_t acpi_enable_value;
    uint8_t reset_value;
    struct acpi_address pm1a_control, pm1b_control; /* address 0: none */
    struct acpi_address pm_timer;
    bool pm_timer_is_32bit;
    struct acpi_address reset;
    struct acpi_address sleep_control; /* hardware-reduced machines */
    bool hardware_reduced;
    bool has_8042; /* keyboard controller: IAPC_BOOT_ARCH bit 1 */
};

/* Reads what the table's length covers; what lies beyond it is "none". 0, or -CS_EINVAL when it is
 * too short for revision 1. */
int acpi_fadt_parse(const void *table, size_t bytes, struct acpi_fadt *out,
                    struct acpi_issues *issues) must_check;

/*
 * The sleep types of \_S5 in a DSDT or SSDT. This is no AML interpreter: it looks for the bytes of
 *     NameOp "_S5_" PackageOp PkgLength NumElements value value
 * with the name at the root or inside a scope, and each value a ByteConst, Zero or One, which is
 * how firmware writes it (ACPI 6.5, 20.2: grammar; 7.4.2: _Sx). Anything else is "not found".
 */
struct acpi_s5 {
    uint8_t type_a, type_b;
};
bool acpi_s5_find(const void *table, size_t bytes, struct acpi_s5 *out) must_check;

/* This machine's, read in INIT_FIRMWARE; NULL where there is none. */
const struct acpi_fadt *acpi_fadt(void);
const struct acpi_s5 *acpi_s5(void);

#endif
