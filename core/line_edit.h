/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line, typed: backspace takes a character back, ctrl-U all, ctrl-C gives the line up. Escape
 * sequences of terminals (cursor keys) and keys without a character are passed over. Pure.
 */
#ifndef CORE_LINE_EDIT_H
#define CORE_LINE_EDIT_H

#include "core/compiler.h"

#define LINE_EDIT_BYTES 512u

enum line_event {
    LINE_GOES_ON,
    LINE_DONE, /* text is the line */
    LINE_GIVEN_UP,
};

struct line_edit {
    char text[LINE_EDIT_BYTES]; /* terminated */
    size_t used;
    enum { LINE_PLAIN, LINE_ESCAPE, LINE_SEQUENCE } escape;
    bool after_cr; /* an LF right behind it is the same key */
    void (*echo)(const char *text, size_t bytes);
};

void line_edit_begin(struct line_edit *line, void (*echo)(const char *text, size_t bytes));
/* What console_read() gave. A line that is full takes no more and rings the bell. */
enum line_event line_edit_key(struct line_edit *line, int key);

#endif
