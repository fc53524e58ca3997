/* SPDX-License-Identifier: Apache-2.0 */
/* The table of the first link, without functions; the second link's own replaces it. In a file of
 * its own, since clang reads a constant that it sees, although a weak one may be replaced. */
#include "core/symbol_table.h"

__attribute__((weak)) const struct symbol_table symbol_table = {.count = 0};
