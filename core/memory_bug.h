/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Misuse of an allocator: double free, foreign pointer, overrun. Debug builds panic with the
 * allocator, what happened and where; others warn, refuse the call and go on. A test that provokes
 * one on purpose catches it with the hook.
 */
#ifndef CORE_MEMORY_BUG_H
#define CORE_MEMORY_BUG_H

#include "core/compiler.h"

/* Called instead of panic or warning while it is set; by the CPU that found the bug, with no
 * allocator lock held. Set and cleared by tests on the boot CPU while the others are parked. */
extern void (*memory_bug_hook)(const char *allocator, const char *what, uintptr_t where);

/* `where` is an address or an area, in hexadecimal in the message. Context: any, no lock held. */
void memory_bug(const char *allocator, const char *what, uintptr_t where);

#endif
