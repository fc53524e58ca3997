/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of a CPU made on purpose (plant=…), the last CPU where there are several: each must end in
 * a dump, a backtrace and a failing verdict. */
#include <arch/percpu.h>

#include "core/init.h"
#include "core/plant.h"
#include "core/selftest.h"
#include "core/smp.h"
#include "core/wait.h"

#define PLANT_MS 20000u
#define STRAGGLER_MS 200u
#define STRAGGLER_AWAY_MS 20000u

static void read_nothing(void)
{
    const volatile uint32_t *nothing;

    __asm__("" : "=r"(nothing) : "0"((uintptr_t)8)); /* hidden from the compiler's warnings */
    (void)*nothing;
}

static void execute_data(void)
{
    static char no_code[64];
    void (*call)(void);

    __asm__("" : "=r"(call) : "0"(no_code));
    call();
}

/* No tail call: each frame is needed after the call. */
static noinline unsigned deeper(volatile unsigned *above)
{
    volatile unsigned here[64];

    here[0] = *above + 1;
    return here[0] ? deeper(here) + here[0] : 0;
}

static void overflow_stack(void)
{
    volatile unsigned top = 0;

    (void)deeper(&top);
}

static void plant_here(void *arg)
{
    if (plant_wanted("null"))
        read_nothing();
    if (plant_wanted("execute"))
        execute_data();
    if (plant_wanted("overflow"))
        overflow_stack();
}

static void plant_faults(void)
{
    uint32_t last = 0;

    if (!plant_wanted("null") && !plant_wanted("execute") && !plant_wanted("overflow"))
        return;
    for (CPUMASK_EACH(&cpus_online, cpu))
        last = cpu;
    (void)!smp_run(&last, 1, plant_here, NULL, PLANT_MS);
}
INIT_FN(plant_faults, INIT_TEST, 0);

static void stay_away(void *arg)
{
    static _Atomic uint32_t never;

    if (plant_wanted("straggler") && this_cpu_id() != 0)
        (void)!wait_for_value(&never, 1, STRAGGLER_AWAY_MS);
}

/* What ktest_run_all() does when a CPU stays away: plant=straggler. Without it all come back. */
static void all_come_back(struct ktest *t)
{
    ktest_run_all(t, stay_away, NULL, plant_wanted("straggler") ? STRAGGLER_MS : PLANT_MS);
}
KTEST(selftest, all_come_back, KTEST_QUICK);
