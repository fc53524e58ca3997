/* SPDX-License-Identifier: Apache-2.0 */
/* Between the two ways to read corestorm.cfg. */
#ifndef BOOT_EFI_CONFIG_H
#define BOOT_EFI_CONFIG_H

#include "boot/efi/app/app.h"

/* One more byte is read than allowed, so that a file that is too long shows: as many of them as
 * count; what is left out is noted. */
UINTN config_limit(UINTN bytes);

/* config_net.c: from where the image came, by TFTP. */
struct app_text config_from_network(const EFI_LOADED_IMAGE *loaded);

#endif
