/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's middle: what the tested code does arrives here, access by access, and a backend
 * decides what it costs and who runs next.
 *
 *     core/ counters/ bench/ tests/         unchanged, compiled with the compiler's thread-sanitizer
 *        │ each access to memory              instrumentation; never linked with its library
 *        v
 *     hooks.c  hooks_atomic.c  percpu.c  string.c      the functions that the compiler calls
 *        │ accesses to the modelled range only (<port/layout.h>)
 *        v
 *     struct sim_backend                    one at a time, chosen by backend= on the command line
 *        ├ timed      a machine with caches, in simulated time       (timed/)
 *        ├ turns      round robin, every access takes 1 ns           (turns.c)
 *        ├ explore    schedules at random, three memories            (explore/)
 *        └ …          a backend is one file: SIM_BACKEND(object)
 *        │ sim_switch_to()
 *        v
 *     cpus.c, on_<host>/switch.S            CPUs are coroutines on ONE host thread
 *
 * What a backend may rely on:
 * B1. One CPU runs at a time, sim_this. It runs until the backend itself switches, in one of the
 *     functions below; nothing preempts.
 * B2. plain() is called BEFORE the access, which the tested code makes itself as soon as plain()
 *     returns, with nothing in between. So a backend may switch away in plain() as long as it
 *     likes, but what it knows of the line must be true when it returns. A plain access that
 *     crosses a line is reported once, with its first address.
 * B3. Atomic accesses and those of this_cpu_* are made by the backend: load(), store(), rmw() and
 *     cas() take and return the values, so that it may delay stores, or let loads read older
 *     values. sim_do_load() and its like below make them at once.
 * B4. this_cpu_* come as percpu_*: the CPU's own unit, which other CPUs may only read. No interrupt
 *     exists, so a read-modify-write of them is one access.
 * B5. Memory ranges (memset, memcpy, compared) come as one plain() for each 64-byte line, or as
 *     range() where the backend has it; the access follows all of them.
 * B6. The boot CPU is sim_cpus[0]; it runs from the start. cpu_start() says that another one may
 *     run from now on, from the beginning of its stack. park() is arch_cpu_park(): return when
 *     kicked. Kicks are kept (sim_cpu.kicked): cpus.c sets it, park() must look at it first.
 * B7. All of the backend's own data is outside of the modelled range, hence invisible; its code is
 *     not instrumented. It may use the C library, but no time, no randomness but from
 *     sim_options.seed, no addresses of host objects where a result could depend on them.
 *
 * Cost: a call through a pointer for each access, some 2 ns of host time.
 */
#ifndef ARCH_SIM_BACKEND_H
#define ARCH_SIM_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <port/layout.h>

/* Memory orders arrive as the compiler's numbers: __ATOMIC_RELAXED … __ATOMIC_SEQ_CST. */

enum sim_rmw {
    SIM_EXCHANGE,
    SIM_ADD,
    SIM_SUB,
    SIM_AND,
    SIM_OR,
    SIM_XOR,
    SIM_NAND,
};

struct sim_cpu {
    void *sp; /* saved stack pointer while it does not run */
    uint32_t id;
    uint64_t hw_id;
    uintptr_t base; /* its per-CPU unit: this_cpu_base() */
    uintptr_t stack_low, stack_top;
    bool started;
    bool kicked; /* arch_cpu_kick() came and park() has not returned for it yet */
};

struct sim_backend {
    const char *name, *summary;
    const char *params; /* optional: the kernel's parameters with this backend, if not given */
    uint32_t cpus;      /* optional: smp= if not given */
    /* It makes stores late and brings back what memory held before: what the port does to memory
     * itself then comes behind a fence, and arch_unmap leaves contents alone. */
    bool explores;
    /* Once, before the boot CPU runs; sim_options and sim_cpus are set. */
    void (*init)(void);

    /* Optional: "name=value" of the command line; false: not this backend's. Told to the user when
     * another backend runs: what chooses this one. */
    bool (*argument)(const char *text);
    const char *chosen_by;
    /* Optional: takes what the tested code prints; false: it goes to standard output. */
    bool (*output)(const char *text, size_t bytes);

    void (*plain)(uintptr_t address, uint32_t bytes, bool write, bool is_volatile);
    /* Optional, else plain(): a part of a range within one line, whose access may come behind
     * further calls for the same range and for another one (memcpy). */
    void (*range)(uintptr_t address, uint32_t bytes, bool write);
    uint64_t (*load)(uintptr_t address, uint32_t bytes, int order);
    void (*store)(uintptr_t address, uint32_t bytes, uint64_t value, int order);
    uint64_t (*rmw)(uintptr_t address, uint32_t bytes, enum sim_rmw op, uint64_t operand,
                    int order);
    /* *expected is updated on failure. weak: it may fail for no reason. */
    bool (*cas)(uintptr_t address, uint32_t bytes, uint64_t *expected, uint64_t desired, int order,
                int fail_order, bool weak);
    void (*fence)(int order);

    uint64_t (*percpu_load)(uintptr_t address, uint32_t bytes);
    void (*percpu_store)(uintptr_t address, uint32_t bytes, uint64_t value);
    /* Both are one access to the CPU's own unit, not atomic against others. */
    void (*percpu_add)(uintptr_t address, uint32_t bytes, uint64_t amount);
    bool (*percpu_cas)(uintptr_t address, uint32_t bytes, uint64_t *expected, uint64_t desired);

    void (*relax)(void);     /* cpu_relax() */
    uint64_t (*stamp)(void); /* arch_stamp(): ns */
    uint64_t (*stamp_loose)(void);

    /* Optional: arch_measures(): what the operations from here on are. */
    void (*measures)(const char *storm, const char *design, const char *what);
    void (*operations)(uint64_t n); /* optional: arch_operations_done() */

    /* Optional: arch_sleep_word() and arch_wake_word(), for a test that lets CPUs sleep; else the
     * one relaxes and the other does nothing. */
    void (*sleep)(uintptr_t word, uint32_t old);
    void (*wake)(uintptr_t word);

    void (*cpu_start)(struct sim_cpu *cpu);
    void (*park)(void);
    void (*kick)(struct sim_cpu *cpu); /* `kicked` is set already; the CPU may not be parked */
    /* Optional: the CPU halts for good, or the run ends: only `sim_this` runs from now on. */
    void (*alone)(void);
};

/* A backend registers itself by existing. */
#define SIM_BACKEND(object)                                                                        \
    static const struct sim_backend *const object##_listed                                         \
        __attribute__((used, section("sim_backends"), aligned(sizeof(void *)))) = &(object)

extern const struct sim_backend *sim_backend; /* the chosen one */
extern struct sim_cpu *sim_this;              /* who runs */
extern struct sim_cpu *sim_cpus;              /* sim_options.cpus of them, by id (= hardware id) */

struct sim_options {
    uint32_t cpus;
    uint64_t memory_bytes;
    uint64_t seed;       /* the kernel's seed= as well */
    const char *machine; /* machine=: a name or a path, or NULL */
    const char *backend; /* backend=, or NULL */
};
extern struct sim_options sim_options;

/* Lets `next` run; returns when somebody switches back to the caller. next == sim_this: at once. */
void sim_switch_to(struct sim_cpu *next);

/* Ends the process at any time: no CPU can run any more, a broken invariant (exit status 1). */
_Noreturn void sim_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The accesses themselves, at once. */
uint64_t sim_do_load(uintptr_t address, uint32_t bytes);
void sim_do_store(uintptr_t address, uint32_t bytes, uint64_t value);
uint64_t sim_do_rmw(uintptr_t address, uint32_t bytes, enum sim_rmw op, uint64_t operand);
bool sim_do_cas(uintptr_t address, uint32_t bytes, uint64_t *expected, uint64_t desired);

/* Deterministic random numbers for backends (xorshift64*; Vigna, "An experimental exploration of
 * Marsaglia's xorshift generators, scrambled", 2014). *state != 0. */
static inline uint64_t sim_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 0x2545f4914f6cdd1dull;
}

#endif
