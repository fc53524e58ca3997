/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a CPU sees of memory, and when the others see what it stores.
 *
 *   sc    at once, both ways.
 *   tso   stores wait in a buffer of the CPU, first in first out, and are forwarded to its own
 * loads. Read-modify-writes and sequentially consistent fences and stores empty it (x86-TSO: Owens,
 *         Sarkar, Sewell, "A Better x86 Memory Model", 2009).
 *   weak  Armv8, multi-copy atomic: memory is one for all. Stores leave the buffer in any order but
 *         for V1-V3, loads may be early (words.c). Relaxed read-modify-writes pass older stores.
 *
 * V1. Stores to one word keep their order. Words are of 8 bytes, whatever the variables in them.
 * V2. A release store leaves last of those before it, and before the CPU's next acquire load
 * (Armv8: store-release to load-acquire is kept). V3. Fences but for acquire ones are DMB ISH: the
 * buffer is emptied, nothing later is early. An acquire fence (DMB ISHLD) keeps later loads behind
 * earlier ones. V4. Ranges (memcpy, copied structs) are read newest, behind all that the CPU
 * stored; ranges longer than a line are written at once, behind the same. Weaker than these the
 * model is never; where it is stronger than Armv8, docs/schedule-exploration.md says so.
 *
 * A plain access is made by the tested code itself, behind the hook. So a read that shall see
 * another value finds it put in place, and a store is moved into the buffer afterwards: both are
 * put right by explore_settle() before anything else happens.
 */
#include <string.h>

#include "arch/sim/explore/explore.h"

#define BUFFER_MAX 16u
#define OPEN_WORDS_MAX 10u /* a line, not aligned */

struct store {
    struct explore_word word;
    uint64_t value;
    uint32_t read_before; /* T of the loads that its value may come from */
    bool release;
};

struct view {
    struct store store[BUFFER_MAX]; /* oldest first */
    uint32_t stores, room;
    uint32_t floor;    /* L1 of words.c */
    uint32_t released; /* when its last release store was seen by all */
};

struct open_word {
    struct explore_word word;
    uint64_t memory; /* what is really there */
    uint64_t view;   /* what this CPU finds there */
};

static struct view views[EXPLORE_CPUS_MAX];
static struct open_word open_words[OPEN_WORDS_MAX];
static uint32_t nr_open;
static bool open_for_write;
uint32_t explore_buffered;

void explore_views_reset(void)
{
    memset(views, 0, sizeof(views));
    nr_open = 0;
    explore_buffered = 0;
    for (uint32_t i = 0; i < EXPLORE_CPUS_MAX; i++)
        views[i].room = 1 + explore_choice((uint8_t)explore_draw(BUFFER_MAX)) % BUFFER_MAX;
    if (explore.memory == EXPLORE_WEAK)
        explore_words_reset();
}

void explore_views_discard(void)
{
    for (uint32_t i = 0; i < EXPLORE_CPUS_MAX; i++)
        views[i].stores = 0;
    explore_buffered = 0;
}

/* --- stores become visible --- */

static void perform(uint32_t part, const struct store *s)
{
    uint64_t before = explore_word_read(s->word.at);

    explore_undo_word(s->word.at);
    explore_word_write(s->word.at, s->word.bits, s->value);
    if (explore.memory == EXPLORE_WEAK)
        explore_words_store(part, s->word.at, before);
    if (s->release)
        views[part].released = explore.now;
    if (explore.awaiting)
        explore_wake_awaiting(s->word.at);
}

static void take_out(uint32_t part, uint32_t i)
{
    struct view *v = &views[part];

    perform(part, &v->store[i]);
    v->stores--;
    memmove(&v->store[i], &v->store[i + 1], (v->stores - i) * sizeof(v->store[0]));
    if (!v->stores)
        explore_buffered &= ~(1u << part);
}

/* V1, V2; tso: the oldest. */
static bool may_leave(const struct view *v, uint32_t i)
{
    if (explore.memory == EXPLORE_TSO || v->store[i].release)
        return i == 0;
    for (uint32_t j = 0; j < i; j++)
        if (v->store[j].word.at == v->store[i].word.at)
            return false;
    return true;
}

void explore_drain_one(uint32_t part)
{
    struct view *v = &views[part];
    uint32_t start, i;

    if (!v->stores)
        return;
    start = explore.memory == EXPLORE_TSO
                ? 0
                : explore_choice((uint8_t)explore_draw(v->stores)) % v->stores;
    for (i = start; !may_leave(v, i);)
        i = (i + 1) % v->stores;
    take_out(part, i);
}

void explore_drain_all(uint32_t part)
{
    while (views[part].stores)
        take_out(part, 0);
}

/* Through the last store that `wanted` names: all of them before it, too. */
static void drain_through(bool (*wanted)(const struct store *s, uintptr_t at), uintptr_t at)
{
    struct view *v = &views[explore.me];
    uint32_t count = 0;

    for (uint32_t i = 0; i < v->stores; i++)
        if (wanted(&v->store[i], at))
            count = i + 1;
    while (count--)
        take_out(explore.me, 0);
}

static bool is_release(const struct store *s, uintptr_t at)
{
    (void)at;
    return s->release;
}

static bool is_of_word(const struct store *s, uintptr_t at)
{
    return s->word.at == at;
}

static void push(struct explore_word word, uint64_t value, bool release)
{
    struct view *v = &views[explore.me];
    struct store s = {word, value, explore_words_latest(explore.me), release};

    if (explore.memory == EXPLORE_SC || explore.quiet) {
        perform(explore.me, &s);
        return;
    }
    if (v->stores == v->room)
        explore_drain_one(explore.me);
    v->store[v->stores++] = s;
    explore_buffered |= 1u << explore.me;
}

/* --- one word --- */

static uint64_t load_word(struct explore_word word, int order)
{
    struct view *v = &views[explore.me];
    bool acquire = explore_is_acquire(order);
    uint32_t i = v->stores, floor, t;
    uint64_t value;

    if (acquire && explore.memory == EXPLORE_WEAK)
        drain_through(is_release, 0);
    for (i = v->stores; i-- > 0;) {
        const struct store *s = &v->store[i];

        if (s->word.at != word.at || !(s->word.bits & word.bits))
            continue;
        if ((s->word.bits & word.bits) == word.bits) {
            if (explore.memory == EXPLORE_WEAK)
                explore_words_note(explore.me, s->value, s->read_before);
            return s->value;
        }
        drain_through(is_of_word, word.at); /* partly ours: no machine forwards that */
        break;
    }
    value = explore_word_read(word.at);
    if (explore.memory != EXPLORE_WEAK)
        return value;
    floor = acquire && v->released > v->floor ? v->released : v->floor;
    t = explore_words_load(explore.me, word.at, floor, explore.quiet, &value);
    if (acquire && t > v->floor)
        v->floor = t;
    return value;
}

/* --- plain accesses --- */

static void keep_open(struct explore_word word, uint64_t view)
{
    if (nr_open == OPEN_WORDS_MAX)
        sim_fatal("a plain access of more than %u words", OPEN_WORDS_MAX);
    open_words[nr_open++] = (struct open_word){word, explore_word_read(word.at), view};
    explore_word_write(word.at, word.bits, view);
}

/* Memory with this CPU's stores made. */
static uint64_t own_view(uintptr_t at)
{
    const struct view *v = &views[explore.me];
    uint64_t value = explore_word_read(at);

    for (uint32_t i = 0; i < v->stores; i++)
        if (v->store[i].word.at == at)
            value = (value & ~v->store[i].word.bits) | (v->store[i].value & v->store[i].word.bits);
    return value;
}

void explore_open_read(uintptr_t address, uint32_t bytes)
{
    open_for_write = false;
    while (bytes) {
        struct explore_word word = explore_next_word(&address, &bytes);
        uint64_t value = load_word(word, __ATOMIC_RELAXED);

        if (!((value ^ explore_word_read(word.at)) & word.bits))
            continue;
        keep_open(word, value);
    }
}

void explore_open_write(uintptr_t address, uint32_t bytes)
{
    open_for_write = true;
    while (bytes) {
        struct explore_word word = explore_next_word(&address, &bytes);

        keep_open(word, own_view(word.at));
    }
}

/* The store has changed nothing, or is yet to come (a hook for each line of a range; gcc calls both
 * hooks of a copied struct before it): either way it counts as made at once, behind all others. */
static void settle_silent_store(void)
{
    explore_drain_all(explore.me);
    for (uint32_t i = 0; i < nr_open; i++) {
        explore_undo_word(open_words[i].word.at);
        if (explore.memory == EXPLORE_WEAK)
            explore_words_forget(open_words[i].word.at);
    }
}

static void settle_store(void)
{
    uint64_t value[OPEN_WORDS_MAX];
    bool changed = false;

    for (uint32_t i = 0; i < nr_open; i++) {
        const struct open_word *o = &open_words[i];

        value[i] = explore_word_read(o->word.at);
        changed |= ((value[i] ^ o->view) & o->word.bits) != 0;
        explore_word_write(o->word.at, o->word.bits, o->memory);
    }
    if (!changed)
        settle_silent_store();
    for (uint32_t i = 0; changed && i < nr_open; i++) {
        explore_trace("write", open_words[i].word.at, 8, value[i], 0);
        push(open_words[i].word, value[i], false);
    }
}

void explore_settle(void)
{
    if (!nr_open)
        return;
    if (open_for_write)
        settle_store();
    else
        for (uint32_t i = 0; i < nr_open; i++)
            explore_word_write(open_words[i].word.at, open_words[i].word.bits,
                               open_words[i].memory);
    nr_open = 0;
}

/* --- atomic accesses: within a word, since they are aligned --- */

static struct explore_word only_word(uintptr_t address, uint32_t bytes)
{
    return explore_next_word(&address, &bytes);
}

uint64_t explore_load(uintptr_t address, uint32_t bytes, int order)
{
    struct explore_word word = only_word(address, bytes);

    return (load_word(word, order) & word.bits) >> __builtin_ctzll(word.bits);
}

void explore_store(uintptr_t address, uint32_t bytes, uint64_t value, int order)
{
    struct explore_word word = only_word(address, bytes);

    push(word, value << __builtin_ctzll(word.bits), explore_is_release(order));
    if (order == __ATOMIC_SEQ_CST && explore.memory == EXPLORE_TSO)
        explore_drain_all(explore.me);
}

void explore_ready_rmw(uintptr_t address, uint32_t bytes, int order)
{
    uintptr_t at = only_word(address, bytes).at;

    if (explore.memory == EXPLORE_TSO || explore_is_release(order))
        explore_drain_all(explore.me);
    else
        drain_through(is_of_word, at);
    if (explore_is_acquire(order))
        drain_through(is_release, 0);
    explore_undo_word(at);
}

void explore_done_rmw(uintptr_t address, uint32_t bytes, uint64_t old, bool wrote, int order)
{
    struct explore_word word = only_word(address, bytes);
    struct view *v = &views[explore.me];
    uint64_t before = explore_word_read(word.at);
    uint32_t t;

    if (wrote && explore.awaiting)
        explore_wake_awaiting(word.at);
    if (explore.memory != EXPLORE_WEAK)
        return;
    before = (before & ~word.bits) | (old << __builtin_ctzll(word.bits) & word.bits);
    t = explore_words_load(explore.me, word.at,
                           explore_is_acquire(order) && v->released > v->floor ? v->released
                                                                               : v->floor,
                           true, &before);
    if (explore_is_acquire(order) && t > v->floor)
        v->floor = t;
    if (!wrote)
        return;
    explore_words_store(explore.me, word.at, before);
    if (explore_is_release(order))
        v->released = explore.now;
}

void explore_full_barrier(void)
{
    explore_drain_all(explore.me);
    views[explore.me].floor = explore.now;
}

void explore_fence(int order)
{
    struct view *v = &views[explore.me];

    if (explore.memory == EXPLORE_TSO) {
        if (order == __ATOMIC_SEQ_CST)
            explore_drain_all(explore.me);
    } else if (explore_is_release(order)) {
        explore_full_barrier();
    } else if (order != __ATOMIC_RELAXED && explore_words_latest(explore.me) > v->floor) {
        v->floor = explore_words_latest(explore.me);
    }
}
