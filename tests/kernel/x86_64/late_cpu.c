/* SPDX-License-Identifier: Apache-2.0 */
/* A CPU that wakes after the start is over, anywhere in the trampoline page, halts (smp.c, I1). */
#include <arch/mmu.h>

#include "arch/x86_64/x86.h"
#include "core/selftest.h"

#define HLT 0xf4u
#define JMP_SHORT 0xebu
#define STEPS_MAX 8u

/* Runs the three instructions that the page may hold, from `at`. */
static bool halts(const uint8_t *page, unsigned at)
{
    for (unsigned i = 0; i < STEPS_MAX && at + 1 < ARCH_PAGE_BYTES; i++) {
        if (page[at] == HLT)
            return true;
        if (page[at] == JMP_SHORT)
            at += 2 + (unsigned)(int8_t)page[at + 1];
        else if (page[at] == 0xfd) /* STD: the offset of the jump, entered in the middle */
            at++;
        else
            return false;
    }
    return false;
}

static void late_cpu_halts(struct ktest *t)
{
    const uint8_t *page = phys_to_virt(x86_trampoline_phys());
    unsigned bad = 0;

    if (x86_nr_cpus == 1) {
        EXPECT_EQ(t, x86_trampoline_phys(), 0);
        return;
    }
    EXPECT(t, x86_trampoline_phys() > 0 && x86_trampoline_phys() < 0xa0000);
    EXPECT_EQ(t, page[0], HLT);
    EXPECT_EQ(t, page[1], JMP_SHORT); /* after an NMI: back to the halt */
    EXPECT_EQ(t, page[2], 0xfd);
    for (unsigned at = 0; at < ARCH_PAGE_BYTES - 4; at++)
        bad += !halts(page, at);
    EXPECT_EQ(t, bad, 0);
}
KTEST(x86_smp, late_cpu_halts, KTEST_QUICK);
