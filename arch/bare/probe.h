/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions that may fault: each returns false instead. Context: any CPU whose trap table is
 * loaded. The port's (x86_64/probe.asm, arm64/exceptions_entry.S). */
#ifndef BARE_PROBE_H
#define BARE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

bool probe_read64(uintptr_t va, uint64_t *value);
bool probe_write8(uintptr_t va, uint8_t value);
bool probe_call(uintptr_t va); /* a function without arguments that keeps the C ABI */

#endif
