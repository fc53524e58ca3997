/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of the run before: found in memory (boot/report_store.h), written to the medium that
 * the application came from, as \corestorm\report-NNN.txt; and memory for the report of this run.
 *
 * While a run may still be saved there is \corestorm\running.txt. Where the next start finds that
 * file and no report in memory, the report is lost: somebody switched the machine off, or firmware
 * uses that memory, and the next report is kept elsewhere. A machine whose memory does not outlive a
 * reset would so start, reset and start again without end: behind RESCUE_TRIES runs that were lost a
 * run does not reset it.
 *
 * Resets that the kernel does not ask for (a watchdog, a triple fault) could go on without end all
 * the same. So \corestorm\unfinished.txt counts saved reports of runs that did not come to their
 * end; behind RESCUE_UNFINISHED_MAX of them in a row no run is started.
 */
#ifndef BOOT_EFI_RESCUE_H
#define BOOT_EFI_RESCUE_H

#include "boot/efi/app/app.h"

/* Looks for a report, and saves it. *finished: it is saved, and the machine had been reset for that
 * alone. To be called before anything of size is allocated. An error has been printed, and leaves
 * the report in memory, for another start to save. */
EFI_STATUS rescue_save(const EFI_LOADED_IMAGE *loaded, bool *finished) APP_MUST_CHECK;
/* The machine is switched off. Returns where firmware cannot. */
void rescue_switch_off(void);

/* Takes memory for the report of this run, unless they say save=off or nothing can be
 * written to the medium; what is missing is printed. False: no run is to be started, which has been
 * said. */
bool rescue_prepare(const EFI_LOADED_IMAGE *loaded, struct app_text options,
                    struct app_text config) APP_MUST_CHECK;
void rescue_hand_over(struct boot_handoff *handoff);
/* The kernel is not started after all: what rescue_prepare left is taken back. */
void rescue_cancel(const EFI_LOADED_IMAGE *loaded);

/* --- rescue_file.c --- */

/* \corestorm on the medium, made where it is missing. */
EFI_STATUS rescue_folder(const EFI_LOADED_IMAGE *loaded, EFI_FILE_HANDLE *folder) APP_MUST_CHECK;
/* Writes pieces one after the other under the next free number; `name` gets the file's name. What
 * could not be written whole is taken away again. */
struct rescue_piece {
    const void *data;
    UINTN bytes;
};
#define RESCUE_NAME_CHARS 16u
EFI_STATUS rescue_write(EFI_FILE_HANDLE folder, const struct rescue_piece *pieces, UINTN count,
                        CHAR16 name[RESCUE_NAME_CHARS]) APP_MUST_CHECK;
/* Files that hold a number of runs in a row, as their first digit. */
#define RESCUE_RUNNING L"running.txt"       /* not saved, the one that is started too */
#define RESCUE_UNFINISHED L"unfinished.txt" /* saved, but reset in the middle */
#define RESCUE_TRIES 2u
#define RESCUE_UNFINISHED_MAX 3u
#define RESCUE_MARK_MAX 9u
/* The number; 0 where there is no such file, RESCUE_TRIES when it says something else. */
unsigned rescue_marked(EFI_FILE_HANDLE folder, CHAR16 *name);
/* More than RESCUE_MARK_MAX is that much; 0 takes the file away. */
EFI_STATUS rescue_mark(EFI_FILE_HANDLE folder, CHAR16 *name, unsigned number) APP_MUST_CHECK;

/* --- rescue_limit.c --- */

/* A report has been saved. */
EFI_STATUS rescue_count_end(EFI_FILE_HANDLE folder, bool came_to_its_end) APP_MUST_CHECK;
/* False: too many runs have failed, and nobody has said within a minute to start all the same. */
bool rescue_may_start(EFI_FILE_HANDLE folder);

#endif
