/* SPDX-License-Identifier: Apache-2.0 */
/* corestorm.cfg: in the folder of the image, else at the top of the file system it came from. What
 * has come over the network has no file system (config_net.c). */
#include "boot/efi/app/config.h"

#define NAME L"corestorm.cfg"
#define PATH_CHARS_MAX 512u

static struct app_text read_file(EFI_FILE_HANDLE folder, CHAR16 *path)
{
    struct app_text out = {NULL, 0};
    EFI_FILE_HANDLE file;
    UINTN bytes = BOOT_TEXT_BYTES_MAX + 1;

    if (EFI_ERROR(folder->Open(folder, &file, path, EFI_FILE_MODE_READ, 0)))
        return out;
    out.text = AllocatePool(bytes);
    if (!out.text || EFI_ERROR(file->Read(file, &bytes, out.text))) {
        app_note("corestorm.cfg cannot be read");
        bytes = 0;
    }
    out.bytes = config_limit(bytes);
    file->Close(file);
    return out;
}

UINTN config_limit(UINTN bytes)
{
    if (bytes <= BOOT_TEXT_BYTES_MAX)
        return bytes;
    app_note("corestorm.cfg is longer than 64 KiB; the rest was not read");
    return BOOT_TEXT_BYTES_MAX;
}

static bool parts(CHAR16 c)
{
    return c == '\\' || c == '/';
}

/* The image's path with another file's name; false where it has no folder or is too long. GNU-EFI
 * joins the nodes of a path with a slash, which file systems do not know (13.5.2). */
static bool beside_image(const EFI_LOADED_IMAGE *loaded, CHAR16 path[PATH_CHARS_MAX])
{
    CHAR16 *image = loaded->FilePath ? DevicePathToStr(loaded->FilePath) : NULL;
    UINTN end = 0, length = image ? StrLen(image) : 0;

    for (UINTN i = 0; i < length; i++)
        if (parts(image[i]))
            end = i + 1;
    if (end && end + StrLen(NAME) < PATH_CHARS_MAX) {
        UINTN used = 0;

        for (UINTN i = 0; i < end; i++)
            if (!parts(image[i]))
                path[used++] = image[i];
            else if (!used || path[used - 1] != '\\')
                path[used++] = '\\';
        StrCpy(path + used, NAME);
    } else {
        end = 0;
    }
    if (image)
        FreePool(image);
    return end != 0;
}

struct app_text config_read(const EFI_LOADED_IMAGE *loaded)
{
    static CHAR16 path[PATH_CHARS_MAX];
    struct app_text out = {NULL, 0};
    EFI_FILE_IO_INTERFACE *volume;
    EFI_FILE_HANDLE root;

    if (EFI_ERROR(
            BS->HandleProtocol(loaded->DeviceHandle, &FileSystemProtocol, (void **)&volume)) ||
        EFI_ERROR(volume->OpenVolume(volume, &root)))
        return config_from_network(loaded);
    if (beside_image(loaded, path))
        out = read_file(root, path);
    if (!out.text)
        out = read_file(root, L"\\" NAME);
    root->Close(root);
    return out;
}
