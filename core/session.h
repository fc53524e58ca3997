/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs: the self-tests and the storms, each time with a report of its own, as often as loop= says,
 * and again from the shell (core/shell.h).
 *
 *   loop=5         five runs          loop=90m       runs begin until 90 minutes have passed
 *   loop=forever   until somebody stops the machine   loop_stop   the first failure is the end
 */
#ifndef CORE_SESSION_H
#define CORE_SESSION_H

#include "boot/handoff.h"
#include "core/compiler.h"

/* Which machine and kernel this is, for the report that has begun. */
void session_describe(const struct boot_handoff *handoff);

/* As many runs as loop= says. The first one's report has been begun at boot. A run
 * that is repeated unchanged and leaves something behind in the allocators fails. */
void session_loop(void);
/* The verdict of all runs so far. */
bool session_passed(void);

/* Up to "forever", for tests. 0, or -CS_EINVAL. */
enum session_limit { SESSION_RUNS, SESSION_MINUTES, SESSION_FOREVER };
int session_parse_loop(const char *text, enum session_limit *limit, uint32_t *amount) must_check;

#endif
