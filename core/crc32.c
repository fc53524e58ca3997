/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32, four bits at a time: a table of 64 bytes, fast enough for a serial line. */
#include "core/crc32.h"

#define POLYNOMIAL 0xedb88320u /* IEEE 802.3, reflected */

static uint32_t crc32_nibble(uint32_t crc)
{
    for (unsigned bit = 0; bit < 4; bit++)
        crc = (crc >> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    return crc;
}

uint32_t crc32_add(uint32_t crc, const void *data, size_t bytes)
{
    const uint8_t *byte = data;

    crc = ~crc;
    for (; bytes; bytes--, byte++) {
        crc ^= *byte;
        crc = crc32_nibble(crc32_nibble(crc));
    }
    return ~crc;
}
