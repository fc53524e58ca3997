/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CPUs are measured on, and in which order: the items of cpus= that are no numbers.
 *
 *   node:1  package:0-1  die:  llc:  cluster:  core:  thread:  cpu:4-7
 *                     only CPUs of these domains (core/topology.h has the numbers, the parameter
 *                     `topology` prints them; node: NUMA nodes; cpu: CPU numbers). Items of one
 *                     kind add up, of different kinds narrow down: node:0,thread:0 is one thread of
 *                     each core of node 0.
 *   nodes  packages  dies  llcs  clusters  cores
 *                     of what is left, one CPU of each such domain: the lowest
 *   compact           neighbours first: threads of a core, cores of a cache, caches of a package
 *   spread            neighbours last: another package each time, then another cache, then another
 *                     core, then another thread
 *
 * Without compact or spread CPUs stay in the order of their numbers. A size takes the first ones.
 */
#ifndef BENCH_SELECTION_H
#define BENCH_SELECTION_H

#include "core/compiler.h"

/* Whether the item (not terminated) is one of these; where it is but cannot be used, *why says why
 * (a text that stays valid until the next call). */
bool selection_is_item(const char *item, size_t bytes, const char **why);

/* Takes out of cpus[0 … *count), which rises, what `list` (items as above; others are passed over)
 * does not want, and puts the rest in order. When none would be left all stay as they are, and
 * *nothing_left is set. 0 or -CS_ENOMEM. */
int selection_apply(const char *list, uint32_t *cpus, uint32_t *count,
                    bool *nothing_left) must_check;

/* The items joined by '+', for the report: "node:0+cores+spread"; "" when all CPUs are taken as
 * they are. Returns text. */
char *selection_text(const char *list, char *text, size_t bytes);

#endif
