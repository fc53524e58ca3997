/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An EFI application that makes firmware odd, and then starts the one under test:
 *
 *   \EFI\BOOT\BOOT*.EFI   this one      \chaos.cfg   words, below      \EFI\BOOT\CORESTORM.EFI
 *
 *   map=N      the memory map has N entries or more, in no order (map.c)
 *   stride=N   its descriptors are N bytes longer than the specification's
 *   high       no memory below 4 GiB is usable: there are arm64 machines that have none there
 *   onelow     x86-64: of the memory below 1 MiB, where CPUs start, one page is usable
 *   holes=N    N reserved pages lie alone in free memory, more than 2 MiB apart
 *   key=N      the first N calls of ExitBootServices find that the map has changed
 *   grow=N     and that it has N entries more
 *   low        the address at which the x86-64 kernel is linked is firmware's
 *   shuffle    the MADT's entries are in reverse, so the boot CPU is not the first one (madt.c)
 *   pad        disabled CPUs, ids that are nobody's, unknown and longer entries between them
 *   absent     two CPUs that do not exist are listed as enabled
 *   twice      each CPU is listed twice (x86-64: as APIC and as x2APIC)
 *   x2apic     x86-64: the boot CPU's APIC is in x2APIC mode (<arch>/port.c)
 *   options=K  load options: bom, name, ascii, long, junk (options.c)
 *
 * Boot services are left with the watchdog off, or not at all.
 */
#ifndef TESTS_EFI_CHAOS_H
#define TESTS_EFI_CHAOS_H

#include <efi.h>
#include <efilib.h>

#include <stdbool.h>

/* Of chaos.cfg: whether the word is there; the number behind "name=", 0 when it is not. */
bool chaos_wants(const char *word);
UINTN chaos_number(const char *name);

/* Each returns an error that ends the test, having said why. */
EFI_STATUS chaos_fail(EFI_STATUS status, const CHAR16 *what);
EFI_STATUS chaos_hook_map(void);
EFI_STATUS chaos_edit_madt(void);
EFI_STATUS chaos_disturb_port(void);
void chaos_set_options(EFI_LOADED_IMAGE *child);

#endif
