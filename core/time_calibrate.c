/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the stamp's rate by the reference clocks (core/time_calibrate.h).
 *
 * C1. Bounded: TIME_POLLS_MAX looks at a reference a point; a clock that stands still is dropped.
 * C2. Nothing but the references and the stamp is looked at, so that a machine whose clocks count
 *     instructions (QEMU -icount) gives the same rate in every run.
 */
#include "core/time_calibrate.h"

#define TIME_POINTS 4u
#define TIME_INTERVAL_US 8000u
#define TIME_TRIES 5u
#define TIME_POLLS_MAX 50000u /* of at least 0.5 us each */
#define TIME_SPIN 2000u       /* turns of an empty loop between two looks: about 1 us */
#define TIME_MOVES_READS 1000u

struct time_point {
    uint64_t stamp, width, count;
};

static struct time_reference *time_refs[TIME_REFERENCES_MAX];
static unsigned time_nr_refs;

uint64_t time_ppm(uint64_t a, uint64_t b)
{
    uint64_t off = a > b ? a - b : b - a;

    if (!b)
        return 0;
    return off > UINT64_MAX / 1000000 ? UINT64_MAX : off * 1000000 / b;
}

/* The reference with the highest rank below that of `last`, by link order among equals. */
static struct time_reference *const *time_next_reference(struct time_reference *const *last)
{
    struct time_reference *const *best = NULL;

    for (REGISTRY_EACH(time_references, struct time_reference, p)) {
        if (last && ((*p)->rank > (*last)->rank || ((*p)->rank == (*last)->rank && p <= last)))
            continue;
        if (!best || (*p)->rank > (*best)->rank)
            best = p;
    }
    return best;
}

static bool time_reference_moves(struct time_reference *ref)
{
    uint64_t first = ref->read(ref);

    for (unsigned i = 0; i < TIME_MOVES_READS; i++)
        if (ref->read(ref) != first)
            return true;
    return false;
}

static void time_find_references(void)
{
    struct time_reference *const *p = NULL;

    time_nr_refs = 0;
    while (time_nr_refs < TIME_REFERENCES_MAX && (p = time_next_reference(p)))
        if ((*p)->probe(*p) == 0 && (*p)->hz && time_reference_moves(*p))
            time_refs[time_nr_refs++] = *p;
}

static struct time_point time_read_point(struct time_reference *ref)
{
    struct time_point best = {.width = UINT64_MAX};

    for (unsigned i = 0; i < TIME_TRIES; i++) {
        uint64_t before = arch_stamp();
        uint64_t count = ref->read(ref);
        uint64_t width = arch_stamp() - before;

        if (width < best.width)
            best = (struct time_point){before + width / 2, width, count};
    }
    return best;
}

static void time_read_points(struct time_point points[TIME_REFERENCES_MAX])
{
    for (unsigned i = 0; i < time_nr_refs; i++)
        points[i] = time_read_point(time_refs[i]);
}

/* Waits until `ref` has gone on by one interval since `from`; false if it does not (C1). */
static bool time_wait_interval(struct time_reference *ref, uint64_t from)
{
    uint64_t counts =
        ref->hz / 1000000 * TIME_INTERVAL_US + ref->hz % 1000000 * TIME_INTERVAL_US / 1000000;

    for (unsigned poll = 0; poll < TIME_POLLS_MAX; poll++) {
        if (((ref->read(ref) - from) & ref->mask) >= counts)
            return true;
        for (unsigned i = 0; i < TIME_SPIN; i++)
            __asm__ volatile("");
    }
    return false;
}

struct time_measured time_rate(uint64_t ticks, uint64_t bracket_ticks, uint64_t count,
                               uint64_t ref_hz)
{
    struct time_measured out = {.hz = 0};
    uint64_t error_ticks;

    while (ticks > UINT32_MAX || ref_hz > UINT32_MAX) { /* keeps the product in 64 bits */
        if (ticks > UINT32_MAX) {
            ticks >>= 1;
            bracket_ticks >>= 1;
            count >>= 1;
        } else {
            ref_hz >>= 1;
            count >>= 1;
        }
    }
    if (!count || !ticks)
        return out;
    error_ticks = bracket_ticks + ticks / count + 1;
    out.hz = ticks * ref_hz / count;
    out.error_hz = MIN(error_ticks, ticks) * ref_hz / count;
    return out;
}

static struct time_measured time_between(const struct time_reference *ref,
                                         const struct time_point *a, const struct time_point *b)
{
    return time_rate(b->stamp - a->stamp, (a->width + b->width) / 2,
                     (b->count - a->count) & ref->mask, ref->hz);
}

_Static_assert(TIME_POINTS == 4, "three intervals have a median");

static struct time_measured time_median3(const struct time_measured m[3])
{
    unsigned low = 0, high = 0;

    for (unsigned i = 1; i < 3; i++) {
        low = m[i].hz < m[low].hz ? i : low;
        high = m[i].hz >= m[high].hz ? i : high;
    }
    return low == high ? m[0] : m[3 - low - high];
}

static struct time_measured time_conclude(
    unsigned ref, struct time_point points[TIME_POINTS][TIME_REFERENCES_MAX])
{
    const struct time_reference *r = time_refs[ref];
    struct time_measured parts[TIME_POINTS - 1], median;
    struct time_measured whole = time_between(r, &points[0][ref], &points[TIME_POINTS - 1][ref]);

    for (unsigned i = 0; i + 1 < TIME_POINTS; i++)
        parts[i] = time_between(r, &points[i][ref], &points[i + 1][ref]);
    median = time_median3(parts);
    if (MAX(whole.hz, median.hz) - MIN(whole.hz, median.hz) > whole.error_hz + median.error_hz)
        whole = median;
    whole.name = r->name;
    return whole;
}

unsigned time_calibrate(struct time_measured out[TIME_REFERENCES_MAX])
{
    struct time_point points[TIME_POINTS][TIME_REFERENCES_MAX];
    unsigned lead = 0;

    time_find_references();
    if (!time_nr_refs)
        return 0;
    time_read_points(points[0]);
    for (unsigned point = 1; point < TIME_POINTS; point++) {
        while (lead < time_nr_refs &&
               !time_wait_interval(time_refs[lead], points[point - 1][lead].count))
            lead++;
        if (lead == time_nr_refs)
            return 0;
        time_read_points(points[point]);
    }
    for (unsigned i = 0; i < time_nr_refs; i++)
        out[i] = time_conclude(i, points);
    for (unsigned i = 0; i < lead; i++)
        out[i].hz = 0; /* it stopped */
    return time_nr_refs;
}
