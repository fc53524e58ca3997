/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measuring one row: every design is set up, warmed up, then sampled in rounds. In a round each
 * design gets one sample, in an order drawn anew from the seed, so that a machine that changes
 * while it is measured changes for all alike.
 */
#ifndef BENCH_SCHEDULE_H
#define BENCH_SCHEDULE_H

#include "bench/plan.h"

/* Fills row->cells (made here). Nothing is printed meanwhile. 0 or -CS_ENOMEM. */
int schedule_row(const struct block *block, uint32_t case_index, struct row *row) must_check;
/* Frees the samples, or everything. */
void schedule_free_samples(const struct block *block, struct row *row);
void schedule_free_row(const struct block *block, struct row *row);

/* A random order of 0 … count-1. */
void schedule_shuffle(uint32_t *order, uint32_t count, struct random *random);

#endif
