/* SPDX-License-Identifier: Apache-2.0 */
/* CRC-32 of IEEE 802.3 (reflected 0x04C11DB7, as in zlib): crc32_add(0, …) starts, chains. */
#ifndef CORE_CRC32_H
#define CORE_CRC32_H

#include <stddef.h>
#include <stdint.h>

uint32_t crc32_add(uint32_t crc, const void *data, size_t bytes);

#endif
