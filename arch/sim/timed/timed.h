/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The timed machine: a backend that says when things happen on a machine with caches.
 *
 *   timed.c       the backend's functions: what each kind of access costs
 *   schedule.c    CPUs in a heap by local time; who runs; waiting and waking
 *   lines.c       where each line's state is; lines that only one CPU uses
 *   stores.c      store buffers
 *   values.c      what a buffered atomic store wrote, until it is seen
 *   parking.c     spin loops
 *   coherence.c   a miss: who answers, when it arrives, whose copies end
 *   costs.c       instructions beside the accesses
 *
 * Time is in picoseconds, each CPU has its own. docs/simulated-machine.md has the rules, R1 … R8,
 * cited where they are kept.
 *
 * T1. Whoever touches a shared line is the CPU with the least local time: state and host values
 *     change in the order of simulated time. Only hits on private lines run ahead, and loads of lines
 *     that nobody has stored to lately (R1).
 * T2. When a request is made, everything about it is settled at once: when it is served, which
 *     copies end and when. The requester then waits until then, and makes its access. A buffered
 *     store may be made later still, behind those before it, and is not charged a second way when
 *     the line is promised to others by then.
 * T3. A CPU that parks on a line is woken by the next store to it (parking.c): it
 *     parks only when its copy has no end yet, the line's version is still that of its read, and
 *     no store was then still to be seen.
 */
#ifndef ARCH_SIM_TIMED_H
#define ARCH_SIM_TIMED_H

#include "arch/sim/backend.h"
#include "arch/sim/description.h"

#define NEVER UINT64_MAX
#define STORE_BUFFER_MAX 64u
#define TLB_MAX 256u
#define NO_CPU UINT32_MAX

struct timed_costs {
    uint64_t l1, atomic, percpu;
};

struct pending_store {
    uint32_t line;        /* number of the line */
    uint64_t done, bytes; /* a bit for each byte of the line that was stored to */
};

#define WATCHES 4u
struct timed_watch {
    uint32_t line, version, next;
    uint64_t at; /* when it was read, or asked for */
};

/* Written by its own CPU's accesses; one host thread, so no more is needed. */
struct timed_cpu {
    uint64_t now, limit; /* ps; it may run ahead to `limit` (R1) */
    const struct timed_costs *costs;
    uint32_t tag;                        /* in struct line_slot: id + 1 */
    struct timed_watch watches[WATCHES]; /* parking.c: loaded since the last cpu_relax() */
    uint32_t nr_watches;                 /* WATCHES + 1: there were more */
    bool saw_clock;                      /* the time was looked at since then */
    bool parked;
    uint32_t nr_stores;

    uint32_t id, cluster, core_in_cluster, socket, sibling;
    bool busy;   /* neither halted nor parked: slows its sibling down */
    bool halted; /* in park() */
    struct pending_store stores[STORE_BUFFER_MAX];
    uint32_t tlb[TLB_MAX];
    uint64_t accesses, misses, waited_ps;
    uint64_t commit; /* when the store that it just made is seen */
    uint64_t bytes;  /* of the line that it touches, a bit for each */
};
extern struct timed_cpu *timed_cpus;
extern struct timed_cpu *timed_me; /* of sim_this */

/* The machine in ps. */
struct timed_machine {
    uint32_t clusters, cores; /* of all sockets; in a cluster */
    uint32_t clusters_per_socket, sockets;
    uint32_t cpus_per_socket;
    struct timed_costs alone, shared; /* by whether the sibling is busy */
    uint64_t smt, cluster, socket, far, far2, cluster_busy, home_busy, cold, cold_far, tlb, relax,
        wake, operation, stamp;
    uint32_t store_buffer, tlb_mask;
    bool pair_prefetch, tso;
    double alpha, rho, jitter, home_far;
};
extern struct timed_machine timed;

/* --- schedule.c --- */
void schedule_init(void);
/* Waits until this CPU has the least local time (T1). */
void schedule_sync(void);
/* The same when it has run ahead too far. */
void schedule_pause(void);
static inline void schedule_check(void)
{
    if (__builtin_expect(timed_me->now > timed_me->limit, 0))
        schedule_pause();
}
/* `cpu` may run from its `now` on. */
void schedule_add(struct timed_cpu *cpu);
/* Gives way until another CPU wakes this one, or until `at`. */
void schedule_sleep(uint64_t at);
/* A sleeping CPU goes on at `at`, or at its own time if that is later. */
void schedule_wake(struct timed_cpu *cpu, uint64_t at);
void schedule_only_me(void);
/* No CPU that is awake has a local time before this. */
uint64_t schedule_oldest(void);
void schedule_set_busy(struct timed_cpu *cpu, bool busy);

/* --- lines.c --- */
#define TAG_UNTOUCHED 0u
#define TAG_SHARED UINT32_MAX

struct line_slot {
    uint32_t tag;    /* TAG_UNTOUCHED, TAG_SHARED, or id + 1 of the one CPU that uses it */
    uint32_t record; /* 1 + index of its record; 0: it never had one */
};
#define LINE_BLOCK 1024u /* records are allocated so many at once */
#define LINE_SLOTS ((struct line_slot *)0x10000000000ull)

static inline uint32_t line_number(uintptr_t address)
{
    return (uint32_t)((address - SIM_BASE) >> SIM_LINE_SHIFT);
}

static inline uintptr_t line_address(uint32_t number)
{
    return SIM_BASE + ((uintptr_t)number << SIM_LINE_SHIFT);
}

/* A right to the line, of a cluster or of a core in it: to read it in [from, until), to write it
 * before `writes_until` (0: never). until = 0: none. */
struct grant {
    uint64_t from, until, writes_until;
};

static inline bool grant_allows(const struct grant *g, uint64_t t, bool write)
{
    return t < g->until && (!write || t < g->writes_until);
}

struct cluster_copy {
    uint32_t cluster, slot; /* where it is in the line's table */
    struct grant now, next;
    uint64_t free;   /* when its queue can serve the next one, of `now` or `next` */
    uint64_t copies; /* cores whose copy has no end yet */
    uint64_t requests;
    struct cluster_copy *then; /* lines.c, while it is spare */
    struct grant core[];       /* timed.cores of them */
};

struct line {
    uint32_t number, home; /* home: socket */
    uint32_t version;      /* stores so far */
    uint32_t streak;       /* hits in a row by streak_cpu, as its exclusive owner */
    uint32_t streak_cpu, last_cpu;
    uint32_t parked;     /* first watch of the chain (parking.c), NO_CPU: none */
    uint32_t owner;      /* cluster that answers: the last exclusive one; NO_CPU: home's memory */
    uint64_t last_store; /* when it was last stored to, or will be */
    uint64_t home_free;
    uint32_t capacity, used; /* of the table of clusters */
    struct cluster_copy **table;
    uint64_t *holders;             /* a bit for each slot of the table: L3 */
    struct delayed_value *delayed; /* values.c, in the order in which they are seen */
    /* Counted for the report. */
    uint64_t fabric, local, ended_copies, queued_ps, waited_ps;
};

void lines_init(void);
/* The line is its exclusive user's alone again. */
void line_make_private(struct line *line, const struct timed_cpu *cpu);
struct cluster_copy *line_cluster_find(struct line *line, uint32_t cluster);
static inline struct cluster_copy *line_cluster(struct line *line, uint32_t cluster)
{
    if (__builtin_expect(line->capacity != 0, 1)) {
        struct cluster_copy *first = line->table[cluster & (line->capacity - 1)];

        if (__builtin_expect(first && first->cluster == cluster, 1))
            return first;
    }
    return line_cluster_find(line, cluster);
}
/* L3: the cluster has got a copy without an end; its copies have all got one. */
static inline void line_hold(struct line *line, const struct cluster_copy *c)
{
    line->holders[c->slot / 64] |= 1ull << (c->slot % 64);
}
static inline void line_release(struct line *line, const struct cluster_copy *c)
{
    line->holders[c->slot / 64] &= ~(1ull << (c->slot % 64));
}
/* The first holder at or behind slot `at`, or NULL. */
static inline struct cluster_copy *line_holder(const struct line *line, uint32_t at)
{
    for (uint32_t word = at / 64; 64 * word < line->capacity; word++) {
        uint64_t bits = line->holders[word] & (word == at / 64 ? ~0ull << (at % 64) : ~0ull);

        if (bits)
            return line->table[64 * word + (uint32_t)__builtin_ctzll(bits)];
    }
    return NULL;
}
uint32_t lines_count(void);
extern bool lines_counted; /* the contention profile is being taken */
extern struct line *line_blocks[];
static inline struct line *line_by_index(uint32_t index)
{
    return &line_blocks[index / LINE_BLOCK][index % LINE_BLOCK];
}
/* The record of a line that more than one CPU uses, made when there is none. */
struct line *line_make_shared(uint32_t number);
static inline struct line *line_share(uint32_t number)
{
    struct line_slot slot = LINE_SLOTS[number];

    if (__builtin_expect(slot.tag == TAG_SHARED, 1))
        return line_by_index(slot.record - 1);
    return line_make_shared(number);
}
uint32_t line_home(uint32_t number);

/* --- coherence.c --- */
enum touch {
    TOUCH_LOAD,
    TOUCH_WATCH,   /* an atomic load: the word may be waited for */
    TOUCH_STORE,   /* may stay in the store buffer */
    TOUCH_RELEASE, /* may too, and is not seen before the stores before it */
    TOUCH_OWN,     /* atomic, or a store that is to be seen before what follows */
};
void coherence_init(void);
/* Everything but a hit on a private line: returns when the access may be made. */
void coherence_touch(uint32_t number, enum touch touch);

/* --- values.c: what buffered atomic stores wrote, until they are seen (R6) --- */
struct delayed_value;
/* The access just touched is a store: it is seen at timed_me->commit, and written to memory then. */
void values_store(uintptr_t address, uint32_t bytes, uint64_t value);
/* As this CPU sees it: with its own stores that nobody else sees yet. */
uint64_t values_load(uintptr_t address, uint32_t bytes);
void values_settle_line(struct line *line, uintptr_t address, uint32_t bytes);
/* Before an access: what others stored and can be seen by now is in memory, and all of one's own. */
static inline void values_settle(uintptr_t address, uint32_t bytes)
{
    struct line_slot slot = LINE_SLOTS[line_number(address)];

    if (__builtin_expect(slot.record != 0, 0) && line_by_index(slot.record - 1)->delayed)
        values_settle_line(line_by_index(slot.record - 1), address, bytes);
}

/* --- stores.c --- */
struct pending_store *stores_find(uint32_t number);
/* When all that are pending will be done; 0: none is. */
uint64_t stores_last(void);
/* Waits for room. */
void stores_add(uint32_t number, uint64_t done);
/* Waits for all pending stores. */
void stores_drain(void);

/* --- parking.c --- */
/* cpu_relax(): parks on the line read last when that is safe (T3), or lets a little time pass. */
void parking_relax(void);
/* An atomic load of the line, at its version. */
static inline void parking_watch(uint32_t number, uint32_t version)
{
    struct timed_cpu *me = timed_me;

    for (uint32_t i = 0; i < me->nr_watches && i < WATCHES; i++)
        if (me->watches[i].line == number)
            return;
    if (me->nr_watches < WATCHES)
        me->watches[me->nr_watches] = (struct timed_watch){number, version, 0, me->now};
    if (me->nr_watches <= WATCHES)
        me->nr_watches++;
}
/* A store to the line will be made at `at`: its waiters look again when their copies end. */
void parking_wake(struct line *line, uint64_t at);

/* --- costs.c --- */
void costs_init(void);
void costs_measure(const char *storm, const char *design, const char *what);
/* timed.c: instructions beside each access; what an operation takes more than the machine says. */
void timed_set_costs(double instructions, double rest_ns);

#endif
