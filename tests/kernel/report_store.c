/* SPDX-License-Identifier: Apache-2.0 */
/* The report in memory: what a reader finds at any instant of writing, and in damaged memory. */
#include "core/crc32.h"
#include "core/report_store.h"
#include "core/selftest.h"
#include "core/string.h"

#define STORE_BYTES (64u << 10)
#define TEXT_ROOM (STORE_BYTES - REPORT_STORE_TEXT_OFFSET)

struct made_store {
    struct report_store head;
    uint8_t rest[STORE_BYTES - sizeof(struct report_store)];
} __attribute__((aligned(64)));

static struct made_store made, before, mixed;

static uint32_t crc_of(const void *data, size_t bytes)
{
    return crc32_add(0, data, bytes);
}

static void begin(struct report_writer *w)
{
    memset(&made, 0xa5, sizeof(made));
    memset(&made.head, 0, sizeof(made.head));
    made.head.magic = REPORT_STORE_MAGIC;
    made.head.version = REPORT_STORE_VERSION;
    made.head.bytes = STORE_BYTES;
    made.head.crc32 = crc_of(&made.head, offsetof(struct report_store, crc32));
    report_writer_begin(w, &made.head);
}

static const struct report_store_mark *latest(const struct made_store *store)
{
    if (!report_store_head_is_whole(&store->head, crc_of))
        return NULL;
    return report_store_latest(&store->head, crc_of);
}

static void text_is_read_back(struct ktest *t)
{
    struct report_writer w;
    const struct report_store_mark *mark;

    begin(&w);
    mark = latest(&made);
    EXPECT(t, mark && mark->text_bytes == 0 && mark->state == REPORT_STORE_RUNNING);
    report_writer_append(&w, "one\n", 4);
    report_writer_append(&w, "two\n", 4);
    report_writer_state(&w, REPORT_STORE_COMPLETE);
    mark = latest(&made);
    if (!EXPECT(t, mark))
        return;
    EXPECT_EQ(t, mark->text_bytes, 8);
    EXPECT_EQ(t, mark->state, REPORT_STORE_COMPLETE);
    EXPECT_EQ(t, mark->text_crc32, crc_of("one\ntwo\n", 8));
    EXPECT_EQ(t, memcmp((char *)&made + REPORT_STORE_TEXT_OFFSET, "one\ntwo\n", 8), 0);
}
KTEST(report_store, text_is_read_back, KTEST_QUICK);

static void what_has_no_room_is_counted(struct ktest *t)
{
    static const char line[] = "a line of the report\n";
    struct report_writer w;
    const struct report_store_mark *mark;
    uint64_t written = 0;

    begin(&w);
    for (; written < TEXT_ROOM + 100; written += sizeof(line) - 1)
        report_writer_append(&w, line, sizeof(line) - 1);
    mark = latest(&made);
    if (!EXPECT(t, mark))
        return;
    EXPECT_EQ(t, mark->text_bytes, TEXT_ROOM);
    EXPECT_EQ(t, mark->lost_bytes, written - TEXT_ROOM);
    report_writer_drop(&w);
    report_writer_append(&w, line, sizeof(line) - 1);
    mark = latest(&made);
    EXPECT(t, mark && mark->text_bytes == sizeof(line) - 1);
    EXPECT(t, mark && mark->lost_bytes == 0); /* what was lost was of what is dropped */
}
KTEST(report_store, what_has_no_room_is_counted, KTEST_QUICK);

/* Stopped after any word of what an append writes, text first, then the mark (S1): the reader finds
 * the text as it was before or as it is after. */
static void readable_at_any_instant(struct ktest *t)
{
    struct report_writer w;
    const struct report_store_mark *mark;
    const uint32_t *from = (const uint32_t *)&made;
    uint32_t *to = (uint32_t *)&mixed;
    unsigned old = 0, new = 0;

    begin(&w);
    report_writer_append(&w, "the first line\n", 15);
    before = made;
    report_writer_append(&w, "and the second\n", 15);
    mixed = before;
    for (size_t i = REPORT_STORE_TEXT_OFFSET / 4; i < REPORT_STORE_TEXT_OFFSET / 4 + 8; i++) {
        to[i] = from[i];
        mark = latest(&mixed);
        old += mark && mark->text_bytes == 15;
    }
    EXPECT_EQ(t, old, 8);
    for (size_t i = 0; i < sizeof(struct report_store) / 4; i++) {
        to[i] = from[i];
        mark = latest(&mixed);
        if (!EXPECT(t, mark && (mark->text_bytes == 15 || mark->text_bytes == 30)))
            return;
        new += mark->text_bytes == 30;
    }
    EXPECT(t, new > 0);
}
KTEST(report_store, readable_at_any_instant, KTEST_QUICK);

/* Any flipped bit of head and marks: the older state, or none, never something else. */
static void every_flipped_bit_is_noticed(struct ktest *t)
{
    struct report_writer w;
    unsigned wrong = 0, none = 0;

    begin(&w);
    report_writer_append(&w, "kept\n", 5);
    report_writer_state(&w, REPORT_STORE_LEAVING);
    for (size_t bit = 0; bit < 8 * sizeof(struct report_store); bit++) {
        uint8_t *byte = (uint8_t *)&made + bit / 8;
        const struct report_store_mark *mark;

        *byte ^= (uint8_t)(1u << bit % 8);
        mark = latest(&made);
        none += !mark;
        wrong += mark && (mark->text_bytes != 5 || mark->state < REPORT_STORE_RUNNING ||
                          mark->state > REPORT_STORE_LEAVING);
        *byte ^= (uint8_t)(1u << bit % 8);
    }
    EXPECT_EQ(t, wrong, 0);
    EXPECT(t, none >= 8 * (8 + 4 + 8 + 4)); /* magic, version, bytes and their CRC at least */
    made.rest[REPORT_STORE_TEXT_OFFSET - sizeof(struct report_store) + 2] ^= 1;
    EXPECT(t, !latest(&made)); /* the text that both marks count */
}
KTEST(report_store, every_flipped_bit_is_noticed, KTEST_QUICK);

static void lengths_are_not_trusted(struct ktest *t)
{
    struct report_writer w;
    struct report_store_mark *mark;

    begin(&w);
    mark = &made.head.marks[w.sequence % 2];
    mark->text_bytes = UINT64_MAX;
    mark->sequence += 2;
    mark->crc32 = crc_of(mark, offsetof(struct report_store_mark, crc32));
    EXPECT(t, latest(&made) && latest(&made)->text_bytes == 0);
    made.head.bytes = REPORT_STORE_BYTES_MAX + 1;
    made.head.crc32 = crc_of(&made.head, offsetof(struct report_store, crc32));
    EXPECT(t, !latest(&made));
}
KTEST(report_store, lengths_are_not_trusted, KTEST_QUICK);
