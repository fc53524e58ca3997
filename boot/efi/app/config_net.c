/* SPDX-License-Identifier: Apache-2.0 */
/*
 * corestorm.cfg from the server that the image came from: by TFTP, in the folder of the boot file.
 *
 * PXE Base Code Protocol (24.3). Server and file are those of the DHCP answer, or of the boot
 * server's where that is another one (RFC 2131: siaddr, file). IPv4.
 */
#include "boot/efi/app/config.h"

#define NAME "corestorm.cfg"
#define FILE_BYTES (sizeof(((EFI_PXE_BASE_CODE_DHCPV4_PACKET *)0)->BootpBootFile))
#define PATH_BYTES (FILE_BYTES + sizeof(NAME))

static const EFI_PXE_BASE_CODE_DHCPV4_PACKET *answer(const EFI_PXE_BASE_CODE_MODE *mode)
{
    if (!mode->Started || mode->UsingIpv6 || !mode->DhcpAckReceived)
        return NULL;
    if (mode->PxeReplyReceived && mode->PxeReply.Dhcpv4.BootpBootFile[0])
        return &mode->PxeReply.Dhcpv4;
    if (mode->ProxyOfferReceived && mode->ProxyOffer.Dhcpv4.BootpBootFile[0])
        return &mode->ProxyOffer.Dhcpv4;
    return &mode->DhcpAck.Dhcpv4;
}

static void make_path(const EFI_PXE_BASE_CODE_DHCPV4_PACKET *from, UINT8 path[PATH_BYTES])
{
    UINTN end = 0;

    for (UINTN i = 0; i < FILE_BYTES && from->BootpBootFile[i]; i++)
        if (from->BootpBootFile[i] == '/' || from->BootpBootFile[i] == '\\')
            end = i + 1;
    CopyMem(path, (void *)from->BootpBootFile, end);
    CopyMem(path + end, NAME, sizeof(NAME));
}

struct app_text config_from_network(const EFI_LOADED_IMAGE *loaded)
{
    struct app_text out = {NULL, 0};
    const EFI_PXE_BASE_CODE_DHCPV4_PACKET *from;
    EFI_PXE_BASE_CODE_PROTOCOL *pxe;
    UINT8 path[PATH_BYTES];
    UINT64 bytes = BOOT_TEXT_BYTES_MAX + 1;
    EFI_IP_ADDRESS server = {.Addr = {0}};
    EFI_STATUS status = EFI_OUT_OF_RESOURCES;

    if (EFI_ERROR(BS->HandleProtocol(loaded->DeviceHandle, &PxeBaseCodeProtocol, (void **)&pxe)) ||
        !pxe->Mode || !(from = answer(pxe->Mode)))
        return out;
    make_path(from, path);
    CopyMem(&server.v4, (void *)from->BootpSiAddr, sizeof(server.v4));
    out.text = AllocatePool(BOOT_TEXT_BYTES_MAX + 1);
    if (out.text)
        status = pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, out.text, FALSE, &bytes, NULL,
                            &server, path, NULL, FALSE);
    if (!EFI_ERROR(status))
        out.bytes = config_limit((UINTN)bytes);
    else if (status == EFI_BUFFER_TOO_SMALL)
        app_note("corestorm.cfg on the server is longer than 64 KiB, and was not read");
    else if (status == EFI_TFTP_ERROR) /* an answer: what may be left out is not there */
        Print(L"corestorm: there is no corestorm.cfg beside the boot file on the server\n");
    else
        app_note("corestorm.cfg cannot be read from the server");
    return out;
}
