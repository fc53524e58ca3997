/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a shared line costs: hits, the cluster's queue, the way through the fabric.
 *
 *   request ──> hit in the core's own copy                      R2
 *          ──> the cluster's queue, where the cluster may       R3
 *          ──> the line's home: first in, first out             R4
 *
 * All is settled when the request is made (T2): a copy that has to end later carries its end with
 * it, a copy that is to come its beginning. The old owner keeps its copy until the data leaves (R5),
 * and whoever waits in its cluster then is served before.
 *
 * C1. Of all clusters, at most one has an exclusive grant without an end.
 * C2. A core's exclusive copy lies within its cluster's exclusive grant.
 * C3. home_free is not earlier than the beginning of any exclusive grant.
 */
#include "arch/sim/timed/timed.h"

static uint64_t random_state;

void coherence_init(void)
{
    random_state = (sim_options.seed + 1) * 0x9e3779b97f4a7c15ull | 1;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t sooner(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static struct grant *my_core(struct cluster_copy *c)
{
    return &c->core[timed_me->core_in_cluster];
}

/* The grant that was under way has come. */
static void promote(struct cluster_copy *c, uint64_t t)
{
    if (c->next.until && t >= c->next.from) {
        c->now = c->next;
        c->next = (struct grant){0, 0, 0};
    }
}

/* --- whose copies end --- */

static void end_grant(struct grant *g, uint64_t end)
{
    g->until = sooner(g->until, end);
    g->writes_until = sooner(g->writes_until, end);
}

static void end_copies(struct line *line, struct cluster_copy *c, uint64_t copies, uint64_t end)
{
    for (uint64_t left = c->copies & copies; left; left &= left - 1) {
        end_grant(&c->core[__builtin_ctzll(left)], end);
        line->ended_copies++;
    }
    c->copies &= ~copies;
}

/* --- the fabric --- */

static uint32_t hops(uint32_t a, uint32_t b)
{
    return (uint32_t)__builtin_popcount(a ^ b);
}

static uint64_t distance(uint32_t socket_a, uint32_t socket_b)
{
    uint32_t way = hops(socket_a, socket_b);

    return way == 0 ? timed.socket : way == 1 ? timed.far : timed.far2;
}

static uint32_t socket_of(uint32_t cluster)
{
    return cluster / timed.clusters_per_socket;
}

/* The request goes by the home, which is on the way only if requester or answerer are there. */
static uint64_t way_to(const struct line *line, uint32_t socket)
{
    uint64_t direct = distance(timed_me->socket, socket);
    uint64_t by_home = distance(timed_me->socket, line->home);

    if (by_home <= direct)
        return direct;
    return direct + (uint64_t)(timed.home_far * (double)(by_home - direct));
}

/* R8 */
static uint64_t jittered(uint64_t ps)
{
    double unit = (double)(sim_random(&random_state) >> 11) * 0x1p-53;

    return (uint64_t)((double)ps * (1 + timed.jitter * (2 * unit - 1)));
}

static bool has_copies(const struct cluster_copy *c, uint64_t t)
{
    return c->next.until == NEVER || (c->now.until == NEVER && c->now.from <= t);
}

/* R4: to the owner for a load, to the farthest copy for a store. */
static uint64_t latency(struct line *line, bool exclusive)
{
    uint64_t t = timed_me->now, most = 0;

    if (!exclusive && line->owner != NO_CPU)
        return way_to(line, socket_of(line->owner));
    for (const struct cluster_copy *c = exclusive ? line_holder(line, 0) : NULL; c;
         c = line_holder(line, c->slot + 1))
        if (c->cluster != timed_me->cluster && has_copies(c, t))
            most = later(most, way_to(line, socket_of(c->cluster)));
    return most ? most : distance(timed_me->socket, line->home);
}

/* The other clusters lose the line when its data leave, R5; returns when it can arrive. */
static uint64_t take_from_others(struct line *line, struct cluster_copy *mine, uint64_t arrives,
                                 uint64_t behind)
{
    uint64_t leaves = arrives - behind;
    struct cluster_copy *c;

    for (c = line_holder(line, 0); c; c = line_holder(line, c->slot + 1))
        if (c != mine && has_copies(c, timed_me->now))
            leaves = later(leaves, c->free);
    for (c = line_holder(line, 0); c; c = line_holder(line, c->slot + 1)) {
        if (c == mine)
            continue;
        end_copies(line, c, ~0ull, leaves);
        end_grant(&c->now, leaves);
        end_grant(&c->next, leaves);
        line_release(line, c);
    }
    return leaves + behind;
}

/* The cores may read on, and write no more. */
static void end_writes(struct cluster_copy *c, uint64_t copies, uint64_t end)
{
    for (uint64_t left = c->copies & copies; left; left &= left - 1) {
        struct grant *core = &c->core[__builtin_ctzll(left)];

        core->writes_until = sooner(core->writes_until, end);
    }
}

/* The owner answers a load when its own cluster's writers have been served, R5. */
static uint64_t share_with_others(struct line *line, uint64_t arrives, uint64_t behind)
{
    struct cluster_copy *c = line->owner == NO_CPU ? NULL : line_cluster(line, line->owner);
    uint64_t leaves = arrives - behind;

    if (!c)
        return arrives;
    if (c->now.writes_until == NEVER || c->next.writes_until == NEVER)
        leaves = later(leaves, c->free);
    c->now.writes_until = sooner(c->now.writes_until, leaves);
    c->next.writes_until = sooner(c->next.writes_until, leaves);
    end_writes(c, ~0ull, leaves);
    return leaves + behind;
}

/* One request of this cluster; when its answer arrives. */
static uint64_t ask_home(struct line *line, struct cluster_copy *mine, bool exclusive)
{
    uint64_t t = timed_me->now, start = later(t, line->home_free);
    uint64_t whole = jittered(latency(line, exclusive)), waited = start - t;
    uint64_t least = (uint64_t)(timed.rho * (double)whole);
    uint64_t way = whole > waited + least ? whole - waited : least;
    uint64_t behind = (uint64_t)((1 - timed.alpha) * (double)whole);
    uint64_t arrives;

    behind = sooner(behind, way);
    arrives = start + way;
    line->fabric++;
    line->queued_ps += waited;
    if (exclusive) {
        arrives = take_from_others(line, mine, arrives, behind);
        line->home_free = arrives;
        line->owner = mine->cluster;
    } else {
        arrives = share_with_others(line, arrives, behind);
        line->home_free = start + timed.home_busy;
    }
    mine->next = (struct grant){arrives, NEVER, exclusive ? NEVER : 0};
    mine->free = arrives;
    line_hold(line, mine);
    return arrives;
}

/* --- one request --- */

/* Gives this core its copy from `at` on, for as long as the cluster has its own under `g`. */
static void give_core(struct line *line, struct cluster_copy *c, const struct grant *g,
                      bool exclusive, uint64_t at)
{
    uint64_t mine = 1ull << timed_me->core_in_cluster;
    uint64_t begins = at > timed.cluster ? at - timed.cluster : 0;

    if (exclusive)
        end_copies(line, c, ~mine, begins);
    else
        end_writes(c, ~mine, begins);
    *my_core(c) = (struct grant){at, g->until, exclusive ? g->writes_until : 0};
    if (g->until == NEVER)
        c->copies |= mine;
}

/* R3: the cluster's queue under grant `g`; 0 when the line is gone before its turn. */
static uint64_t serve_in_cluster(struct line *line, struct cluster_copy *c, const struct grant *g,
                                 bool exclusive)
{
    uint64_t start = later(later(timed_me->now, c->free), g->from), done = start + timed.cluster;

    if (!grant_allows(g, done - 1, exclusive))
        return 0;
    c->free = exclusive ? done : start + timed.cluster_busy;
    line->local++;
    give_core(line, c, g, exclusive, done);
    return done;
}

/* When the request is served; *again: nothing is settled, ask once more then. */
static uint64_t settle(struct line *line, struct cluster_copy *c, bool exclusive, bool *again)
{
    uint64_t t = timed_me->now, done;

    *again = false;
    if (c->now.from <= t && grant_allows(&c->now, t, exclusive)) {
        done = serve_in_cluster(line, c, &c->now, exclusive);
        if (done)
            return done;
    }
    if (c->next.until) {
        if (grant_allows(&c->next, t, exclusive)) {
            done = serve_in_cluster(line, c, &c->next, exclusive);
            if (done)
                return done;
        }
        *again = true;
        if (exclusive)
            return c->next.writes_until ? later(c->next.writes_until, t + 1) : c->next.from;
        return later(c->next.until, t + 1);
    }
    done = ask_home(line, c, exclusive);
    if (exclusive) /* an upgrade: the cluster's own copies end too */
        end_grant(&c->now, done);
    give_core(line, c, &c->next, exclusive, done);
    return done;
}

static bool has_hit(const struct grant *core, uint64_t t, bool exclusive)
{
    return core->from <= t && grant_allows(core, t, exclusive);
}

/* A line that one CPU alone writes again and again becomes its own. A load does not count: a line
 * that somebody watches must not be his alone. */
#define STREAK 8u
static void count_streak(struct line *line, const struct grant *core, bool exclusive)
{
    if (line->streak_cpu != timed_me->id) {
        line->streak_cpu = timed_me->id;
        line->streak = 0;
    }
    line->streak += exclusive;
    if (line->streak >= STREAK && core->writes_until == NEVER && line->parked == NO_CPU)
        line_make_private(line, timed_me);
}

/* Between siblings a line passes through the core's own cache. */
static void note_user(struct line *line)
{
    uint32_t last = line->last_cpu;

    if (last == timed_me->id)
        return;
    if (last != NO_CPU && last == timed_me->sibling)
        timed_me->now += timed.smt;
    line->last_cpu = timed_me->id;
}

/* R6: a store is seen when those before it are. The line stays until then. */
static uint64_t commit(struct line *line, struct cluster_copy *c, enum touch touch, uint64_t done)
{
    uint64_t last = timed.tso || touch == TOUCH_RELEASE ? stores_last() : 0;

    if (last <= done)
        return done;
    c->free = later(c->free, last);
    line->home_free = later(line->home_free, last);
    line->last_store = later(line->last_store, last);
    return last;
}

static bool is_buffered(enum touch touch)
{
    return touch == TOUCH_STORE || touch == TOUCH_RELEASE;
}

static void hit(struct line *line, const struct grant *core, bool exclusive)
{
    note_user(line);
    if (exclusive) {
        line->last_store = later(line->last_store, timed_me->now);
        line->version++;
        if (line->parked != NO_CPU)
            parking_wake(line, timed_me->now + timed.smt);
    }
    count_streak(line, core, exclusive);
}

static void prefetch_pair(uint32_t number);

static void miss(struct line *line, struct cluster_copy *c, uint64_t done, enum touch touch)
{
    uint64_t begun = timed_me->now;

    c->requests++;
    timed_me->misses++;
    line->streak = 0;
    line->last_cpu = timed_me->id;
    line->waited_ps += done - begun;
    if (touch >= TOUCH_STORE) {
        line->last_store = later(line->last_store, done);
        line->version++;
        if (line->parked != NO_CPU)
            parking_wake(line, done);
    }
    if (timed.pair_prefetch)
        prefetch_pair(line->number ^ 1);
    if (is_buffered(touch)) {
        timed_me->commit = commit(line, c, touch, done);
        stores_add(line->number, timed_me->commit);
        schedule_sync(); /* T1: it may have waited for room */
        return;
    }
    timed_me->waited_ps += done - begun;
    timed_me->now = done;
    schedule_sync();
}

static void wait_until(struct line *line, uint64_t until)
{
    line->waited_ps += until - timed_me->now;
    timed_me->waited_ps += until - timed_me->now;
    timed_me->now = until;
}

static void first_touch(uint32_t number, enum touch touch)
{
    uint64_t done =
        timed_me->now + (line_home(number) == timed_me->socket ? timed.cold : timed.cold_far);

    LINE_SLOTS[number].tag = timed_me->tag;
    if (is_buffered(touch))
        stores_add(number, done);
    else
        timed_me->now = done;
    if (touch == TOUCH_WATCH)
        parking_watch(number, 0);
}

/* Adjacent-line prefetch: a miss asks for the other half of 128 bytes too (Intel, "Optimization
 * Reference Manual", spatial prefetcher), unless that was never touched; nobody waits for it, but its owner's copy is no longer
 * exclusive. */
static void prefetch_pair(uint32_t number)
{
    struct line_slot *slot = &LINE_SLOTS[number];
    struct line *line;
    struct cluster_copy *c;
    uint64_t done;

    if (slot->tag == TAG_UNTOUCHED || slot->tag == timed_me->tag)
        return;
    line = line_share(number);
    c = line_cluster(line, timed_me->cluster);
    promote(c, timed_me->now);
    if (c->next.until || c->now.until > timed_me->now)
        return; /* there, or on its way */
    done = ask_home(line, c, false);
    give_core(line, c, &c->next, false, done);
}

/* A line that nobody has stored to for long is likely to stay so: a load that hits need not wait for
 * its turn (R1). */
#define READ_MOSTLY_PS 2000000u
static bool hits_read_mostly(uint32_t number, enum touch touch)
{
    struct line_slot slot = LINE_SLOTS[number];
    const struct grant *core;
    struct line *line;

    if (touch >= TOUCH_STORE || slot.tag != TAG_SHARED)
        return false;
    line = line_by_index(slot.record - 1);
    if (line->last_store + READ_MOSTLY_PS > timed_me->now)
        return false;
    core = my_core(line_cluster(line, timed_me->cluster));
    if (core->until != NEVER || core->from > timed_me->now)
        return false;
    if (touch == TOUCH_WATCH)
        parking_watch(number, line->version);
    return true;
}

void coherence_touch(uint32_t number, enum touch touch)
{
    bool exclusive = touch >= TOUCH_STORE, again = true;

    if (touch == TOUCH_OWN)
        stores_drain();
    else if (hits_read_mostly(number, touch))
        return;
    while (again) {
        struct line_slot *slot = &LINE_SLOTS[number];
        struct cluster_copy *c;
        struct grant *core;
        struct pending_store *pending;
        struct line *line;
        uint32_t version;
        uint64_t done;

        schedule_sync();
        if (slot->tag == timed_me->tag) {
            if (touch == TOUCH_WATCH)
                parking_watch(number, 0);
            return;
        }
        if (slot->tag == TAG_UNTOUCHED) {
            first_touch(number, touch);
            return;
        }
        line = line_share(number);
        c = line_cluster(line, timed_me->cluster);
        promote(c, timed_me->now);
        core = my_core(c);
        version = line->version;
        if (has_hit(core, timed_me->now, exclusive)) {
            if (touch == TOUCH_WATCH)
                parking_watch(number, version);
            hit(line, core, exclusive);
            if (is_buffered(touch))
                timed_me->commit = commit(line, c, touch, timed_me->now);
            return;
        }
        pending = touch == TOUCH_OWN ? NULL : stores_find(number);
        if (pending && !exclusive && (timed_me->bytes & ~pending->bytes)) {
            wait_until(line, pending->done); /* only what was stored can be taken from the buffer */
            continue;
        }
        if (pending) {
            pending->bytes |= exclusive ? timed_me->bytes : 0;
            timed_me->saw_clock |= touch == TOUCH_WATCH; /* it may not be waited for yet */
            if (is_buffered(touch))
                timed_me->commit = pending->done = commit(line, c, touch, pending->done);
            return;
        }
        done = settle(line, c, exclusive, &again);
        if (again) {
            wait_until(line, done);
            continue;
        }
        if (touch == TOUCH_WATCH)
            parking_watch(number, version);
        miss(line, c, done, touch);
    }
}
