/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of CPUs to measure on, from cpus= or by default 1, 2, 4, ..., all. */
#ifndef BENCH_SIZES_H
#define BENCH_SIZES_H

#include "core/compiler.h"

/* Fills sizes, cpus and their numbers in bench_settings, whose suite is settled. Reports what is
 * wrong in cpus=. 0 or -CS_ENOMEM. */
int sizes_settle(void) must_check;

#endif
