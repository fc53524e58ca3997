/* SPDX-License-Identifier: Apache-2.0 */
/* The symbol table of the build's first link, which the second one's replaces. In a file of its
 * own: clang takes the initialiser of a weak constant that it sees for its value. */
#include "core/symbol_table.h"

__attribute__((weak)) const struct symbol_table symbol_table = {.count = 0};
