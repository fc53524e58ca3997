/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the kernel's own functions, from a table that the build makes (tools/symbols.py) and
 * links in; the hosted port asks the host. */
#ifndef CORE_SYMBOLS_H
#define CORE_SYMBOLS_H

#include <stdint.h>

/* The function that holds `pc` and the offset in it; NULL when unknown. */
const char *symbol_lookup(uintptr_t pc, uintptr_t *offset);

#endif
