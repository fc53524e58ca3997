/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FADT: where the fixed hardware of the machine is. Offsets by ACPI 6.5, table 5.9. Each register
 * has an old 32-bit form (always port I/O) and a newer X_ form, which counts where it is filled.
 */
#include "drivers/acpi_fadt.h"

#include "core/errno.h"
#include "core/init.h"
#include "core/log.h"
#include "drivers/acpi.h"

#define FADT_DSDT 40u
#define FADT_SMI_COMMAND 48u
#define FADT_ACPI_ENABLE 52u
#define FADT_PM1A_CONTROL 64u
#define FADT_PM1B_CONTROL 68u
#define FADT_PM_TIMER 76u
#define FADT_BOOT_ARCH 109u
#define FADT_FLAGS 112u
#define FADT_BYTES_1 116u /* revision 1 ends here */
#define FADT_RESET 116u
#define FADT_RESET_VALUE 128u
#define FADT_X_DSDT 140u
#define FADT_X_PM1A_CONTROL 172u
#define FADT_X_PM1B_CONTROL 184u
#define FADT_X_PM_TIMER 208u
#define FADT_SLEEP_CONTROL 244u

#define FADT_FLAG_TIMER_32BIT (1u << 8)
#define FADT_FLAG_RESET (1u << 10)
#define FADT_FLAG_HARDWARE_REDUCED (1u << 20)
#define FADT_ARCH_8042 (1u << 1)
#define FADT_REVISION_ARCH 3u /* from here on the boot architecture flags say something */

static struct acpi_fadt fadt_found;
static struct acpi_s5 fadt_s5;
static bool fadt_is_there, fadt_s5_is_there;

static struct acpi_address fadt_extended(const void *table, size_t bytes, size_t offset)
{
    struct acpi_address none = {.address = 0};

    return offset + ACPI_ADDRESS_BYTES <= bytes ? acpi_address_at(table, offset) : none;
}

/* A register by its X_ form, else by its old one. */
static struct acpi_address fadt_register(const void *table, size_t bytes, size_t old_offset,
                                         size_t new_offset, uint8_t bits)
{
    struct acpi_address at = fadt_extended(table, bytes, new_offset);

    if (!at.address)
        at = (struct acpi_address){
            .space = ACPI_SPACE_IO, .bit_width = bits, .address = acpi_u32(table, old_offset)};
    return at;
}

int acpi_fadt_parse(const void *table, size_t bytes, struct acpi_fadt *out,
                    struct acpi_issues *issues)
{
    uint32_t flags;

    *out = (struct acpi_fadt){.dsdt_phys = 0};
    if (bytes < FADT_BYTES_1) {
        acpi_issue(issues, bytes, "too short for its fixed part");
        return -CS_EINVAL;
    }
    flags = acpi_u32(table, FADT_FLAGS);
    if (FADT_X_DSDT + 8 <= bytes)
        out->dsdt_phys = acpi_u64(table, FADT_X_DSDT);
    if (!out->dsdt_phys)
        out->dsdt_phys = acpi_u32(table, FADT_DSDT);
    out->smi_command_port = acpi_u32(table, FADT_SMI_COMMAND);
    out->acpi_enable_value = acpi_u8(table, FADT_ACPI_ENABLE);
    out->pm1a_control = fadt_register(table, bytes, FADT_PM1A_CONTROL, FADT_X_PM1A_CONTROL, 16);
    out->pm1b_control = fadt_register(table, bytes, FADT_PM1B_CONTROL, FADT_X_PM1B_CONTROL, 16);
    out->pm_timer = fadt_register(table, bytes, FADT_PM_TIMER, FADT_X_PM_TIMER, 32);
    out->pm_timer_is_32bit = flags & FADT_FLAG_TIMER_32BIT;
    if ((flags & FADT_FLAG_RESET) && FADT_RESET_VALUE < bytes) {
        out->reset = acpi_address_at(table, FADT_RESET);
        out->reset_value = acpi_u8(table, FADT_RESET_VALUE);
    }
    out->sleep_control = fadt_extended(table, bytes, FADT_SLEEP_CONTROL);
    out->hardware_reduced = flags & FADT_FLAG_HARDWARE_REDUCED;
    out->has_8042 = acpi_u8(table, 8) < FADT_REVISION_ARCH ||
                    (acpi_u16(table, FADT_BOOT_ARCH) & FADT_ARCH_8042);
    return 0;
}

static void fadt_look_for_s5(const void *table, size_t bytes)
{
    if (table && !fadt_s5_is_there)
        fadt_s5_is_there = acpi_s5_find(table, bytes, &fadt_s5);
}

static void fadt_init(void)
{
    struct acpi_issues issues = {.table = "FACP"};
    size_t bytes;
    const void *table = acpi_table("FACP", 0, &bytes);

    if (!table || acpi_fadt_parse(table, bytes, &fadt_found, &issues))
        return;
    fadt_is_there = true;
    table = acpi_table_at(fadt_found.dsdt_phys, "DSDT", &bytes);
    fadt_look_for_s5(table, bytes);
    for (uint32_t i = 0; !fadt_s5_is_there && (table = acpi_table("SSDT", i, &bytes)); i++)
        fadt_look_for_s5(table, bytes);
    if (!fadt_s5_is_there)
        log_line("acpi: no _S5_: this machine cannot be powered off by ACPI");
}
INIT_FN(fadt_init, INIT_FIRMWARE, 30);

const struct acpi_fadt *acpi_fadt(void)
{
    return fadt_is_there ? &fadt_found : NULL;
}

const struct acpi_s5 *acpi_s5(void)
{
    return fadt_s5_is_there ? &fadt_s5 : NULL;
}
