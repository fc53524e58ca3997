/* SPDX-License-Identifier: Apache-2.0 */
/* Finding functions and their registers. See drivers/pci.h. */
#include "drivers/pci.h"

#include "core/errno.h"

#define BUSES 256u
#define DEVICES 32u
#define FUNCTIONS 8u
#define ID_NONE 0xffffffffu
#define HEADER_MULTI (1u << 23)
#define HEADER_TYPE(word) ((word) >> 16 & 0x7f)
#define HEADER_BRIDGE 1u
#define BRIDGE_BUSES 0x18u /* primary, secondary, subordinate from the bottom */
#define BAR_IO 1u
#define BAR_64BIT(low) (((low) >> 1 & 3) == 2)
#define BAR_IO_MASK 0xfffffffcu
#define BAR_MEMORY_MASK 0xfffffff0u
#define PCI_PHYS_LIMIT (1ull << 52)

static const struct pci_access *pci_find_access(void)
{
    static const struct pci_access *access;
    static bool looked;

    for (REGISTRY_EACH(pci_accesses, const struct pci_access, p))
        if (!looked && !access && (*p)->init() == 0)
            access = *p;
    looked = true;
    return access;
}

uint32_t pci_read(struct pci_function at, unsigned offset)
{
    const struct pci_access *access = pci_find_access();

    return access ? access->read(at, offset) : ID_NONE;
}

void pci_write(struct pci_function at, unsigned offset, uint32_t value)
{
    const struct pci_access *access = pci_find_access();

    if (access)
        access->write(at, offset, value);
}

/* --- the search --- */

struct pci_walk {
    pci_reader *read;
    pci_function_fn *fn;
    void *arg;
    bool seen[BUSES];     /* or waiting */
    uint8_t queue[BUSES]; /* each bus once: it cannot overflow */
    unsigned nr_queued;
};

static void pci_queue_bus(struct pci_walk *walk, uint8_t bus)
{
    if (walk->seen[bus])
        return;
    walk->seen[bus] = true;
    walk->queue[walk->nr_queued++] = bus;
}

/* True when the caller has seen enough. */
static bool pci_visit(struct pci_walk *walk, struct pci_function at)
{
    uint32_t header = walk->read(at, PCI_HEADER);

    if (HEADER_TYPE(header) == HEADER_BRIDGE)
        pci_queue_bus(walk, (uint8_t)(walk->read(at, BRIDGE_BUSES) >> 8));
    return walk->fn(walk->arg, at);
}

static bool pci_visit_device(struct pci_walk *walk, uint8_t bus, uint8_t device)
{
    struct pci_function at = {bus, device, 0};
    unsigned functions;

    if (walk->read(at, PCI_ID) == ID_NONE)
        return false;
    functions = walk->read(at, PCI_HEADER) & HEADER_MULTI ? FUNCTIONS : 1;
    for (; at.function < functions; at.function++)
        if (walk->read(at, PCI_ID) != ID_NONE && pci_visit(walk, at))
            return true;
    return false;
}

void pci_search(pci_reader *read, pci_function_fn *fn, void *arg)
{
    struct pci_walk walk = {.read = read, .fn = fn, .arg = arg};

    pci_queue_bus(&walk, 0);
    for (unsigned i = 0; i < walk.nr_queued; i++)
        for (uint8_t device = 0; device < DEVICES; device++)
            if (pci_visit_device(&walk, walk.queue[i], device))
                return;
}

void pci_each_function(pci_function_fn *fn, void *arg)
{
    if (pci_find_access())
        pci_search(pci_read, fn, arg);
}

/* --- base addresses --- */

/* What stays of all ones: the bits that the device has. */
static uint32_t pci_bar_mask(struct pci_function at, unsigned offset)
{
    uint32_t was = pci_read(at, offset), mask;

    pci_write(at, offset, UINT32_MAX);
    mask = pci_read(at, offset);
    pci_write(at, offset, was);
    return mask;
}

static void pci_bar_read(struct pci_function at, unsigned offset, struct pci_bar *bar)
{
    uint32_t low = pci_read(at, offset), mask = pci_bar_mask(at, offset);
    uint64_t size_mask;

    bar->is_io = low & BAR_IO;
    if (bar->is_io) {
        bar->base = low & BAR_IO_MASK & UINT16_MAX;
        size_mask = (mask & BAR_IO_MASK) | ~0xffffull; /* the upper half need not be there */
    } else {
        bar->base = low & BAR_MEMORY_MASK;
        size_mask = (mask & BAR_MEMORY_MASK) | 0xffffffffull << 32;
        if (BAR_64BIT(low)) {
            bar->registers = 2;
            bar->base |= (uint64_t)pci_read(at, offset + 4) << 32;
            size_mask = (mask & BAR_MEMORY_MASK) | (uint64_t)pci_bar_mask(at, offset + 4) << 32;
        }
    }
    bar->bytes = mask && bar->base ? ~size_mask + 1 : 0;
}

struct pci_bar pci_bar(struct pci_function at, unsigned i)
{
    struct pci_bar bar = {.registers = 1};
    uint32_t command = pci_read(at, PCI_COMMAND) & 0xffff; /* ones in the status would clear it */
    uint64_t limit;

    pci_write(at, PCI_COMMAND, command & ~(PCI_COMMAND_IO | PCI_COMMAND_MEMORY));
    pci_bar_read(at, PCI_BAR0 + 4 * i, &bar);
    pci_write(at, PCI_COMMAND, command);
    limit = bar.is_io ? 1u << 16 : PCI_PHYS_LIMIT;
    if (bar.base >= limit || bar.bytes > limit - bar.base || bar.base & (bar.bytes - 1))
        bar.bytes = 0;
    if (i + bar.registers > PCI_BARS)
        bar.bytes = 0;
    return bar;
}
