/* SPDX-License-Identifier: Apache-2.0 */
/* Files on the medium that the application came from (UEFI 2.10, 13.5). See rescue.h. */
#include "boot/efi/app/rescue.h"

#define FOLDER_NAME L"corestorm"
#define NAME_DIGITS_AT 7u /* report-001.txt */
#define NUMBERS 999u
#define CHUNK_BYTES (256u << 10) /* some firmware fails at more in one call */

#define MEDIA_RAM_DISK 9u /* 10.3.5.9; GNU-EFI does not have it */
#define NODES_MAX 64u

/* What a reset wipes is no medium: firmware boots an image that came by HTTP from such a disk. */
static bool is_ram_disk(EFI_HANDLE device)
{
    EFI_DEVICE_PATH *node = DevicePathFromHandle(device);

    for (unsigned i = 0; node && i < NODES_MAX && node->Type != END_DEVICE_PATH_TYPE; i++) {
        if (node->Type == MEDIA_DEVICE_PATH && node->SubType == MEDIA_RAM_DISK)
            return true;
        if (DevicePathNodeLength(node) < (int)sizeof(*node))
            return false;
        node = NextDevicePathNode(node);
    }
    return false;
}

EFI_STATUS rescue_folder(const EFI_LOADED_IMAGE *loaded, EFI_FILE_HANDLE *folder)
{
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root;
    EFI_STATUS status =
        BS->HandleProtocol(loaded->DeviceHandle, &FileSystemProtocol, (void **)&volume);

    if (!EFI_ERROR(status) && is_ram_disk(loaded->DeviceHandle))
        status = EFI_UNSUPPORTED;
    if (!EFI_ERROR(status))
        status = volume->OpenVolume(volume, &root);
    if (EFI_ERROR(status))
        return status;
    status = root->Open(root, folder, FOLDER_NAME,
                        EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE,
                        EFI_FILE_DIRECTORY);
    root->Close(root);
    return status;
}

static void set_number(CHAR16 name[RESCUE_NAME_CHARS], unsigned number)
{
    StrCpy(name, L"report-000.txt");
    for (unsigned i = 0; i < 3; i++, number /= 10)
        name[NAME_DIGITS_AT + 2 - i] = (CHAR16)(L'0' + number % 10);
}

/* A number is free where no file of that name can be opened, because there is none. */
static EFI_STATUS next_name(EFI_FILE_HANDLE folder, CHAR16 name[RESCUE_NAME_CHARS])
{
    for (unsigned number = 1; number <= NUMBERS; number++) {
        EFI_FILE_HANDLE file;
        EFI_STATUS status;

        set_number(name, number);
        status = folder->Open(folder, &file, name, EFI_FILE_MODE_READ, 0);
        if (status == EFI_NOT_FOUND)
            return EFI_SUCCESS;
        if (EFI_ERROR(status))
            return status;
        file->Close(file);
    }
    return EFI_VOLUME_FULL;
}

static EFI_STATUS write_all(EFI_FILE_HANDLE file, const struct rescue_piece *piece)
{
    const char *at = piece->data;

    for (UINTN left = piece->bytes; left;) {
        UINTN bytes = left < CHUNK_BYTES ? left : CHUNK_BYTES;
        EFI_STATUS status = file->Write(file, &bytes, (void *)at);

        if (EFI_ERROR(status))
            return status;
        if (!bytes)
            return EFI_VOLUME_FULL;
        at += bytes;
        left -= bytes;
    }
    return EFI_SUCCESS;
}

static EFI_STATUS write_file(EFI_FILE_HANDLE folder, CHAR16 *name,
                             const struct rescue_piece *pieces, UINTN count)
{
    EFI_FILE_HANDLE file;
    EFI_STATUS status = folder->Open(
        folder, &file, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE | EFI_FILE_MODE_CREATE, 0);

    if (EFI_ERROR(status))
        return status;
    for (UINTN i = 0; i < count && !EFI_ERROR(status); i++)
        status = write_all(file, &pieces[i]);
    if (!EFI_ERROR(status))
        status = file->Flush(file);
    if (EFI_ERROR(status))
        file->Delete(file); /* closes it too */
    else
        status = file->Close(file);
    return status;
}

EFI_STATUS rescue_write(EFI_FILE_HANDLE folder, const struct rescue_piece *pieces, UINTN count,
                        CHAR16 name[RESCUE_NAME_CHARS])
{
    EFI_STATUS status = next_name(folder, name);

    return EFI_ERROR(status) ? status : write_file(folder, name, pieces, count);
}

unsigned rescue_marked(EFI_FILE_HANDLE folder, CHAR16 *name)
{
    EFI_FILE_HANDLE file;
    UINTN bytes = 1;
    char digit = 0;

    if (EFI_ERROR(folder->Open(folder, &file, name, EFI_FILE_MODE_READ, 0)))
        return 0;
    if (EFI_ERROR(file->Read(file, &bytes, &digit)))
        digit = 0;
    file->Close(file);
    return digit >= '1' && digit <= '9' ? (unsigned)(digit - '0') : RESCUE_TRIES;
}

static void take_away(EFI_FILE_HANDLE folder, CHAR16 *name)
{
    EFI_FILE_HANDLE file;

    if (!EFI_ERROR(folder->Open(folder, &file, name, EFI_FILE_MODE_READ | EFI_FILE_MODE_WRITE, 0)))
        file->Delete(file);
}

EFI_STATUS rescue_mark(EFI_FILE_HANDLE folder, CHAR16 *name, unsigned number)
{
    char text[] = "0 runs of Corestorm in a row were started from here, and did not come to their "
                  "end or have not been saved.\r\n";
    const struct rescue_piece piece = {text, sizeof(text) - 1};

    take_away(folder, name);
    text[0] = (char)('0' + (number < RESCUE_MARK_MAX ? number : RESCUE_MARK_MAX));
    if (number)
        return write_file(folder, name, &piece, 1);
    return rescue_marked(folder, name) ? EFI_WRITE_PROTECTED : EFI_SUCCESS;
}
