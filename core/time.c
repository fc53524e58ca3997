/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time: the one scale of the kernel's stamp, set once at boot, and what the report says of it.
 *
 * Context: any CPU, from the first instruction on. Cost: read-mostly lines.
 */
#include "core/time.h"

#include <arch/hooks.h>
#include <arch/wait.h>

#include "core/log.h"
#include "core/time_calibrate.h"
#include "core/time_choose.h"
#include "core/time_scale.h"

#define TIME_GUESS_HZ 5000000000ull /* before it is known: no stamp is faster, so waits last */

static struct time_scale time_stamp_scale;
static struct time_choice time_chosen = {.source = "not calibrated yet"};
static struct time_measured time_measured[TIME_REFERENCES_MAX];
static unsigned time_nr_measured;
static uint64_t time_claim_hz;
static const char *time_claim_source;

static const struct time_scale *time_scale_now(void)
{
    if (unlikely(!time_stamp_scale.hz)) { /* the boot CPU alone, before time_init() */
        const char *source;
        uint64_t claim = arch_stamp_hz_claim(&source);

        time_stamp_scale = time_scale_make(claim ? claim : TIME_GUESS_HZ);
    }
    return &time_stamp_scale;
}

void time_init(void)
{
    time_claim_hz = arch_stamp_hz_claim(&time_claim_source);
    if (arch_stamp_is_exact()) {
        time_chosen = (struct time_choice){time_claim_hz, 0, time_claim_source, true, true};
    } else {
        time_nr_measured = time_calibrate(time_measured);
        time_chosen =
            time_choose(time_measured, time_nr_measured, time_claim_hz, time_claim_source);
    }
    time_stamp_scale = time_scale_make(time_chosen.hz);
}

static void time_report_measured(const struct time_measured *m)
{
    uint64_t off_ppm = time_ppm(m->hz, time_chosen.hz);

    if (!m->hz)
        log_warn("time: %s stopped", m->name);
    else if (!time_is_close(m->hz, time_chosen.hz))
        log_warn("time: by %s the rate is %llu Hz, %llu ppm off", m->name,
                 (unsigned long long)m->hz, (unsigned long long)off_ppm);
    else
        log_line("time: by %s %llu ppm off, error bar %llu ppm", m->name,
                 (unsigned long long)off_ppm,
                 (unsigned long long)time_ppm(m->hz + m->error_hz, m->hz));
}

void time_report(void)
{
    log_line("meta tsc_hz=%llu source=%s error_ppm=%llu claim_hz=%llu references=%u invariant=%d "
             "timed=%d",
             (unsigned long long)time_chosen.hz, time_chosen.source,
             (unsigned long long)time_chosen.error_ppm, (unsigned long long)time_claim_hz,
             time_nr_measured, arch_stamp_is_invariant(), time_chosen.known);
    for (unsigned i = 0; i < time_nr_measured; i++)
        time_report_measured(&time_measured[i]);
    if (!time_chosen.known)
        log_warn("time: nobody says how fast the stamp runs: this report is untimed, its ns are "
                 "ticks");
    else if (!time_chosen.checked)
        log_warn("time: no reference clock answers; the rate is a claim, unchecked");
    else if (time_claim_hz && !time_is_close(time_claim_hz, time_chosen.hz))
        log_warn("time: the claim of %s, %llu Hz, is wrong", time_claim_source,
                 (unsigned long long)time_claim_hz);
    time_report_sync();
}

uint64_t time_stamp_hz(void)
{
    return time_scale_now()->hz;
}

const char *time_source(void)
{
    return time_chosen.source;
}

bool time_is_known(void)
{
    return time_chosen.known;
}

uint64_t time_ticks_to_ps(uint64_t ticks)
{
    return time_scale_ps(time_scale_now(), ticks);
}

uint64_t time_ticks_to_ns(uint64_t ticks)
{
    return time_scale_ns(time_scale_now(), ticks);
}

uint64_t time_ns_to_ticks(uint64_t ns)
{
    return time_scale_ticks(time_scale_now(), ns);
}

uint64_t time_ms_to_ticks(uint64_t ms)
{
    return time_ns_to_ticks(ms > UINT64_MAX / 1000000 ? UINT64_MAX : ms * 1000000);
}

void time_delay_ns(uint64_t ns)
{
    uint64_t start = arch_stamp(), ticks = time_ns_to_ticks(ns) + 1;

    while (arch_stamp() - start < ticks)
        cpu_relax();
}

void hook_delay_ns(uint64_t ns)
{
    time_delay_ns(ns);
}
