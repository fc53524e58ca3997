/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ours, "slots": residuals by concurrency id, not by CPU. k tasks of a process that run at once
 * bound the error by k residuals, whatever CPUs they visit.
 *
 * Weakness of per-CPU residuals: a single task that hops over 384 CPUs leaves a residual on each
 * (facts.md F2: 96 MB off with two threads, 845 MB for flat), and memory is paid for all possible
 * CPUs. Idea: when a CPU begins to run a task of a process, it takes the lowest free number of that
 * process's, and gives it back when the task stops (enter and leave of counters/design.h: what the
 * scheduler's switch calls). Numbers stay below the largest number of tasks that ran at once. The
 * slot of a number is one line for the counters of the object.
 *
 *   object ---> taken: ......0000010111      chunk 0: slot 0
 *               count of each counter        chunk 1: slots 1, 2
 *               chunks ------------------->  chunk 2: slots 3 ... 6     made when first needed
 *
 * add() knows its number by two words of its CPU, written by enter(): the object that this CPU
 * works for, and where its slot lies as an offset in the CPU's own memory (counters/local_word.h).
 * A CPU that works for another object, or got no slot, adds to the count, atomically: right, and
 * exact.
 *
 * I1. total = count + sum of the parts of all slots made, modulo 2^64; carries in flight apart.
 * I2. |part| <= half = min(batch of flat, 256) - 1; its word holds part + half, so that one
 *     unsigned comparison tells whether a new one fits. Part of slot i is changed by the CPU that
 *     holds number i alone; hand-over by release (leave) and acquire (enter) of `taken`.
 * I3. Numbers ever taken are below `high`. A number is taken when all lower ones are, so `high` is
 *     the largest number of CPUs that were entered at once; beyond 64 of them, words of `taken` are
 *     looked at one after the other, and a number given back meanwhile counts.
 * Bound for k updaters at once, ever: k * half (k = `high` of the object), for all CPUs n * half:
 * never above flat's. In flight: a carry takes the whole part with it, so the approximation is off
 * by at most `largest` more for each CPU. Memory: 64 bytes for each of up to 8 counters and slot
 * made, less than twice those needed, and a head. One task: a line. All of n CPUs: 64 n, more than
 * flat. Cost: an add in the slot: the counter's line and the CPU's two words (read), the slot's
 * line. enter: one atomic on the object's line, a second time where others take numbers too; leave:
 * one. Memory order: relaxed but for I2 and the chunks, which are published by release. A chunk may
 * be missing below `high`, where a CPU got no memory and gave its number back: sums pass over it.
 */
#include "core/errno.h"
#include "core/init.h"
#include "core/panic.h"
#include "core/percpu.h"
#include "core/slab.h"
#include "core/topology.h"
#include "counters/compare.h"
#include "counters/design.h"
#include "counters/flat.h"
#include "counters/local_word.h"

#define SLOTS_BATCH_MAX 256
#define SLOTS_CHUNKS 17u /* of 1, 2, 4 ... slots: 2^17 - 1 */
#define SLOTS_NONE UINT32_MAX

struct slots_object {
    uint64_t *chunk[SLOTS_CHUNKS];
    uint32_t nr, slot_bytes;
    uint32_t nr_words;
    _Atomic uint32_t high;
    _Atomic uint64_t *taken; /* a bit for each number */
    cacheline_aligned _Atomic int64_t
        count[]; /* then the words of `taken`, on lines of their own */
};

struct slots_counter {
    struct slots_object *object; /* NULL: not initialised */
    uint64_t part;               /* offset in a slot, in bytes */
};

/* What this CPU works for; `object` is written last by enter and first by leave, so that an
 * interrupt finds both or none. */
struct slots_current {
    uint64_t object; /* struct slots_object *, 0: none */
    uint64_t slot;   /* local_word_area() of its parts */
    uint64_t number;
};
static PERCPU_STATIC struct slots_current slots_current_percpu;

#define SLOTS_CURRENT(field) percpu_area_of(slots_current_percpu.field)

static uint64_t slots_half(uint32_t cpus)
{
    return (uint64_t)MIN(flat_batch_for(cpus), SLOTS_BATCH_MAX) - 1;
}

/* This machine's half, and 2 * half + 1: words of parts are below. */
static uint64_t slots_half_here = FLAT_BATCH_MIN - 1, slots_width_here = 2 * FLAT_BATCH_MIN - 1;

static uint32_t slots_slot_bytes(unsigned nr)
{
    return (uint32_t)ALIGN_UP(nr * sizeof(uint64_t), (size_t)CACHE_LINE_BYTES);
}

static uint32_t slots_words(uint32_t cpus)
{
    return (cpus + 63) / 64;
}

static size_t slots_count_bytes(unsigned nr)
{
    return ALIGN_UP(nr * sizeof(int64_t), (size_t)CACHE_LINE_BYTES);
}

static size_t slots_object_bytes(uint32_t cpus, unsigned nr)
{
    return sizeof(struct slots_object) + slots_count_bytes(nr) +
           slots_words(cpus) * sizeof(uint64_t);
}

static int slots_init_many(void *array, int64_t amount, unsigned nr)
{
    struct slots_counter *counters = array;
    struct slots_object *object = kzalloc(slots_object_bytes(nr_cpus, nr));

    counters[0].object = NULL;
    if (!object)
        return -CS_ENOMEM;
    object->nr = nr;
    object->slot_bytes = slots_slot_bytes(nr);
    object->nr_words = slots_words(nr_cpus);
    object->taken = (_Atomic uint64_t *)((char *)object->count + slots_count_bytes(nr));
    for (unsigned i = 0; i < nr; i++) {
        atomic_store_explicit(&object->count[i], amount, memory_order_relaxed);
        counters[i] = (struct slots_counter){object, i * sizeof(uint64_t)};
    }
    return 0;
}

/* No CPU is entered. */
static void slots_destroy_many(void *array, unsigned nr)
{
    struct slots_counter *counters = array;
    struct slots_object *object = counters[0].object;

    if (!object)
        return;
    for (uint32_t i = 0; i < SLOTS_CHUNKS; i++)
        kfree(object->chunk[i]);
    kfree(object);
    for (unsigned i = 0; i < nr; i++)
        counters[i].object = NULL;
}

static uint64_t slots_index(const struct slots_counter *counter)
{
    return counter->part / sizeof(uint64_t);
}

static _Atomic int64_t *slots_count(const struct slots_counter *counter)
{
    return &counter->object->count[slots_index(counter)];
}

/* --- numbers --- */

static uint32_t slots_chunk_of(uint32_t number)
{
    return 31 - (uint32_t)__builtin_clz(number + 1);
}

/* The words of a slot; NULL where its chunk is not made. */
static uint64_t *slots_parts(struct slots_object *object, uint32_t number)
{
    uint32_t c = slots_chunk_of(number);
    char *chunk = (char *)__atomic_load_n(&object->chunk[c], __ATOMIC_ACQUIRE);

    return chunk ? (uint64_t *)(chunk + (size_t)(number + 1 - (1u << c)) * object->slot_bytes)
                 : NULL;
}

/* A chunk of `bytes`, all parts 0. */
static uint64_t *slots_chunk_alloc(size_t bytes)
{
    uint64_t *words = kmalloc(bytes);

    for (size_t i = 0; words && i < bytes / sizeof(*words); i++)
        words[i] = slots_half_here;
    return words;
}

static uint64_t *slots_parts_make(struct slots_object *object, uint32_t number)
{
    uint32_t c = slots_chunk_of(number);
    uint64_t *made, *had = NULL;

    if (__atomic_load_n(&object->chunk[c], __ATOMIC_ACQUIRE))
        return slots_parts(object, number);
    made = slots_chunk_alloc((size_t)object->slot_bytes << c);
    if (!made)
        return NULL;
    if (!__atomic_compare_exchange_n(&object->chunk[c], &had, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        kfree(made);
    return slots_parts(object, number);
}

/* The lowest free number of a word: acquire, I2. 64: all taken. */
static uint32_t slots_take_in(_Atomic uint64_t *word)
{
    uint64_t taken = atomic_load_explicit(word, memory_order_relaxed);

    while (~taken) {
        uint32_t bit = (uint32_t)__builtin_ctzll(~taken);

        if (atomic_compare_exchange_weak_explicit(word, &taken, taken | 1ull << bit,
                                                  memory_order_acquire, memory_order_relaxed))
            return bit;
    }
    return 64;
}

static uint32_t slots_take(struct slots_object *object)
{
    for (uint32_t w = 0; w < object->nr_words; w++) {
        uint32_t bit = slots_take_in(&object->taken[w]);

        if (bit < 64)
            return w * 64 + bit;
    }
    return SLOTS_NONE;
}

static void slots_give(struct slots_object *object, uint32_t number)
{
    atomic_fetch_and_explicit(&object->taken[number / 64], ~(1ull << number % 64),
                              memory_order_release);
}

static void slots_raise_high(struct slots_object *object, uint32_t high)
{
    uint32_t seen = atomic_load_explicit(&object->high, memory_order_relaxed);

    while (seen < high &&
           !atomic_compare_exchange_weak_explicit(&object->high, &seen, high, memory_order_release,
                                                  memory_order_relaxed))
        ;
}

/* One object at a time: a CPU leaves before it enters another. Without memory it stays outside. */
static void slots_enter(void *counters, unsigned nr)
{
    struct slots_object *object = ((struct slots_counter *)counters)->object;
    uint32_t number = slots_take(object);
    uint64_t *parts;

    (void)nr;
    ASSERT(!this_cpu_read_u64(SLOTS_CURRENT(object)));
    if (number == SLOTS_NONE)
        return;
    parts = slots_parts_make(object, number);
    if (!parts) {
        slots_give(object, number);
        return;
    }
    slots_raise_high(object, number + 1);
    this_cpu_write_u64(SLOTS_CURRENT(number), number);
    this_cpu_write_u64(SLOTS_CURRENT(slot), local_word_area(parts));
    this_cpu_write_u64(SLOTS_CURRENT(object), (uintptr_t)object);
}

static void slots_leave(void *counters, unsigned nr)
{
    struct slots_object *object = ((struct slots_counter *)counters)->object;

    (void)nr;
    if (this_cpu_read_u64(SLOTS_CURRENT(object)) != (uintptr_t)object)
        return; /* it got no slot */
    this_cpu_write_u64(SLOTS_CURRENT(object), 0);
    slots_give(object, (uint32_t)this_cpu_read_u64(SLOTS_CURRENT(number)));
}

/* --- updates --- */

static apart void slots_add_count(struct slots_counter *counter, int64_t amount)
{
    atomic_fetch_add_explicit(slots_count(counter), amount, memory_order_relaxed);
}

/* The part is full: it goes to the count with the amount. */
static noinline void slots_carry(struct slots_counter *counter, percpu_area_t area, int64_t amount)
{
    uint64_t word = this_cpu_read_u64(area);

    while (!this_cpu_try_cmpxchg_u64(area, &word, slots_half_here))
        ;
    slots_add_count(counter, (int64_t)((uint64_t)amount + word - slots_half_here));
}

static always_inline void slots_add(void *array, int64_t amount)
{
    struct slots_counter *counter = array;
    percpu_area_t area;
    uint64_t word;

    if (unlikely(this_cpu_read_u64(SLOTS_CURRENT(object)) != (uintptr_t)counter->object)) {
        slots_add_count(counter, amount);
        return;
    }
    area = this_cpu_read_u64(SLOTS_CURRENT(slot)) + counter->part;
    word = this_cpu_read_u64(area);
    do {
        if (unlikely(word + (uint64_t)amount >= slots_width_here)) {
            slots_carry(counter, area, amount);
            return;
        }
    } while (unlikely(!this_cpu_try_cmpxchg_u64(area, &word, word + (uint64_t)amount)));
}

/* --- reads --- */

static int64_t slots_read(void *array)
{
    struct slots_counter *counter = array;

    return atomic_load_explicit(slots_count(counter), memory_order_relaxed);
}

static int64_t slots_sum(void *array)
{
    struct slots_counter *counter = array;
    uint32_t high = atomic_load_explicit(&counter->object->high, memory_order_acquire);
    uint64_t sum = (uint64_t)slots_read(counter);

    for (uint32_t number = 0; number < high; number++) {
        const uint64_t *parts = slots_parts(counter->object, number);

        if (parts)
            sum +=
                __atomic_load_n(&parts[slots_index(counter)], __ATOMIC_RELAXED) - slots_half_here;
    }
    return (int64_t)sum;
}

static void slots_set(void *array, int64_t value)
{
    struct slots_counter *counter = array;
    uint32_t high = atomic_load_explicit(&counter->object->high, memory_order_relaxed);

    for (uint32_t number = 0; number < high; number++) {
        uint64_t *parts = slots_parts(counter->object, number);

        if (parts)
            __atomic_store_n(&parts[slots_index(counter)], slots_half_here, __ATOMIC_RELAXED);
    }
    atomic_store_explicit(slots_count(counter), value, memory_order_relaxed);
}

/* By the numbers that this object has used, not by the machine. */
static int slots_compare(void *array, int64_t value)
{
    struct slots_counter *counter = array;
    uint64_t high = atomic_load_explicit(&counter->object->high, memory_order_relaxed);
    int order = counter_order_within(slots_read(counter), value, high * slots_half_here);

    return order ? order : counter_order(slots_sum(counter), value);
}

/* --- statements --- */

static uint64_t slots_error_bound(uint32_t cpus)
{
    return cpus * slots_half(cpus);
}

static uint64_t slots_memory_bytes(uint32_t cpus, unsigned nr)
{
    uint64_t slots = (2ull << slots_chunk_of(cpus - 1)) - 1;

    return slots_object_bytes(cpus, nr) + slots * slots_slot_bytes(nr);
}

static uint64_t slots_transient_bound(uint32_t cpus, uint64_t largest)
{
    return cpus * largest;
}

/* Parts that move to the count while the sum walks are missed, once each slot, or what a CPU
 * carries. */
static uint64_t slots_sum_transient_bound(uint32_t cpus, uint64_t largest)
{
    return cpus * (2 * slots_half(cpus) + largest);
}

static void slots_half_init(void)
{
    slots_half_here = slots_half(nr_cpus);
    slots_width_here = 2 * slots_half_here + 1;
}
INIT_FN(slots_half_init, INIT_LATE, 10);

COUNTER_DESIGN("slots", .summary = "residuals by concurrency id: k tasks at once, k residuals",
               .counter_bytes = sizeof(struct slots_counter),
               .counter_align = _Alignof(struct slots_counter), .init_many = slots_init_many,
               .destroy_many = slots_destroy_many, .enter = slots_enter, .leave = slots_leave,
               .add = slots_add, .read = slots_read, .sum = slots_sum, .set = slots_set,
               .compare = slots_compare, .error_bound = slots_error_bound,
               .memory_bytes = slots_memory_bytes, .transient_bound = slots_transient_bound,
               .sum_transient_bound = slots_sum_transient_bound);
