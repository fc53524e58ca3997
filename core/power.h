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
    void (*off)(bool pass);
};

REGISTRY_DECLARE(power_methods, const struct power_method);
#define POWER_METHOD(object) REGISTRY_ADD(power_methods, const struct power_method, object)

/* Tries arch_power_off(), then every method by rank, then halts with a line that says so. */
_Noreturn void power_off(bool pass);

#endif
