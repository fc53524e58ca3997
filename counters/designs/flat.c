/* SPDX-License-Identifier: Apache-2.0 */
/* The flat counter with its default batch and grouped initialisation: one per-CPU area and one hold
 * of the list's lock for all counters of an object (facts.md F1, after the fix). */
#include "counters/flat_design.h"

COUNTER_DESIGN("flat", .summary = "per-CPU counter, batch max(32, 2 x CPUs), grouped init",
               FLAT_DESIGN_OPS, FLAT_DESIGN_DEFAULT_BATCH, FLAT_DESIGN_GROUPED_INIT,
               .published_as = "flat-batch768");
