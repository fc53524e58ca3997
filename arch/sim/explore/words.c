/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The history of each word under weak memory: the last VERSIONS values and since when each was the
 * newest, and what each CPU has seen of it. A word that nobody stored to in this schedule has no
 * history; memory always holds the newest value.
 *
 * A load of a CPU can be early: satisfied at a time T before now, at which an older value was the
 * newest. What T may be:
 *
 *  L1. not before the CPU's floor: the T of its last acquire load or fence (the caller's);
 *  L2. not before the value that this CPU last read or stored there (coherence of one location);
 *  L3. not before a load that its address may depend on. Which, a simulator of compiled code cannot
 *      see. Taken as independent of earlier loads is only an address that the CPU had accessed
 *      before the values that they returned existed; and it is dependent all the same where one of
 *      those values points near it, as an address or as an offset in a CPU's unit.
 */
#include <string.h>

#include <arch/percpu.h>

#include "arch/sim/explore/explore.h"

#define VERSIONS 4u
#define SLOTS (1u << 15)
#define LOADS 16u               /* of each CPU, the last ones */
#define NEAR_BYTES (64ul << 10) /* what a pointer may reach */

struct version {
    uint64_t value;
    uint32_t since;
};

struct word {
    uintptr_t at;
    uint32_t schedule;                /* the slot is free where it is not this one */
    uint32_t count;                   /* 0: no history. The newest version's value is memory */
    struct version version[VERSIONS]; /* oldest first */
    uint32_t seen[EXPLORE_CPUS_MAX];  /* L2 */
    uint32_t known[EXPLORE_CPUS_MAX]; /* when first accessed, plus 1; 0: never */
};

struct reader {
    uint32_t latest;    /* the largest T of all its loads */
    uint32_t forgotten; /* the largest T of those that are no longer in the list */
    struct {
        uint64_t value;
        uint32_t t;
    } load[LOADS];
    uint32_t loads;
};

static struct word words[SLOTS];
static struct reader readers[EXPLORE_CPUS_MAX];
static uint32_t schedule, filled;

void explore_words_reset(void)
{
    schedule++;
    filled = 0;
    memset(readers, 0, sizeof(readers));
}

static struct word *word_at(uintptr_t at)
{
    uint32_t i = (uint32_t)((at >> 3) * 0x9e3779b97f4a7c15ull >> 49) % SLOTS;

    while (words[i].schedule == schedule && words[i].at != at)
        i = (i + 1) % SLOTS;
    if (words[i].schedule != schedule) {
        if (++filled > SLOTS / 2)
            sim_fatal("%s touches more than %u words", explore.scenario->name, SLOTS / 2);
        words[i] = (struct word){.at = at, .schedule = schedule};
    }
    return &words[i];
}

void explore_words_store(uint32_t part, uintptr_t at, uint64_t before)
{
    struct word *w = word_at(at);

    if (!w->count)
        w->version[w->count++] = (struct version){before, 0};
    w->version[w->count - 1].value = before;
    if (w->count == VERSIONS) {
        memmove(w->version, w->version + 1, (VERSIONS - 1) * sizeof(w->version[0]));
        w->count--;
    }
    w->version[w->count++] = (struct version){explore_word_read(at), explore.now};
    w->seen[part] = explore.now;
    if (!w->known[part])
        w->known[part] = explore.now + 1;
}

void explore_words_forget(uintptr_t at)
{
    word_at(at)->count = 0;
}

uint32_t explore_words_latest(uint32_t part)
{
    return readers[part].latest;
}

static bool points_near(uint64_t value, uintptr_t at)
{
    if (at + 4096 - value < NEAR_BYTES)
        return true;
    for (uint32_t i = 0; i < sim_options.cpus; i++)
        if (at - percpu_base(i) - value < NEAR_BYTES)
            return true;
    return false;
}

/* L3. */
static uint32_t depends_until(const struct reader *r, const struct word *w, uint32_t part)
{
    uint32_t t;

    if (!w->known[part])
        return r->latest;
    t = w->known[part] - 1 < r->latest ? w->known[part] - 1 : r->latest;
    if (r->forgotten > t)
        t = r->forgotten;
    for (uint32_t i = 0; i < LOADS && i < r->loads; i++)
        if (r->load[i].t > t && points_near(r->load[i].value, w->at))
            t = r->load[i].t;
    return t;
}

/* Versions that were the newest at some time from `floor` on, beside the newest. */
static uint32_t older_versions(const struct word *w, uint32_t floor)
{
    uint32_t n = 0;

    while (n + 1 < w->count && w->version[w->count - 1 - n].since > floor)
        n++;
    return n;
}

void explore_words_note(uint32_t part, uint64_t value, uint32_t t)
{
    struct reader *r = &readers[part];
    uint32_t slot = r->loads % LOADS;

    if (t > r->latest)
        r->latest = t;
    if (!t)
        return;
    if (r->load[slot].t > r->forgotten)
        r->forgotten = r->load[slot].t;
    r->load[slot].value = value;
    r->load[slot].t = t;
    r->loads++;
}

uint32_t explore_words_load(uint32_t part, uintptr_t at, uint32_t floor, bool newest,
                            uint64_t *value)
{
    struct reader *r = &readers[part];
    struct word *w = word_at(at);
    uint32_t t = floor, since = 0, older = 0;

    if (depends_until(r, w, part) > t)
        t = depends_until(r, w, part);
    if (w->seen[part] > t)
        t = w->seen[part];
    if (!newest && (older = older_versions(w, t)) != 0) {
        older =
            explore_choice((uint8_t)(explore_draw(2) ? 0 : explore_draw(older + 1))) % (older + 1);
    }
    if (w->count) {
        since = w->version[w->count - 1 - older].since;
        if (older)
            *value = w->version[w->count - 1 - older].value;
    }
    if (since > t)
        t = since;
    if (since > w->seen[part])
        w->seen[part] = since;
    if (!w->known[part])
        w->known[part] = explore.now + 1;
    explore_words_note(part, *value, t);
    return t;
}
