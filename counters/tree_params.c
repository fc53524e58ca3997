/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shape and batch of this boot's counter trees: percpu_counter_tree.arity= and rss_stat_batch=,
 * under the names that the field's kernels use. Both are checked when they are read as far as they
 * can be, and again when the number of CPUs is known; what is wrong is named and the published
 * shape is taken.
 */
#include "core/errno.h"
#include "core/init.h"
#include "core/param.h"
#include "core/topology.h"
#include "counters/tree.h"

struct tree_kind tree_boot_kind;

static struct tree_arity tree_arity_wanted; /* nr = 0: the published rule */
static const char *tree_arity_text;
static uint32_t tree_batch_wanted = TREE_BATCH_DEFAULT;

static int parse_arity(const char *text, const char **why)
{
    tree_arity_text = text;
    return tree_arity_parse(text, &tree_arity_wanted, why);
}
PARAM_CUSTOM(tree_arity, "percpu_counter_tree.arity", parse_arity,
             "fan-outs from the leaves to the root, powers of two, as in 8,8,8",
             "shape of the counter tree; default: the published one for the number of CPUs");

static int parse_batch(const char *text, const char **why)
{
    uint32_t batch = 0;

    for (const char *digit = text; *digit; digit++) {
        if (*digit < '0' || *digit > '9' || batch > TREE_BATCH_MAX) {
            batch = 0;
            break;
        }
        batch = batch * 10 + (uint32_t)(*digit - '0');
    }
    if (!tree_batch_is_valid(batch)) {
        *why = "the byte of a CPU holds less than the batch in size: 1, 2, 4 ... 128";
        return -CS_EINVAL;
    }
    tree_batch_wanted = batch;
    return 0;
}
PARAM_CUSTOM(tree_batch, "rss_stat_batch", parse_batch, "a power of two from 1 to 128",
             "size at which a CPU's residual of a tree counter is carried; default 32");

static void tree_boot_kind_init(void)
{
    uint32_t batch = tree_batch_wanted;
    struct tree_shape shape;
    const char *why;

    tree_shape_published(&shape, nr_cpus, batch);
    if (tree_arity_wanted.nr && tree_shape_make(&shape, nr_cpus, batch, &tree_arity_wanted, &why))
        param_error("percpu_counter_tree.arity", tree_arity_text, "%s (%u)", why, nr_cpus);
    tree_kind_init(&tree_boot_kind, &shape, "tree lines");
}
INIT_FN(tree_boot_kind_init, INIT_LATE, 10);
