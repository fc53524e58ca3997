/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing a report store (boot/report_store.h, S1 and S4).
 *
 *   append:  text ──pushed out──> the other mark ──pushed out
 *   drop:    a mark of no text, twice, before the text is written over
 */
#include <arch/mmu.h>

#include "core/crc32.h"
#include "core/report_store.h"
#include "core/string.h"

static void put_mark(struct report_writer *w)
{
    struct report_store_mark mark = {
        .sequence = ++w->sequence,
        .text_bytes = w->used,
        .lost_bytes = w->lost_bytes,
        .state = w->state,
        .text_crc32 = w->crc32,
    };
    struct report_store_mark *to = &w->store->marks[w->sequence % 2];

    mark.crc32 = crc32_add(0, &mark, offsetof(struct report_store_mark, crc32));
    memcpy(to, &mark, sizeof(mark));
    arch_write_back(to, sizeof(*to));
}

void report_writer_begin(struct report_writer *w, struct report_store *store)
{
    *w = (struct report_writer){.store = store, .state = REPORT_STORE_RUNNING};
    arch_write_back(store, sizeof(*store)); /* the head, whoever has filled it */
    put_mark(w);
    put_mark(w);
}

void report_writer_append(struct report_writer *w, const char *text, size_t bytes)
{
    uint64_t room = w->store->bytes - REPORT_STORE_TEXT_OFFSET - w->used;
    size_t kept = (size_t)MIN((uint64_t)bytes, room);
    char *to = (char *)w->store + REPORT_STORE_TEXT_OFFSET + w->used;

    memcpy(to, text, kept);
    arch_write_back(to, kept);
    w->crc32 = crc32_add(w->crc32, text, kept);
    w->used += kept;
    w->lost_bytes += bytes - kept;
    put_mark(w);
}

void report_writer_state(struct report_writer *w, enum report_store_state state)
{
    w->state = state;
    put_mark(w);
}

void report_writer_drop(struct report_writer *w)
{
    w->used = 0;
    w->crc32 = 0;
    w->lost_bytes = 0;
    put_mark(w);
    put_mark(w);
}
