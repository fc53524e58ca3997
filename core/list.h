/* SPDX-License-Identifier: Apache-2.0 */
/* Doubly linked circular list, links inside the objects. The caller locks. */
#ifndef CORE_LIST_H
#define CORE_LIST_H

#include "core/compiler.h"

struct list {
    struct list *next, *prev;
};

#define LIST_INIT(name)                                                                            \
    {                                                                                              \
        &(name), &(name)                                                                           \
    }

static inline void list_init(struct list *l)
{
    l->next = l->prev = l;
}

static inline bool list_empty(const struct list *l)
{
    return l->next == l;
}

static inline void list_insert_between(struct list *entry, struct list *prev, struct list *next)
{
    entry->prev = prev;
    entry->next = next;
    next->prev = entry;
    prev->next = entry;
}

static inline void list_add(struct list *head, struct list *entry)
{
    list_insert_between(entry, head, head->next);
}

static inline void list_add_tail(struct list *head, struct list *entry)
{
    list_insert_between(entry, head->prev, head);
}

static inline void list_del(struct list *entry)
{
    entry->prev->next = entry->next;
    entry->next->prev = entry->prev;
}

#define LIST_ENTRY(ptr, type, member) CONTAINER_OF(ptr, type, member)

#endif
