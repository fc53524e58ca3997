/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing that only arm64 firmware can do has been odd so far. */
#include "tests/efi_chaos/chaos.h"

EFI_STATUS chaos_disturb_port(void)
{
    return EFI_SUCCESS;
}
