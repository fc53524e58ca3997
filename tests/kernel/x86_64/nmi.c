/* SPDX-License-Identifier: Apache-2.0 */
/* Which NMIs somebody had asked for (arch/x86_64/nmi.c, I1). */
#include "arch/x86_64/x86.h"
#include "core/selftest.h"

static void as_many_as_were_sent(struct ktest *t)
{
    static struct x86_cpu cpu;
    uint32_t work;

    EXPECT(t, !x86_nmi_take(&cpu, &work));
    x86_nmi_ask(&cpu, NMI_FLUSH);
    EXPECT(t, x86_nmi_take(&cpu, &work) && work == NMI_FLUSH);
    EXPECT(t, !x86_nmi_take(&cpu, &work)); /* the hardware's, right behind one that was sent */
    x86_nmi_ask(&cpu, NMI_FLUSH);
    x86_nmi_ask(&cpu, NMI_PROBE);
    EXPECT(t, x86_nmi_take(&cpu, &work) && work == (NMI_FLUSH | NMI_PROBE));
    EXPECT(t, x86_nmi_take(&cpu, &work) && !work); /* the second one, whose work is done */
    EXPECT(t, !x86_nmi_take(&cpu, &work));
}
KTEST(x86_nmi, as_many_as_were_sent, KTEST_QUICK);
