/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report in memory that survives a warm reset: the layout that the kernel writes and that the
 * EFI application reads at its next start, maybe from another version of either.
 *
 *   | struct report_store | ... | text, as it was printed, LF line ends            | unused |
 *   0                          REPORT_STORE_TEXT_OFFSET                             bytes
 *
 * S1. Readable at any instant: text is appended first, then one of the two marks says how much of
 *     it counts; they are written in turn, so that the other one stays whole. The reader takes the
 *     whole mark with the higher sequence whose text has the CRC that it says.
 * S2. Nothing in it is trusted: every field is checked against the place where it was found.
 * S3. The store begins on a multiple of REPORT_STORE_GRID_BYTES, so that it is found by looking at
 *     those places of usable memory only, whatever the memory map was at the start before.
 * S4. Writers push what they wrote out of the caches, which a reset loses: text before marks.
 *
 * CRC-32 is that of IEEE 802.3 (UEFI's CalculateCrc32, zlib's crc32). Little endian.
 */
#ifndef BOOT_REPORT_STORE_H
#define BOOT_REPORT_STORE_H

#include <stddef.h>
#include <stdint.h>

#define REPORT_STORE_MAGIC 0x74726f7065725243ull /* "CRreport" */
#define REPORT_STORE_VERSION 1u
#define REPORT_STORE_GRID_BYTES (64ull << 20)
#define REPORT_STORE_TEXT_OFFSET 4096u
#define REPORT_STORE_BYTES_MIN (64ull << 10)
#define REPORT_STORE_BYTES_MAX (64ull << 20)

enum report_store_state {
    REPORT_STORE_NOTHING,  /* nothing that is to be saved (save=off) */
    REPORT_STORE_RUNNING,  /* ends where it ends: a hang, or a reset in the middle */
    REPORT_STORE_COMPLETE, /* the run came to its verdict */
    REPORT_STORE_LEAVING,  /* and the kernel reset the machine: save it and switch off */
    REPORT_STORE_SAVED,    /* it is on the medium */
};

struct report_store_mark {
    uint64_t sequence; /* 1, 2, … */
    uint64_t text_bytes;
    uint64_t lost_bytes; /* what had no room any more */
    uint32_t state;      /* enum report_store_state */
    uint32_t text_crc32;
    uint32_t crc32; /* of the fields before it */
    uint32_t reserved[7];
};
_Static_assert(sizeof(struct report_store_mark) == 64, "one line each");

/* The application fills what stands before the marks, both marks zero; the kernel writes marks and
 * text. */
struct report_store {
    uint64_t magic;
    uint32_t version;
    uint32_t may_reset; /* 0: what is kept cannot be saved at the next start, do not reset for it */
    uint64_t bytes;     /* all of it */
    uint32_t crc32;     /* of the fields before it */
    uint32_t reserved[9];
    struct report_store_mark marks[2];
};
_Static_assert(sizeof(struct report_store) == 192, "three lines");

typedef uint32_t (*report_store_crc32)(const void *data, size_t bytes);

static inline int report_store_head_is_whole(const struct report_store *store,
                                             report_store_crc32 crc32)
{
    return store->magic == REPORT_STORE_MAGIC && store->version == REPORT_STORE_VERSION &&
           store->bytes >= REPORT_STORE_BYTES_MIN && store->bytes <= REPORT_STORE_BYTES_MAX &&
           store->crc32 == crc32(store, offsetof(struct report_store, crc32));
}

static inline int report_store_mark_is_whole(const struct report_store *store,
                                             const struct report_store_mark *mark,
                                             report_store_crc32 crc32)
{
    const char *text = (const char *)store + REPORT_STORE_TEXT_OFFSET;

    return mark->sequence && mark->state <= REPORT_STORE_SAVED &&
           mark->crc32 == crc32(mark, offsetof(struct report_store_mark, crc32)) &&
           mark->text_bytes <= store->bytes - REPORT_STORE_TEXT_OFFSET &&
           mark->text_crc32 == crc32(text, (size_t)mark->text_bytes);
}

/* The mark that counts (S1) of a store whose head is whole and whose `bytes` can be read; NULL when
 * neither is whole. */
static inline const struct report_store_mark *report_store_latest(const struct report_store *store,
                                                                  report_store_crc32 crc32)
{
    const struct report_store_mark *first = &store->marks[0], *second = &store->marks[1];

    if (second->sequence > first->sequence) {
        first = &store->marks[1];
        second = &store->marks[0];
    }
    if (report_store_mark_is_whole(store, first, crc32))
        return first;
    return report_store_mark_is_whole(store, second, crc32) ? second : NULL;
}

#endif
