/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of what was printed, kept in memory: to be shown again, and, where the boot path gave
 * memory for it that outlives a reset (boot/report_store.h), to be saved at the next start.
 *
 * save=off     nothing is kept over a reset
 * save=keep    it is; whoever resets the machine finds it saved
 * save=auto    and the machine resets itself at the end where no serial line took the report, with
 *              somebody at its other end
 * save=reset   it always does
 *
 * Context: the log's lock for what is written; reading while nobody writes.
 */
#ifndef CORE_REPORT_STORE_H
#define CORE_REPORT_STORE_H

#include "boot/report_store.h"
#include "core/compiler.h"

/* All that is kept, LF line ends. Never NULL. */
const char *report_store_text(size_t *bytes);
/* What had no room. */
uint64_t report_store_lost_bytes(void);

/* A report begins: where more than half of the memory is used, older ones are dropped for it. */
void report_store_begin(void);
/* It has come to its end. */
void report_store_complete(void);

/* Whether the next start can save it. */
bool report_store_can_save(void);
/* At the end of all runs: whether the machine is to be reset so that it is saved, or why not, which
 * is printed. Then it is marked as such, and the next start switches the machine off when it has
 * saved it. */
bool report_store_wants_reset(void);

/* --- writing one, for tests too --- */

struct report_writer {
    struct report_store *store; /* its head filled, reachable memory */
    uint64_t sequence, used, lost_bytes;
    uint32_t crc32, state;
};

void report_writer_begin(struct report_writer *w, struct report_store *store);
/* The kept text and the latest mark are as before or as after, at any instant (S1). */
void report_writer_append(struct report_writer *w, const char *text, size_t bytes);
void report_writer_state(struct report_writer *w, enum report_store_state state);
void report_writer_drop(struct report_writer *w);

#endif
