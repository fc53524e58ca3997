/* SPDX-License-Identifier: Apache-2.0 */
/* What the simulated machine says of itself, its output, its clock, and its end. */
#include <arch/machine.h>
#include <arch/time.h>

#include <errno.h>
#include <port/context.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/sim/description.h"
#include "arch/sim/sim.h"

const char *arch_goos(void)
{
    return "none";
}

const char *arch_goarch(void)
{
    return SIM_GOARCH;
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

void arch_early_init(void)
{
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

/* Why bytes of the report were lost, an errno; 0: none were. */
static int lost_why;

void arch_early_write(const char *text, size_t bytes)
{
    if (sim_backend->output && sim_backend->output(text, bytes))
        return;
    while (bytes) {
        ssize_t done = write(STDOUT_FILENO, text, bytes);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            lost_why = done ? errno : EIO;
            return;
        }
        text += done;
        bytes -= (size_t)done;
    }
}

bool arch_early_is_console(void)
{
    return true;
}

/* A report that is not whole is no pass. */
void arch_power_off(int exit_status)
{
    if (lost_why)
        fprintf(stderr, "corestorm: parts of the report were lost: %s\n", strerror(lost_why));
    exit(lost_why ? EXIT_FAILURE : exit_status);
}

/* A CPU that halts while others run gives its time to them for good. */
void arch_halt(void)
{
    if (sim_this->id == 0)
        _exit(EXIT_FAILURE);
    for (;;)
        sim_backend->park();
}

uint64_t arch_smi_count(void)
{
    return UINT64_MAX;
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

bool arch_time_is_simulated(void)
{
    return true;
}

bool arch_stamp_is_exact(void)
{
    return true;
}

bool arch_stamp_is_invariant(void)
{
    return true;
}
