/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ours, "tree-topo": the fitted counter tree whose items are those CPUs that share caches.
 *
 * Weakness of the published shape: CPU i belongs to item i / 8, whatever the numbers mean. Where
 * firmware lists the second threads behind all first ones, siblings have different items, an item
 * may reach over two packages, and each hand-off of its line crosses the fabric.
 * Idea: items of 4 cores with their siblings, above them 24 cores of one package
 * (counters/fit_shape.h, rule "topology"). On a simulated machine of 384 CPUs that is cheaper than
 * 8,8,8 (0.82 at +-32, 0.66 at +-512), more accurate (32,896 against 40,576) and smaller (57 lines
 * against 73) at once.
 * Guarantee: as "tree-fit", which it is where the topology is not known or too odd.
 */
#include "counters/fit_design.h"

#include "core/init.h"

static void tree_topo_kind_init(void)
{
    fit_kind_init_topology(&fit_design_kind, "tree-topo lines");
}
INIT_FN(tree_topo_kind_init, INIT_LATE, 10);

COUNTER_DESIGN("tree-topo", .summary = "fitted counter tree, items by core and package",
               FIT_DESIGN_OPS);
