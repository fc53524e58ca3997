/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ours, "tree-fit": the counter tree with as many items as the CPUs need.
 *
 * Weakness of the published shape: CPU counts are rounded up to powers of two. 33 CPUs pay for 64
 * (less accurate than flat up to 39), 65, 129 and 257 CPUs take 1.28, 1.50 and 1.38 times flat's
 * memory. Idea: fan-outs by division, items counted exactly (counters/fit_shape.h: rule,
 * invariants, bound and its proof). A CPU's path to the root is made at boot and read from a line
 * of its own, so that uneven fan-outs cost a carry nothing. Guarantee: at every CPU count 1 ...
 * 8192 no larger error than flat's and than the published tree's; for 4 counters at most 0.9 of
 * flat's memory from 16 CPUs up. Cost: that of the published tree or less: batch and lines are
 * constants, 16 bytes a counter.
 */
#include "counters/fit_design.h"

#include "core/init.h"

static void tree_fit_kind_init(void)
{
    fit_kind_init(&fit_design_kind, FIT_LEAF_BATCH, "tree-fit lines");
}
INIT_FN(tree_fit_kind_init, INIT_LATE, 10);

COUNTER_DESIGN("tree-fit", .summary = "counter tree with as many items as the CPUs need",
               FIT_DESIGN_OPS);
