/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ACPI tables made for tests. A table stands at the very end of its buffer, so that the sanitizer
 * builds fault on the first byte read behind it.
 */
#ifndef TESTS_KERNEL_ACPI_MADE_H
#define TESTS_KERNEL_ACPI_MADE_H

#include "drivers/acpi_format.h"

#define MADE_AREA_BYTES 8192u

struct made {
    uint8_t *at;
    size_t bytes;
};

static uint8_t made_area[MADE_AREA_BYTES];

static inline void made_append(struct made *m, const void *bytes, size_t count)
{
    memmove(m->at - count, m->at, m->bytes);
    m->at -= count;
    memcpy(m->at + m->bytes, bytes, count);
    m->bytes += count;
}

static inline void made_u32(struct made *m, size_t offset, uint32_t value)
{
    memcpy(m->at + offset, &value, sizeof(value));
}

/* Length and checksum. */
static inline void made_close(struct made *m)
{
    made_u32(m, 4, (uint32_t)m->bytes);
    m->at[9] = 0;
    m->at[9] = (uint8_t)-acpi_sum(m->at, m->bytes);
}

static inline struct made made_table(const char *signature, unsigned revision, size_t fixed_bytes)
{
    static const uint8_t zeros[512];
    struct made m = {made_area + MADE_AREA_BYTES, 0};

    made_append(&m, zeros, fixed_bytes);
    memcpy(m.at, signature, 4);
    m.at[8] = (uint8_t)revision;
    return m;
}

#endif
