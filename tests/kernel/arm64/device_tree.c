/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a device tree: this machine's, and what is left of it after bytes were changed: no read
 * outside (the copy stands before an unmapped page), no endless loop. */
#include <libfdt.h>

#include <arch/mmu.h>

#include "boot/device_tree.h"
#include "core/random.h"
#include "core/selftest.h"
#include "drivers/fdt.h"

#define NODES_MAX 20000
#define CHANGES_MAX 8u
#define STEPS_QUICK 100000ull
#define STEPS_FULL 3000000ull
#define ROUNDS_MIN 2ull
#define ROUNDS_MAX 1000ull

/* Every function on every node, as the drivers use them. Returns the nodes seen. */
static int read_everything(const void *blob)
{
    int node = 0, nodes = 0;
    uint64_t base, bytes;

    for (; node >= 0 && nodes < NODES_MAX; node = fdt_next_node(blob, node, NULL), nodes++) {
        for (unsigned i = 0; i < 4 && device_tree_reg(blob, node, i, &base, &bytes); i++)
            ;
        (void)device_tree_is_enabled(blob, node);
        (void)device_tree_text_is(blob, node, "device_type", "cpu");
        (void)device_tree_number(blob, node, "numa-node-id", 0);
    }
    return nodes;
}

/* A copy that ends where the memory ends: the top of a stack, with the next one's guard behind. */
static void *guarded_copy(const void *blob, size_t bytes)
{
    uintptr_t top = arch_stack_alloc(bytes + 8);
    char *copy = (char *)((top - bytes) & ~7ul);

    return top ? memcpy(copy, blob, bytes) : NULL;
}

static void tree_is_read(struct ktest *t)
{
    const void *blob = fdt_tree();
    int cpus;

    if (!blob) {
        ktest_skip(t, "no device tree");
        return;
    }
    cpus = fdt_path_offset(blob, "/cpus");
    EXPECT(t, read_everything(blob) > 4);
    EXPECT(t, cpus > 0);
    EXPECT_EQ(t, device_tree_number(blob, cpus, "no-such-thing", 77), 77);
    EXPECT(t, !device_tree_text_is(blob, 0, "no-such-thing", ""));
}
KTEST(device_tree, tree_is_read, KTEST_QUICK);

/* The parent of a node is found by a walk from the root: a round costs nodes times nodes. */
static unsigned rounds_for(const struct ktest *t, int nodes)
{
    uint64_t rounds =
        (t->full ? STEPS_FULL : STEPS_QUICK) / ((uint64_t)nodes * (uint64_t)nodes + 1);

    return (unsigned)MIN(MAX(rounds, ROUNDS_MIN), ROUNDS_MAX);
}

static void changed_trees_are_survived(struct ktest *t)
{
    const void *blob = fdt_tree();
    size_t used;
    unsigned rounds, accepted = 0;
    struct random random;
    char *copy;

    if (!blob) {
        ktest_skip(t, "no device tree");
        return;
    }
    rounds = rounds_for(t, read_everything(blob));
    /* QEMU's has a MiB of room behind its strings. */
    used = (size_t)fdt_off_dt_strings(blob) + fdt_size_dt_strings(blob);
    copy = guarded_copy(blob, used);
    if (!EXPECT(t, copy != NULL))
        return;
    random_seed(&random, t->seed);
    for (unsigned r = 0; r < rounds; r++) {
        unsigned changes = 1 + random_below(&random, CHANGES_MAX);

        memcpy(copy, blob, used);
        fdt_set_totalsize(copy, (uint32_t)used);
        for (unsigned i = 0; i < changes; i++)
            copy[sizeof(struct fdt_header) +
                 random_below(&random, (uint32_t)(used - sizeof(struct fdt_header)))] =
                (char)random_next(&random);
        if (fdt_check_full(copy, used))
            continue;
        accepted++;
        if (!EXPECT(t, read_everything(copy) <= NODES_MAX))
            break;
    }
    EXPECT(t, accepted <= rounds); /* all can have been refused */
}
KTEST(device_tree, changed_trees_are_survived, KTEST_QUICK);
