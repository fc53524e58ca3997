/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a run: the verdict leaves by every way that the machine has. */
#ifndef CORE_POWER_H
#define CORE_POWER_H

#include "core/compiler.h"
#include "core/registry.h"

struct power_method {
    const char *name;
    int rank; /* higher first: those that carry an exit status before plain power-off */
    /* Ends the machine; returns only when it did not work. pass = the verdict. */
    void (*leave)(bool pass);
};

/* Ways out of the machine. */
REGISTRY_DECLARE(power_methods, const struct power_method);
#define POWER_METHOD(object) REGISTRY_ADD(power_methods, const struct power_method, object)
/* Ways to reset it without cutting its power. */
REGISTRY_DECLARE(restart_methods, const struct power_method);
#define RESTART_METHOD(object) REGISTRY_ADD(restart_methods, const struct power_method, object)

/* Tries all of [begin, end), by rank and among equals in their order. How many: it returns when none
 * worked. */
unsigned power_try(const struct power_method *const *begin, const struct power_method *const *end,
                   bool pass);

/* Every way to reset; returns when none worked. */
void power_restart(void);

/* Resets where the report is to be saved by the next start (core/report_store.h). Else tries
 * arch_power_off(), then every method by rank, then halts with a line that says so. */
_Noreturn void power_off(bool pass);

#endif
