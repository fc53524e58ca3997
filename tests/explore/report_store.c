/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report in memory (boot/report_store.h, S1): a reset at any instant, also with stores on their
 * way, leaves a mark that is whole, and a text that is at least what had been appended by then.
 */
#include <arch/wait.h>

#include "arch/sim/explore/scenario.h"
#include "boot/report_store.h"
#include "core/crc32.h"
#include "core/report_store.h"
#include "core/slab.h"
#include "core/string.h"

#define APPENDS 3u
#define STEPS_MAX 60u /* some more than the appends take */

static const char text[] = "one\ntwo and a half, which is longer\nthree\n";
static const uint32_t lengths[APPENDS + 1] = {0, 4, 36, sizeof(text) - 1};

static struct report_store *store;
static struct report_writer writer;
static EXPLORE_GHOST uint32_t appended;

static uint32_t crc32_of(const void *data, size_t bytes)
{
    return crc32_add(0, data, bytes);
}

static void store_begin(uint32_t variant)
{
    store = kzalloc(REPORT_STORE_BYTES_MIN);
    EXPLORE_CHECK(store != NULL, "no memory");
    store->bytes = REPORT_STORE_BYTES_MIN;
    report_writer_begin(&writer, store);
    explore_name(store, REPORT_STORE_BYTES_MIN, "store");
}

static void store_part(uint32_t i)
{
    if (i == 1) {
        for (uint32_t left = explore_random(STEPS_MAX); left > 0; left--)
            cpu_relax();
        explore_reset();
    }
    for (uint32_t k = 0; k < APPENDS; k++) {
        report_writer_append(&writer, text + lengths[k], lengths[k + 1] - lengths[k]);
        appended = k + 1;
    }
}

static void store_end(void)
{
    const struct report_store_mark *mark = report_store_latest(store, crc32_of);
    uint32_t found = 0;

    EXPLORE_CHECK(mark != NULL, "no mark is whole");
    while (found < APPENDS && lengths[found] != mark->text_bytes)
        found++;
    EXPLORE_CHECK(mark->text_bytes == lengths[found] && found >= appended,
                  "%u appends were done, kept are %llu bytes", appended,
                  (unsigned long long)mark->text_bytes);
    EXPLORE_CHECK(!memcmp((char *)store + REPORT_STORE_TEXT_OFFSET, text, mark->text_bytes),
                  "the text is not what was printed");
}

static const struct explore_scenario report_store_scenario = {
    .name = "report-store",
    .summary = "a reset at any instant of an append",
    .cpus = 2,
    .begin = store_begin,
    .part = store_part,
    .end = store_end,
};
EXPLORE_SCENARIO(report_store_scenario);
