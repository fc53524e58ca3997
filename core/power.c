/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a run, by every way that the machine has, best first.
 *
 * A method that works does not return; one that returns did not work, and the next has its turn.
 * Called once: by the boot CPU at the end, or by the CPU that panics, with the others stopped. So
 * the screen is written here without the log's lock.
 */
#include "core/power.h"

#include <limits.h>

#include <arch/machine.h>

#include "core/console.h"
#include "core/log.h"
#include "core/pager.h"
#include "core/report_store.h"

/* The method with the highest rank below that of `last`, by link order among equals. */
static const struct power_method *const *power_next(const struct power_method *const *last)
{
    const struct power_method *const *best = NULL;

    for (REGISTRY_EACH(power_methods, const struct power_method, p)) {
        if (last && ((*p)->rank > (*last)->rank || ((*p)->rank == (*last)->rank && p <= last)))
            continue;
        if (!best || (*p)->rank > (*best)->rank)
            best = p;
    }
    return best;
}

static const struct restart_method *restart_next(int below)
{
    const struct restart_method *best = NULL;

    for (REGISTRY_EACH(restart_methods, const struct restart_method, p))
        if ((*p)->rank < below && (!best || (*p)->rank > best->rank))
            best = *p;
    return best;
}

void power_restart(void)
{
    const struct restart_method *method = restart_next(INT_MAX);

    console_flush();
    for (; method; method = restart_next(method->rank))
        method->restart();
}

static void restart_to_save(void)
{
    if (!report_store_wants_reset())
        return;
    power_restart();
    log_line(
        "save: no way to reset worked; the report is lost unless the machine is reset by hand");
}

_Noreturn void power_off(bool pass)
{
    unsigned tried = 0;

    restart_to_save();
    console_flush();
    pager_hold();
    arch_power_off(pass ? 0 : 1);
    for (const struct power_method *const *p = power_next(NULL); p; p = power_next(p)) {
        (*p)->off(pass);
        tried++;
    }
    log_line("halted: none of %u ways to power off worked; the machine can be switched off", tried);
    console_flush();
    arch_halt();
}
