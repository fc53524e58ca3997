/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queued spinlock: the slow paths (spinlock.h has the word and the uncontended path).
 *
 *     word.tail ----------------------------+
 *                                           v
 *     holder     head: spins     node: spins on      node
 *                on the word  -> its own `ready` ->  …
 *
 * The first waiter (head) watches the word's locked byte; each other one watches its own node, so
 * that a hand-off costs one line transfer whatever the number of waiters (Mellor-Crummey and Scott,
 * "Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors", 1991).
 *
 * Q1. The tail names the last waiter; it is 0 if and only if nobody waits.
 * Q2. A node's `next` is written once by its successor, and read by its owner only when the tail
 *     says that there is a successor.
 * Q3. `ready` is set by the predecessor after it has got the lock: its owner is the head from then.
 * Q4. Between the exchange that publishes a node and the head's taking of the lock, only the head
 *     changes the locked byte from 0 (word != 0, so the uncontended path fails).
 * Q5. The locked byte and the tail are written alone and read as parts of the word. All are
 *     single-copy atomic and coherent with each other on every port (Arm ARM, B2.2: a store to a
 *     part of a location ends another CPU's exclusive access to the word); the release on the byte
 *     pairs with the acquire on the word.
 *
 * A node of SPIN_NESTING levels a CPU: waiting is interrupted by waiting only in a trap, and a trap
 * in a trap ends in panic. Cost: contended, one line of the lock and one of the predecessor.
 */
#include "core/spinlock.h"

#include "core/panic.h"
#include "core/percpu.h"
#include "core/spinlock_internal.h"

#define SPIN_NESTING 8u /* 3 bits of the tail; 13 hold cpu + 1, for 4096 CPUs and more */
#define SPIN_NESTING_BITS 3u

struct spin_node {
    _Atomic uint32_t ready; /* Q3 */
    _Atomic uint32_t next;  /* the successor's tail, Q2 */
} cacheline_aligned;

struct spin_nodes {
    struct spin_node node[SPIN_NESTING];
    uint32_t depth;
} cacheline_aligned;

static PERCPU_STATIC struct spin_nodes spin_nodes_percpu;

static inline uint32_t spin_tail(uint32_t cpu, uint32_t level)
{
    return ((cpu + 1) << SPIN_NESTING_BITS | level) << SPIN_TAIL_SHIFT;
}

static struct spin_node *spin_node_of(uint32_t word)
{
    uint32_t tail = word >> SPIN_TAIL_SHIFT;
    uint32_t cpu = (tail >> SPIN_NESTING_BITS) - 1;

    return &per_cpu_ptr(spin_nodes_percpu, cpu)->node[tail & (SPIN_NESTING - 1)];
}

static const char *spin_class_name(const struct spinlock *lock)
{
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);
    uint32_t number = (word & SPIN_KEPT_MASK & ~SPIN_PROFILED) >> SPIN_CLASS_SHIFT;

    for (REGISTRY_EACH(lock_statics, const struct lock_static, s))
        if ((*s)->lock == lock)
            return (*s)->class->name;
    for (REGISTRY_EACH(lock_classes, struct lock_class, c))
        if (number && (*c)->number == number)
            return (*c)->name;
    return "class not known";
}

static _Noreturn noinline void spin_deadline(const struct spinlock *lock)
{
    panic("lock %p (%s) not got within %u ms, word 0x%x", (const void *)lock, spin_class_name(lock),
          WAIT_DEADLINE_MS, atomic_load_explicit(&lock->word, memory_order_relaxed));
}

/* Waits until *word is not `old` and returns what it is. Acquire: what its writer did before is
 * visible afterwards. */
static uint32_t spin_wait_change(const struct spinlock *lock, const _Atomic uint32_t *word,
                                 uint32_t old)
{
    struct wait_state wait = {0};
    uint32_t now;

    while ((now = atomic_load_explicit(word, memory_order_acquire)) == old)
        if (!wait_step(&wait, word, old))
            spin_deadline(lock);
    return now;
}

/* The head waits for the holder, however often the rest of the word changes meanwhile. */
static uint32_t spin_wait_free(const struct spinlock *lock)
{
    struct wait_state wait = {0};
    uint32_t now;

    while ((now = atomic_load_explicit(&lock->word, memory_order_acquire)) & SPIN_HELD_MASK)
        if (!wait_step(&wait, &lock->word, now))
            spin_deadline(lock);
    return now;
}

/* Puts `mine` into the tail and returns the tail before, in its place in the word. One exchange and
 * no loop: with a compare-exchange each arrival makes all others that arrive try again, and N CPUs
 * that come at once need N^2 transfers of the line. Release: our node's fields are set before anyone
 * can find it; acquire: the predecessor's are, before we write into its node. */
static uint32_t spin_publish(struct spinlock *lock, uint32_t mine)
{
    return (uint32_t)atomic_exchange_explicit(&lock->halves[1], (uint16_t)(mine >> SPIN_TAIL_SHIFT),
                                              memory_order_acq_rel)
           << SPIN_TAIL_SHIFT;
}

static void spin_follow(struct spinlock *lock, struct spin_node *node, uint32_t old, uint32_t mine)
{
    struct spin_node *previous = spin_node_of(old);

    /* Release: pairs with the acquire of whoever reads `next` to write our `ready`. */
    atomic_store_explicit(&previous->next, mine, memory_order_release);
    wait_wake(&previous->next);
    spin_wait_change(lock, &node->ready, 0);
}

/* We are the head: takes the lock when it is free; true when nobody came behind us. */
static bool spin_take_as_head(struct spinlock *lock, uint32_t mine, uint8_t held)
{
    uint32_t word = spin_wait_free(lock);

    /* Acquire came with the load that saw the lock free (I2); Q4 keeps it free. */
    while ((word & ~(SPIN_KEPT_MASK | SPIN_HELD_MASK)) == mine)
        if (atomic_compare_exchange_weak_explicit(&lock->word, &word,
                                                  (word & SPIN_KEPT_MASK) | held,
                                                  memory_order_acquire, memory_order_relaxed))
            return true;
    atomic_store_explicit(&lock->locked, held, memory_order_relaxed);
    return false;
}

noinline void spin_lock_queued(struct spinlock *lock, uint8_t held)
{
    struct spin_nodes *nodes = this_cpu_ptr(spin_nodes_percpu);
    uint32_t level = nodes->depth++; /* a trap between here and the end finds the next level */
    uint32_t mine = spin_tail(this_cpu_id(), level), old, next;
    struct spin_node *node = &nodes->node[level];

    if (unlikely(level >= SPIN_NESTING))
        panic("locks waited for in %u levels of traps", level);
    atomic_signal_fence(memory_order_seq_cst);
    atomic_store_explicit(&node->ready, 0, memory_order_relaxed);
    atomic_store_explicit(&node->next, 0, memory_order_relaxed);

    old = spin_publish(lock, mine);
    if (old >> SPIN_TAIL_SHIFT)
        spin_follow(lock, node, old, mine);
    if (!spin_take_as_head(lock, mine, held)) {
        next = spin_wait_change(lock, &node->next, 0);
        node = spin_node_of(next);
        atomic_store_explicit(&node->ready, 1, memory_order_release);
        wait_wake(&node->ready);
    }
    atomic_signal_fence(memory_order_seq_cst);
    nodes->depth--;
}

noinline void spin_lock_slow(struct spinlock *lock)
{
    if (atomic_load_explicit(&lock->word, memory_order_relaxed) & SPIN_PROFILED)
        lock_profile_acquire(lock);
    else
        spin_lock_queued(lock, SPIN_HELD);
}

/* Profiled, or waiters may sleep, or the lock is not held at all. The lock may cease to exist as
 * soon as it is free: one access releases it and says whether somebody waits, and only its address
 * is used afterwards. */
noinline void spin_unlock_slow(struct spinlock *lock)
{
    uint8_t held = atomic_load_explicit(&lock->locked, memory_order_relaxed);
    uint32_t old;

    if (unlikely(held == 0))
        panic("lock %p (%s) released but not held", (void *)lock, spin_class_name(lock));
    if (held == SPIN_HELD_PROFILED)
        lock_profile_release(lock);
    old = atomic_fetch_and_explicit(&lock->word, ~SPIN_HELD_MASK, memory_order_release);
    if (old >> SPIN_TAIL_SHIFT)
        wait_wake(&lock->word);
}

bool spin_trylock(struct spinlock *lock)
{
    uint32_t word = atomic_load_explicit(&lock->word, memory_order_relaxed);

    if (word & ~SPIN_KEPT_MASK)
        return false;
    if (word & SPIN_PROFILED) {
        lock_profile_acquire(lock); /* may wait for a holder that came in between: rare, bounded */
        return true;
    }
    return atomic_compare_exchange_strong_explicit(&lock->word, &word, SPIN_HELD,
                                                   memory_order_acquire, memory_order_relaxed);
}
