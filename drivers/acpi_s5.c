/* SPDX-License-Identifier: Apache-2.0 */
/* The sleep types of \_S5, found by their bytes (drivers/acpi_fadt.h says in which form). */
#include "drivers/acpi_fadt.h"

#define AML_ZERO 0x00u
#define AML_ONE 0x01u
#define AML_NAME 0x08u
#define AML_BYTE 0x0Au
#define AML_PACKAGE 0x12u

/* What is left to read; reading past the end gives -1 for ever. */
struct aml_bytes {
    const uint8_t *at, *end;
};

static int aml_next(struct aml_bytes *aml)
{
    return aml->at < aml->end ? *aml->at++ : -1;
}

/* PkgLength: the two top bits of its first byte say how many more follow (20.2.4). */
static bool aml_skip_package_length(struct aml_bytes *aml)
{
    int lead = aml_next(aml);

    if (lead < 0 || (lead >> 6) > aml->end - aml->at)
        return false;
    aml->at += lead >> 6;
    return true;
}

/* A small integer constant, -1 if it is anything else. */
static int aml_constant(struct aml_bytes *aml)
{
    int op = aml_next(aml);

    return op == AML_BYTE ? aml_next(aml) : op == AML_ZERO || op == AML_ONE ? op : -1;
}

static bool s5_read_package(struct aml_bytes aml, struct acpi_s5 *out)
{
    int elements, a, b;

    if (aml_next(&aml) != AML_PACKAGE || !aml_skip_package_length(&aml))
        return false;
    elements = aml_next(&aml);
    a = aml_constant(&aml);
    b = elements > 1 ? aml_constant(&aml) : 0;
    if (elements < 1 || a < 0 || a > 7 || b > 7)
        return false;
    out->type_a = (uint8_t)a;
    out->type_b = (uint8_t)(b < 0 ? 0 : b);
    return true;
}

bool acpi_s5_find(const void *table, size_t bytes, struct acpi_s5 *out)
{
    const uint8_t *p = table;

    for (size_t i = ACPI_HEADER_BYTES + 1; i + 4 <= bytes; i++) {
        struct aml_bytes package = {p + i + 4, p + bytes};
        bool named = p[i - 1] == AML_NAME || (p[i - 1] == '\\' && p[i - 2] == AML_NAME);

        if (named && !memcmp(p + i, "_S5_", 4) && s5_read_package(package, out))
            return true;
    }
    return false;
}
