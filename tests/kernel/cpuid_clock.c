/* SPDX-License-Identifier: Apache-2.0 */
/* The rate that a processor claims, arch/x86_64/cpuid_clock.h: with a crystal's rate and without.
 */
#include "arch/x86_64/cpuid_clock.h"
#include "core/selftest.h"
#include "core/string.h"

static struct cpuid leaf_15h, leaf_16h;

static struct cpuid read_made(uint32_t leaf, uint32_t subleaf)
{
    return leaf == 0x15 ? leaf_15h : leaf == 0x16 ? leaf_16h : (struct cpuid){0};
}

static uint64_t claim(struct cpuid ratio, uint32_t base_mhz, const char **source)
{
    leaf_15h = ratio;
    leaf_16h = (struct cpuid){.eax = base_mhz};
    *source = "nobody";
    return cpuid_clock_claim(read_made, source);
}

static void claims(struct ktest *t)
{
    const char *source;

    EXPECT_EQ(t, claim((struct cpuid){2, 216, 24000000, 0}, 2600, &source), 2592000000);
    EXPECT(t, strcmp(source, "cpuid-15h") == 0);
    /* The crystal's rate is not stated: the base frequency. */
    EXPECT_EQ(t, claim((struct cpuid){2, 216, 0, 0}, 2600, &source), 2600000000);
    EXPECT(t, strcmp(source, "cpuid-16h") == 0);
    EXPECT_EQ(t, claim((struct cpuid){2, 216, 0, 0}, 0, &source), 0);
    EXPECT_EQ(t, claim((struct cpuid){0, 216, 24000000, 0}, 2600, &source), 0);
    EXPECT_EQ(t, claim((struct cpuid){0}, 0, &source), 0);
    EXPECT(t, strcmp(source, "nobody") == 0);
    EXPECT_EQ(t, claim((struct cpuid){1, UINT32_MAX, UINT32_MAX, 0}, 0, &source),
              (int64_t)((uint64_t)UINT32_MAX * UINT32_MAX));
}
KTEST(cpuid_clock, claims, KTEST_QUICK);
