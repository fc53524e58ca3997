/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a run, by every way that the machine has, best first.
 *
 * A method that works does not return; one that returns did not work, and the next has its turn.
 * Called once: by the boot CPU at the end, or by the CPU that panics, with the others stopped. So
 * the screen is written here without the log's lock.
 */
#include "core/power.h"

#include <arch/machine.h>

#include "core/console.h"
#include "core/log.h"
#include "core/pager.h"
#include "core/report_store.h"

typedef const struct power_method *const *method_iterator;

/* The method with the highest rank below that of `last`, by link order among equals. */
static method_iterator next_method(method_iterator begin, method_iterator end, method_iterator last)
{
    method_iterator best = NULL;

    for (method_iterator p = begin; p < end; p++) {
        if (last && ((*p)->rank > (*last)->rank || ((*p)->rank == (*last)->rank && p <= last)))
            continue;
        if (!best || (*p)->rank > (*best)->rank)
            best = p;
    }
    return best;
}

unsigned power_try(method_iterator begin, method_iterator end, bool pass)
{
    unsigned tried = 0;

    for (method_iterator p = NULL; (p = next_method(begin, end, p)) != NULL; tried++)
        (*p)->leave(pass);
    return tried;
}

void power_restart(void)
{
    console_flush();
    (void)power_try(__start_reg_restart_methods, __stop_reg_restart_methods, true);
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
    unsigned tried;

    restart_to_save();
    console_flush();
    pager_hold();
    arch_power_off(pass ? 0 : 1);
    tried = power_try(__start_reg_power_methods, __stop_reg_power_methods, pass);
    log_line("halted: none of %u ways to power off worked; the machine can be switched off", tried);
    console_flush();
    arch_halt();
}
