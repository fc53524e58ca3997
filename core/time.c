/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rate of the stamp: who is believed, and the conversions that follow from it.
 *
 *   exact claim (hosted)  ─────────────────────────────> taken as it is
 *   references, best rank first ── agrees with another? ─> measured, or the claim that it confirms
 *   a claim alone ─────────────────────────────────────> taken, called unchecked
 *   nothing ───────────────────────────────────────────> 1 GHz, called untimed
 *
 * What is measured carries an error bar. A claim within bar + TIME_CLAIM_PPM of it is taken in its
 * place: it is what the hardware was built to. Without a claim the measured rate is rounded to the
 * roundest number within its bar, so that digits that mean nothing do not differ between boots.
 */
#include "core/time.h"

#include <arch/hooks.h>
#include <arch/wait.h>

#include "core/log.h"
#include "core/time_calibrate.h"
#include "core/time_scale.h"

#define TIME_CLAIM_PPM 200u   /* what crystals are off by */
#define TIME_AGREE_PPM 10000u /* two sources further apart cannot both be right */
#define TIME_GUESS_HZ 5000000000ull /* before it is known: no stamp is faster */
#define TIME_UNKNOWN_HZ 1000000000ull

static struct time_scale time_stamp_scale;
static struct time_measured time_refs_measured[TIME_REFERENCES_MAX];
static unsigned time_nr_measured;
static uint64_t time_claim_hz;
static const char *time_claim_source;
static const char *time_chosen_source = "not calibrated yet";
static uint64_t time_error_ppm;
static bool time_known;

static const struct time_scale *time_scale_now(void)
{
    if (unlikely(!time_stamp_scale.hz)) {
        const char *source;
        uint64_t claim = arch_stamp_hz_claim(&source);

        time_stamp_scale = time_scale_make(claim ? claim : TIME_GUESS_HZ);
    }
    return &time_stamp_scale;
}

static void time_choose(uint64_t hz, uint64_t error_ppm, const char *source)
{
    time_stamp_scale = time_scale_make(hz);
    time_chosen_source = source;
    time_error_ppm = error_ppm;
    time_known = true;
}

static bool time_is_close(uint64_t a, uint64_t b)
{
    return a && b && time_ppm(a, b) <= TIME_AGREE_PPM;
}

/* How many other sources agree with the i-th reference. */
static unsigned time_witnesses(unsigned i)
{
    uint64_t hz = time_refs_measured[i].hz;
    unsigned count = time_is_close(hz, time_claim_hz);

    for (unsigned j = 0; j < time_nr_measured; j++)
        count += j != i && time_is_close(hz, time_refs_measured[j].hz);
    return count;
}

/* The best-ranked reference that another source agrees with, else the best that gave a rate. */
static const struct time_measured *time_best_measured(void)
{
    const struct time_measured *first = NULL;

    for (unsigned i = 0; i < time_nr_measured; i++) {
        if (!time_refs_measured[i].hz)
            continue;
        if (time_witnesses(i))
            return &time_refs_measured[i];
        if (!first)
            first = &time_refs_measured[i];
    }
    return first;
}

static void time_choose_measured(const struct time_measured *m)
{
    uint64_t bar_ppm = time_ppm(m->hz + m->error_hz, m->hz);

    if (time_claim_hz && time_ppm(time_claim_hz, m->hz) <= bar_ppm + TIME_CLAIM_PPM)
        time_choose(time_claim_hz, bar_ppm, time_claim_source);
    else
        time_choose(time_round_within(m->hz, m->error_hz), bar_ppm, m->name);
}

void time_init(void)
{
    const struct time_measured *best;

    time_claim_hz = arch_stamp_hz_claim(&time_claim_source);
    if (arch_stamp_is_exact()) {
        time_choose(time_claim_hz, 0, time_claim_source);
        return;
    }
    time_nr_measured = time_calibrate(time_refs_measured);
    best = time_best_measured();
    if (best) {
        time_choose_measured(best);
    } else if (time_claim_hz) {
        time_choose(time_claim_hz, 0, time_claim_source);
        log_warn("time: no reference clock answers; the rate is %s's claim, unchecked",
                 time_claim_source);
    } else {
        time_choose(TIME_UNKNOWN_HZ, 0, "nothing");
        time_known = false;
        log_warn("time: nobody says how fast the stamp runs: this report is untimed, its ns are "
                 "ticks");
    }
}

static void time_report_sources(void)
{
    for (unsigned i = 0; i < time_nr_measured; i++) {
        const struct time_measured *m = &time_refs_measured[i];
        uint64_t off_ppm = time_ppm(m->hz, time_stamp_scale.hz);
        uint64_t bar_ppm = time_ppm(m->hz + m->error_hz, m->hz);

        if (!m->hz)
            log_warn("time: %s stopped", m->name);
        else if (off_ppm > bar_ppm + TIME_AGREE_PPM)
            log_warn("time: by %s it is %llu Hz, %llu ppm off", m->name, (unsigned long long)m->hz,
                     (unsigned long long)off_ppm);
        else
            log_line("time: by %s %llu ppm off, error bar %llu ppm", m->name,
                     (unsigned long long)off_ppm, (unsigned long long)bar_ppm);
    }
    if (time_claim_hz && !time_is_close(time_claim_hz, time_stamp_scale.hz))
        log_warn("time: %s claims %llu Hz", time_claim_source, (unsigned long long)time_claim_hz);
}

void time_report(void)
{
    log_line("meta tsc_hz=%llu source=\"%s\" error_ppm=%llu claim_hz=%llu references=%u "
             "invariant=%d timed=%d",
             (unsigned long long)time_stamp_scale.hz, time_chosen_source,
             (unsigned long long)time_error_ppm, (unsigned long long)time_claim_hz,
             time_nr_measured, arch_stamp_is_invariant(), time_known);
    time_report_sources();
    time_report_sync();
}

uint64_t time_stamp_hz(void)
{
    return time_scale_now()->hz;
}

const char *time_source(void)
{
    return time_chosen_source;
}

bool time_is_known(void)
{
    return time_known;
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

void hook_delay_ns(uint64_t ns)
{
    time_delay_ns(ns);
}

void time_delay_ns(uint64_t ns)
{
    uint64_t start = arch_stamp(), ticks = time_ns_to_ticks(ns) + 1;

    while (arch_stamp() - start < ticks)
        cpu_relax();
}
