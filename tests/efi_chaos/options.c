/* SPDX-License-Identifier: Apache-2.0 */
/* Load options of all the kinds that firmware, shells and people make. What counts in each of them
 * is the parameter mem=512M. */
#include "tests/efi_chaos/chaos.h"

#define LONG_CHARS 3000u

static CHAR16 with_mark[] = L"\xfeffmem=512M";
static CHAR16 with_name[] = L"\\EFI\\BOOT\\CORESTORM.EFI mem=512M ";
static char ascii[] = "CORESTORM.efi mem=512M";
static unsigned char junk[] = {0x4e, 0xac, 0x08, 0x81, 0x11, 0x9f, 0x59, 0x4d,
                               0x85, 0x0e, 0xe2, 0x1a, 0x52, 0x2c, 0x59, 0xb2};
static CHAR16 of_many[LONG_CHARS + 16];

static void set(EFI_LOADED_IMAGE *child, void *options, UINTN bytes)
{
    child->LoadOptions = options;
    child->LoadOptionsSize = (UINT32)bytes;
}

/* Unknown parameters, and at the end one that counts. Not terminated. */
static void set_long(EFI_LOADED_IMAGE *child)
{
    static const CHAR16 last[] = L" mem=512M";

    for (UINTN i = 0; i < LONG_CHARS; i++)
        of_many[i] = i % 50 == 49 ? ' ' : 'x';
    CopyMem(of_many + LONG_CHARS, (void *)last, sizeof(last) - sizeof(CHAR16));
    set(child, of_many, LONG_CHARS * sizeof(CHAR16) + sizeof(last) - sizeof(CHAR16));
}

void chaos_set_options(EFI_LOADED_IMAGE *child)
{
    if (chaos_wants("options=bom"))
        set(child, with_mark, sizeof(with_mark));
    else if (chaos_wants("options=name"))
        set(child, with_name, sizeof(with_name));
    else if (chaos_wants("options=ascii"))
        set(child, ascii, sizeof(ascii));
    else if (chaos_wants("options=junk"))
        set(child, junk, sizeof(junk));
    else if (chaos_wants("options=long"))
        set_long(child);
}
