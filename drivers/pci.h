/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCI configuration space, as far as consoles need it before anything else works (PCI Local
 * Bus 3.0, 6.1 and 6.2; PCI Express Base 5.0, 7.5).
 *
 * Context: boot CPU, before the others run. Cost: a look at all functions is a few accesses for
 * each of 32 devices a bus; only buses that bridges lead to are looked at.
 */
#ifndef DRIVERS_PCI_H
#define DRIVERS_PCI_H

#include "core/compiler.h"
#include "core/registry.h"

struct pci_function {
    uint8_t bus, device, function;
};

/* A way to configuration space; accesses are of aligned 32 bits. The first one that works is used.
 */
struct pci_access {
    /* 0, or -CS_ENODEV. Called once. */
    int (*init)(void);
    uint32_t (*read)(struct pci_function at, unsigned offset);
    void (*write)(struct pci_function at, unsigned offset, uint32_t value);
};

REGISTRY_DECLARE(pci_accesses, const struct pci_access);
#define PCI_ACCESS(object) REGISTRY_ADD(pci_accesses, const struct pci_access, object)

uint32_t pci_read(struct pci_function at, unsigned offset);
void pci_write(struct pci_function at, unsigned offset, uint32_t value);

#define PCI_ID 0x00u
#define PCI_COMMAND 0x04u
#define PCI_COMMAND_IO 1u
#define PCI_COMMAND_MEMORY 2u
#define PCI_CLASS 0x08u /* class, subclass, interface, revision from the top */
#define PCI_HEADER 0x0cu
#define PCI_BAR0 0x10u
#define PCI_BARS 6u

/* Calls fn() for every function of the machine; it returns true to end the search. Every bus is
 * looked at once, whatever bridges say. */
typedef bool pci_function_fn(void *arg, struct pci_function at);
void pci_each_function(pci_function_fn *fn, void *arg);

/* The search over any reader, for tests. */
typedef uint32_t pci_reader(struct pci_function at, unsigned offset);
void pci_search(pci_reader *read, pci_function_fn *fn, void *arg);

/* A base address register. Its size is found by writing to it, with the device switched off
 * meanwhile. */
struct pci_bar {
    bool is_io;
    uint64_t base, bytes; /* bytes 0: there is none, or firmware gave it no address */
    unsigned registers;   /* 1, or 2 for one of 64 bits */
};
struct pci_bar pci_bar(struct pci_function at, unsigned i);

#endif
