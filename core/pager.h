/* SPDX-License-Identifier: Apache-2.0 */
/* Text that is longer than a screen, page by page: by keys, or by itself. */
#ifndef CORE_PAGER_H
#define CORE_PAGER_H

#include "core/console.h"

/* Rows that `text` has on a screen of so many columns: lines longer than columns - 1 go on in the
 * next row. Pure. */
size_t pager_rows(const char *text, size_t bytes, uint32_t columns);
/* Where row `row` begins: offset in the text, `bytes` past the end. Pure. */
size_t pager_row_at(const char *text, size_t bytes, uint32_t columns, size_t row);

/* Shows the text, from its last page on with `at_end`, until q, escape or ctrl-C, or `idle_s`
 * seconds without a key. With turn_s, pages turn by themselves each turn_s seconds, for `idle_s`
 * seconds together; a key stops that for as long as it would have gone on. */
void pager_show(struct console *screen, const char *text, size_t bytes, bool at_end,
                uint32_t idle_s, uint32_t turn_s);

/* At the end of all runs: where a screen is all that the report has to get out by, it is shown
 * there for hold= seconds. */
void pager_hold(void);

#endif
