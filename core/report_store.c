/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps what is printed. See core/report_store.h.
 *
 * It is a console like others, so what was printed before there was memory comes to it as to them.
 * Without memory from the boot path it takes some of its own, which nobody looks for after a reset.
 */
#include "core/report_store.h"

#include <arch/mmu.h>

#include "core/console.h"
#include "core/crc32.h"
#include "core/errno.h"
#include "core/init.h"
#include "core/log.h"
#include "core/memory_map.h"
#include "core/param.h"
#include "core/string.h"

#define OWN_BYTES_MAX (8ull << 20)
#define OWN_SHARE 64u /* of the usable memory */

enum save_mode { SAVE_AUTO, SAVE_OFF, SAVE_KEEP, SAVE_RESET };

static struct report_writer kept;
static bool outlives_reset;
static enum save_mode save_mode;

static int parse_save(const char *text, const char **why)
{
    static const char *const names[] = {"auto", "off", "keep", "reset"};

    for (unsigned i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(text, names[i])) {
            save_mode = (enum save_mode)i;
            return 0;
        }
    return -CS_EINVAL;
}

PARAM_CUSTOM(save, "save", parse_save, "auto, off, keep or reset",
             "the report is kept for the next start to save it on the stick; reset: the machine "
             "resets itself for that at the end; auto: only where no serial line took the report");

static uint32_t crc32_of(const void *data, size_t bytes)
{
    return crc32_add(0, data, bytes);
}

/* The boot path's memory; NULL where there is none, or it is not what it should be. */
static struct report_store *store_of_boot_path(void)
{
    uint64_t phys = kernel_handoff->report_store_phys, bytes = kernel_handoff->report_store_bytes;
    struct report_store *store;

    if (!phys)
        return NULL;
    if (phys % REPORT_STORE_GRID_BYTES || bytes < REPORT_STORE_BYTES_MIN ||
        bytes > REPORT_STORE_BYTES_MAX || memory_map_overlaps(phys, bytes)) {
        log_warn("memory for the report, %llu bytes at %#llx: not a place for it; nothing is saved",
                 (unsigned long long)bytes, (unsigned long long)phys);
        return NULL;
    }
    store = arch_map_memory(phys, bytes);
    if (!store || store->bytes != bytes || !report_store_head_is_whole(store, crc32_of)) {
        log_warn("memory for the report at %#llx: its head is damaged; nothing is saved",
                 (unsigned long long)phys);
        return NULL;
    }
    return store;
}

static struct report_store *store_of_own(void)
{
    uint64_t bytes = MIN(OWN_BYTES_MAX, memory_map_usable_bytes() / OWN_SHARE), phys;
    struct report_store *store;

    bytes = ALIGN_UP(MAX(bytes, REPORT_STORE_BYTES_MIN), (uint64_t)ARCH_PAGE_BYTES);
    phys = bootmem_take(bytes, ARCH_PAGE_BYTES, 0, UINT64_MAX);
    if (!phys)
        return NULL;
    store = phys_to_virt(phys);
    memset(store, 0, sizeof(*store));
    store->bytes = bytes;
    return store;
}

static int store_probe(struct console *con)
{
    struct report_store *store = store_of_boot_path();

    outlives_reset = store && save_mode != SAVE_OFF;
    if (!store)
        store = store_of_own();
    if (!store)
        return -CS_ENODEV;
    report_writer_begin(&kept, store);
    if (outlives_reset)
        log_line("save: the report is kept at %#llx, %llu KiB, over a reset",
                 (unsigned long long)kernel_handoff->report_store_phys,
                 (unsigned long long)(store->bytes >> 10));
    else
        report_writer_state(&kept, REPORT_STORE_NOTHING);
    return 0;
}

static size_t store_write(struct console *con, const char *text, size_t bytes)
{
    report_writer_append(&kept, text, bytes);
    return bytes;
}

static struct console store_console = {.name = "store",
                                       .kind = CONSOLE_RECORD,
                                       .rank = 10,
                                       .probe = store_probe,
                                       .write = store_write};
CONSOLE_DRIVER(store_console);

const char *report_store_text(size_t *bytes)
{
    *bytes = (size_t)kept.used;
    return kept.store ? (const char *)kept.store + REPORT_STORE_TEXT_OFFSET : "";
}

uint64_t report_store_lost_bytes(void)
{
    return kept.lost_bytes;
}

static void set_state(enum report_store_state state)
{
    if (outlives_reset)
        report_writer_state(&kept, state);
}

void report_store_begin(void)
{
    if (!kept.store)
        return;
    if (kept.used > (kept.store->bytes - REPORT_STORE_TEXT_OFFSET) / 2)
        report_writer_drop(&kept);
    set_state(REPORT_STORE_RUNNING);
}

void report_store_complete(void)
{
    set_state(REPORT_STORE_COMPLETE);
}

bool report_store_can_save(void)
{
    return outlives_reset;
}

bool report_store_wants_reset(void)
{
    if (!kept.store || save_mode == SAVE_OFF || save_mode == SAVE_KEEP ||
        (save_mode == SAVE_AUTO && console_is_heard()))
        return false;
    if (!outlives_reset) {
        log_line("save: nothing is saved: only the EFI application can, on a medium that it can "
                 "write");
        return false;
    }
    if (!kept.store->may_reset) {
        log_line("save: no reset: the reports of the runs before did not survive one. Reset the "
                 "machine by hand to try it once more");
        return false;
    }
    log_line("save: resetting, so that the next start saves the report");
    set_state(REPORT_STORE_LEAVING);
    return true;
}
