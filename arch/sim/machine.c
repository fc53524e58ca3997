/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulated machine says of itself, its output, its clock, and its end. */
#include <arch/machine.h>
#include <arch/time.h>

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "arch/process/process.h"
#include "arch/sim/description.h"
#include "arch/sim/sim.h"

const char *arch_goos(void)
{
    return "none";
}

void arch_cpu_model(char *text, size_t bytes)
{
    snprintf(text, bytes, "simulated: %s", sim_machine.model);
}

const char *arch_virt(void)
{
    return "sim";
}

/* Its times are a model's, but they are what is asked for. */
bool arch_is_emulated(void)
{
    return false;
}

bool arch_virt_may_share(void)
{
    return false;
}

uint32_t arch_host_processors(void)
{
    return 0; /* one each, in simulated time */
}

void arch_describe(char *text, size_t bytes)
{
    snprintf(text, bytes, "machine=%s backend=%s sim_seed=%llu", sim_machine.name,
             sim_backend->name, (unsigned long long)sim_options.seed);
}

const char *arch_describe_model(uint32_t i)
{
    return sim_description_line(i);
}

void arch_early_write(const char *text, size_t bytes)
{
    if (!sim_backend->output || !sim_backend->output(text, bytes))
        process_write(text, bytes);
}

void arch_power_off(int exit_status)
{
    process_end(exit_status);
}

/* A CPU that halts while others run gives its time to them for good. */
void arch_halt(void)
{
    if (sim_this->id == 0)
        _exit(EXIT_FAILURE);
    for (;;)
        sim_backend->park();
}

uint64_t arch_stamp(void)
{
    return sim_backend->stamp();
}

uint64_t arch_stamp_loose(void)
{
    return sim_backend->stamp_loose();
}

void arch_measures(const char *storm, const char *design, const char *what)
{
    if (sim_backend->measures)
        sim_backend->measures(storm, design, what);
}

void arch_operations_done(uint64_t n)
{
    if (sim_backend->operations)
        sim_backend->operations(n);
}

uint64_t arch_stamp_hz_claim(const char **source)
{
    if (source)
        *source = "simulated time";
    return 1000000000ull;
}

bool arch_stamp_is_exact(void)
{
    return true;
}

bool arch_stamp_is_invariant(void)
{
    return true;
}
