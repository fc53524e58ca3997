/* SPDX-License-Identifier: Apache-2.0 */
/* What only x86-64 firmware can do: hand over with the boot CPU's APIC in x2APIC mode, in which the
 * window in memory answers nothing (Intel SDM vol. 3, 11.12). */
#include "tests/efi_chaos/chaos.h"

#define CPUID_X2APIC (1u << 21)
#define MSR_APIC_BASE 0x1bu
#define APIC_BASE_X2APIC 0xc00u /* enabled, and in that mode */

EFI_STATUS chaos_disturb_port(void)
{
    UINT32 a = 1, b, c = 0, d;

    if (!chaos_wants("x2apic"))
        return EFI_SUCCESS;
    __asm__ volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
    if (!(c & CPUID_X2APIC))
        return chaos_fail(EFI_UNSUPPORTED, L"the processor has no x2APIC");
    __asm__ volatile("rdmsr\n\tor %0, %%eax\n\twrmsr"
                     :
                     : "i"(APIC_BASE_X2APIC), "c"(MSR_APIC_BASE)
                     : "eax", "edx", "memory");
    return EFI_SUCCESS;
}
