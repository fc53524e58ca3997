/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of names. See core/choice.h. */
#include "core/choice.h"

#include "core/log.h"
#include "core/panic.h"
#include "core/param.h"
#include "core/string.h"

#define PIECE_BYTES 400u

static bool is_name(const struct choice_names *names, const char *item, size_t bytes)
{
    const char *rest = names->text, *name;
    size_t name_bytes;

    while (param_list_next(&rest, &name, &name_bytes)) {
        size_t blank = *name == ' ';

        if (name_bytes - blank == bytes && strncmp(name + blank, item, bytes) == 0)
            return true;
    }
    return false;
}

void choice_add(struct choice_names *names, const char *name)
{
    size_t bytes = strlen(name);

    if (is_name(names, name, bytes))
        return;
    ASSERT(names->bytes + bytes + 3 <= sizeof(names->text));
    if (names->bytes) {
        memcpy(names->text + names->bytes, ", ", 2);
        names->bytes += 2;
    }
    memcpy(names->text + names->bytes, name, bytes + 1);
    names->bytes += bytes;
}

static bool has_a_name(const char *list, const struct choice_names *names)
{
    const char *item;
    size_t bytes;

    while (param_list_next(&list, &item, &bytes))
        if (is_name(names, item, bytes))
            return true;
    return false;
}

/* In pieces that a line of the log holds. */
static void list_names(const char *thing, const struct choice_names *names)
{
    const char *rest = names->text;

    while (*rest) {
        size_t bytes = strnlen(rest, PIECE_BYTES);

        while (rest[bytes] && rest[bytes - 1] != ' ')
            bytes--;
        log_line("%ss there are: %.*s", thing, (int)bytes, rest);
        rest += bytes;
    }
}

void choice_list(void)
{
    static struct choice_names names;

    for (REGISTRY_EACH(choices, const struct choice, p)) {
        memset(&names, 0, sizeof(names));
        (*p)->add_names(&names);
        list_names((*p)->thing, &names);
    }
}

const char *choice_check(const char *param, const char *thing, const char *list,
                         const struct choice_names *names, const char *otherwise)
{
    const char *rest = list, *item;
    bool known = has_a_name(list, names), wrong = false;
    size_t bytes;

    while (param_list_next(&rest, &item, &bytes)) {
        if (is_name(names, item, bytes))
            continue;
        param_error(param, list, "no %s \"%.*s\", %s%s", thing, (int)bytes, item,
                    known ? "it is left out" : "it stays ", known ? "" : otherwise);
        wrong = true;
    }
    if (wrong)
        list_names(thing, names);
    return known ? list : otherwise;
}
