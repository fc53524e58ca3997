/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An end to a machine that nobody watches and that resets itself in every run: a file on the medium
 * counts the runs in a row whose reports were found and had no end. Runs that left nothing in memory
 * do not stop a start: a machine that is switched off behind each run, its report on the serial
 * line, looks the same. See rescue.h.
 */
#include "boot/efi/app/rescue.h"

#define ANSWER_SECONDS 60u
#define POLL_US 100000u
#define POLLS (ANSWER_SECONDS * 1000000u / POLL_US)

EFI_STATUS rescue_count_end(EFI_FILE_HANDLE folder, bool came_to_its_end)
{
    unsigned before = rescue_marked(folder, RESCUE_UNFINISHED);

    if (came_to_its_end)
        return rescue_mark(folder, RESCUE_UNFINISHED, 0);
    return rescue_mark(folder, RESCUE_UNFINISHED,
                       before < RESCUE_UNFINISHED_MAX ? before + 1 : RESCUE_UNFINISHED_MAX);
}

/* A certain key, since lines without anybody at their end make others up. */
static bool person_says_start(void)
{
    SIMPLE_INPUT_INTERFACE *keyboard = ST->ConIn;

    if (keyboard)
        keyboard->Reset(keyboard, FALSE);
    for (unsigned i = 0; i < POLLS; i++) {
        EFI_INPUT_KEY key;

        BS->Stall(POLL_US);
        if (keyboard && !EFI_ERROR(keyboard->ReadKeyStroke(keyboard, &key)) &&
            (key.UnicodeChar == 's' || key.UnicodeChar == 'S'))
            return true;
    }
    return false;
}

bool rescue_may_start(EFI_FILE_HANDLE folder)
{
    EFI_STATUS status;

    if (rescue_marked(folder, RESCUE_UNFINISHED) < RESCUE_UNFINISHED_MAX)
        return true;
    Print(L"corestorm: no run is started: the last %d did not come to their end.\n"
          L"  To start again: press s now, or delete \\corestorm\\%s, or say save=off.\n"
          L"  The machine is switched off in %d seconds.\n",
          RESCUE_UNFINISHED_MAX, RESCUE_UNFINISHED, ANSWER_SECONDS);
    if (!person_says_start())
        return false;
    status = rescue_mark(folder, RESCUE_UNFINISHED, 0);
    if (EFI_ERROR(status))
        Print(L"corestorm: the count cannot be cleared: %r\n", status);
    return true;
}
