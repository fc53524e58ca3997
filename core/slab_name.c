/* SPDX-License-Identifier: Apache-2.0 */
/* Which cache an address belongs to, for reports. */
#include "core/slab_internal.h"

bool slab_name_of(const void *address, const char **cache, size_t *offset)
{
    const struct page *page = virt_to_page(address);
    const struct slab_cache *owner = page->owner;

    if (!(page_flags(page) & PAGE_SLAB) || !owner || !owner->stride)
        return false;
    *cache = owner->name;
    *offset = (size_t)((const char *)address - (const char *)page_to_virt(slab_head_of(address))) %
              owner->stride;
    return true;
}
