/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what is wanted, does it, starts the image under test (chaos.h). */
#include "tests/efi_chaos/chaos.h"

#define CHILD L"\\EFI\\BOOT\\CORESTORM.EFI"
#define CONFIG_BYTES 1024u
#define LINKED_PHYS 0x200000ull
#define HOLES_FROM 0x4000000ull
#define HOLES_END 0x100000000ull
#define HOLES_APART 0x208000ull /* more than 2 MiB: a page table for each */

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system);

static char config[CONFIG_BYTES + 1];

EFI_STATUS chaos_fail(EFI_STATUS status, const CHAR16 *what)
{
    Print(L"chaos: %s (%r)\n", what, status);
    return status;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* Where the word that begins with `start` goes on behind it; NULL when there is none. */
static const char *behind(const char *start)
{
    UINTN length = strlena((const CHAR8 *)start);

    for (const char *at = config; *at; at++)
        if ((at == config || is_blank(at[-1])) && !CompareMem(at, start, length))
            return at + length;
    return NULL;
}

bool chaos_wants(const char *word)
{
    const char *end = behind(word);

    return end && (!*end || is_blank(*end));
}

UINTN chaos_number(const char *name)
{
    const char *at = behind(name);
    UINTN value = 0;

    for (; at && *at >= '0' && *at <= '9'; at++)
        value = 10 * value + (UINTN)(*at - '0');
    return value;
}

static EFI_STATUS read_config(EFI_HANDLE device)
{
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root, file;
    UINTN bytes = CONFIG_BYTES;
    EFI_STATUS status = BS->HandleProtocol(device, &FileSystemProtocol, (void **)&volume);

    if (!EFI_ERROR(status))
        status = volume->OpenVolume(volume, &root);
    if (!EFI_ERROR(status))
        status = root->Open(root, &file, L"\\chaos.cfg", EFI_FILE_MODE_READ, 0);
    if (!EFI_ERROR(status))
        status = file->Read(file, &bytes, config);
    return status;
}

static EFI_STATUS take_low_memory(void)
{
    EFI_PHYSICAL_ADDRESS at = LINKED_PHYS;
    EFI_STATUS status = BS->AllocatePages(AllocateAddress, EfiRuntimeServicesData, 1, &at);

    return EFI_ERROR(status) ? chaos_fail(status, L"the linked address is not free") : status;
}

/* Single reserved pages, each between two pieces of free memory. */
static EFI_STATUS make_holes(void)
{
    UINTN wanted = chaos_number("holes=");

    for (EFI_PHYSICAL_ADDRESS at = HOLES_FROM; wanted && at < HOLES_END; at += HOLES_APART) {
        EFI_PHYSICAL_ADDRESS page = at;

        if (!EFI_ERROR(BS->AllocatePages(AllocateAddress, EfiReservedMemoryType, 1, &page)))
            wanted--;
    }
    return wanted ? chaos_fail(EFI_OUT_OF_RESOURCES, L"no room for so many holes") : EFI_SUCCESS;
}

static EFI_STATUS disturb(void)
{
    EFI_STATUS status = make_holes();

    if (!EFI_ERROR(status) && chaos_wants("low"))
        status = take_low_memory();
    if (!EFI_ERROR(status))
        status = chaos_disturb_port();
    if (!EFI_ERROR(status))
        status = chaos_edit_madt();
    if (!EFI_ERROR(status))
        status = chaos_hook_map();
    return status;
}

EFI_STATUS efi_main(EFI_HANDLE image, EFI_SYSTEM_TABLE *system)
{
    EFI_LOADED_IMAGE *self, *child;
    EFI_HANDLE started;
    EFI_STATUS status;

    InitializeLib(image, system);
    status = BS->HandleProtocol(image, &LoadedImageProtocol, (void **)&self);
    if (!EFI_ERROR(status))
        status = read_config(self->DeviceHandle);
    if (EFI_ERROR(status))
        return chaos_fail(status, L"chaos.cfg cannot be read");
    status = disturb();
    if (EFI_ERROR(status))
        return status;
    status =
        BS->LoadImage(FALSE, image, FileDevicePath(self->DeviceHandle, CHILD), NULL, 0, &started);
    if (!EFI_ERROR(status))
        status = BS->HandleProtocol(started, &LoadedImageProtocol, (void **)&child);
    if (EFI_ERROR(status))
        return chaos_fail(status, L"the image under test cannot be loaded");
    chaos_set_options(child);
    return chaos_fail(BS->StartImage(started, NULL, NULL), L"the image under test came back");
}
