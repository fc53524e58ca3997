/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report of the run before, and memory for this run's. See rescue.h.
 *
 * I1. A store is looked for in memory that firmware calls free, at multiples of
 *     REPORT_STORE_GRID_BYTES, and read only if all that its head claims is free memory too.
 * I2. Memory for a new one is taken only after the search.
 */
#include "boot/efi/app/rescue.h"
#include "boot/report_store.h"

#define PAGE_SHIFT 12u
#define STORE_BYTES_LARGE (16ull << 20)
#define STORE_BYTES_SMALL (2ull << 20)
#define LARGE_FROM_BYTES (1ull << 30) /* of free memory */
#define SHOWN_US 10000000u
#define PLACES_APART (4u * REPORT_STORE_GRID_BYTES) /* of two tries */
#define GOODBYE_US 5000000u
#define NOTICE_US 3000000u

struct free_memory {
    EFI_MEMORY_DESCRIPTOR *map;
    UINTN entries, stride;
};

static struct report_store *own_store;
static unsigned lost_before; /* what the mark said before this run */

static bool free_memory_read(struct free_memory *m)
{
    UINTN key;
    UINT32 version;

    m->map = LibMemoryMap(&m->entries, &key, &m->stride, &version);
    return m->map != NULL;
}

/* The i-th free range below the limit that the kernel's port has; false past the end. Others are
 * passed with *bytes = 0. */
static bool free_range(const struct free_memory *m, UINTN i, UINT64 *base, UINT64 *bytes)
{
    const EFI_MEMORY_DESCRIPTOR *d;
    UINT64 limit = payload_block_limit();

    if (i >= m->entries)
        return false;
    d = (const EFI_MEMORY_DESCRIPTOR *)((const char *)m->map + i * m->stride);
    *base = d->PhysicalStart;
    *bytes = d->Type == EfiConventionalMemory ? d->NumberOfPages << PAGE_SHIFT : 0;
    if (limit && (*base >= limit || *bytes > limit - *base))
        *bytes = *base >= limit ? 0 : limit - *base;
    return true;
}

static UINT32 crc32_of(const void *data, size_t bytes)
{
    UINT32 crc = 0;

    if (bytes && EFI_ERROR(BS->CalculateCrc32((void *)data, bytes, &crc)))
        return 0;
    return crc;
}

/* The first place of the grid in [base, base+bytes) from `from` on; 0 for none. */
static UINT64 grid_place(UINT64 base, UINT64 bytes, UINT64 from)
{
    UINT64 at = base > from ? base : from;

    at = (at + REPORT_STORE_GRID_BYTES - 1) & ~(REPORT_STORE_GRID_BYTES - 1);
    if (at < REPORT_STORE_GRID_BYTES)
        at = REPORT_STORE_GRID_BYTES;
    return at >= base && at - base < bytes ? at : 0;
}

static bool is_store(UINT64 at, UINT64 room)
{
    const struct report_store *store = (const struct report_store *)(UINTN)at;

    return room >= REPORT_STORE_BYTES_MIN && store->magic == REPORT_STORE_MAGIC &&
           store->bytes <= room && report_store_head_is_whole(store, crc32_of);
}

static bool is_to_save(const struct report_store_mark *mark)
{
    return mark && mark->text_bytes && mark->state != REPORT_STORE_NOTHING &&
           mark->state != REPORT_STORE_SAVED;
}

static struct report_store *find_store(void)
{
    struct free_memory m;
    struct report_store *found = NULL;
    UINT64 base, bytes;

    if (!free_memory_read(&m))
        return NULL;
    for (UINTN i = 0; !found && free_range(&m, i, &base, &bytes); i++)
        for (UINT64 at = grid_place(base, bytes, 0); at && !found;
             at = grid_place(base, bytes, at + 1)) {
            struct report_store *store = (struct report_store *)(UINTN)at;

            if (is_store(at, base + bytes - at) && is_to_save(report_store_latest(store, crc32_of)))
                found = store;
        }
    FreePool(m.map);
    return found;
}

static UINTN text_length(const char *text)
{
    UINTN length = 0;

    while (text[length])
        length++;
    return length;
}

static EFI_STATUS write_report(EFI_FILE_HANDLE folder, const struct report_store *store,
                               const struct report_store_mark *mark, CHAR16 *name)
{
    static const char cut[] = "# note: the run did not come to its end; this is what was kept when "
                              "the machine was reset\n";
    static const char lost[] = "# note: the memory for the report was full: what came behind is "
                               "lost\n";
    struct rescue_piece pieces[3] = {
        {(const char *)store + REPORT_STORE_TEXT_OFFSET, (UINTN)mark->text_bytes}};
    UINTN count = 1;

    if (mark->lost_bytes)
        pieces[count++] = (struct rescue_piece){lost, text_length(lost)};
    if (mark->state == REPORT_STORE_RUNNING)
        pieces[count++] = (struct rescue_piece){cut, text_length(cut)};
    return rescue_write(folder, pieces, count, name);
}

/* From a medium that cannot be written the machine can be started all the same. */
static EFI_STATUS keep(struct report_store *store, EFI_STATUS status)
{
    EFI_PHYSICAL_ADDRESS place = (UINTN)store;
    UINTN pages = EFI_SIZE_TO_PAGES((UINTN)store->bytes);

    Print(L"corestorm: the report of the run before cannot be saved here: %r\n", status);
    status = BS->AllocatePages(AllocateAddress, EfiReservedMemoryType, pages, &place);
    if (EFI_ERROR(status))
        Print(L"  It is lost: its memory cannot be kept (%r).\n", status);
    else
        Print(L"  It stays in memory, until a start from a medium that can be written.\n");
    BS->Stall(NOTICE_US);
    return EFI_SUCCESS;
}

static EFI_STATUS cannot_save(EFI_STATUS status)
{
    Print(L"corestorm: the report of the run before cannot be saved: %r\n", status);
    Print(status == EFI_VOLUME_FULL
              ? L"  The medium is full. Make room on it, and reset without switching off.\n"
              : L"  It stays in memory until the machine is switched off.\n");
    BS->Stall(SHOWN_US);
    return status;
}

/* The medium was there when the run was started. */
static EFI_STATUS save(const EFI_LOADED_IMAGE *loaded, struct report_store *store, bool *finished)
{
    const struct report_store_mark *mark = report_store_latest(store, crc32_of);
    CHAR16 name[RESCUE_NAME_CHARS];
    EFI_FILE_HANDLE folder;
    EFI_STATUS counted = EFI_SUCCESS, status = rescue_folder(loaded, &folder);

    if (EFI_ERROR(status))
        return keep(store, status);
    status = write_report(folder, store, mark, name);
    if (!EFI_ERROR(status)) {
        counted = rescue_count_end(folder, mark->state != REPORT_STORE_RUNNING);
        if (!EFI_ERROR(counted))
            counted = rescue_mark(folder, RESCUE_RUNNING, 0);
        *finished = mark->state == REPORT_STORE_LEAVING;
        Print(L"corestorm: the report of the run before is saved: \\corestorm\\%s, %ld bytes%s\n",
              name, mark->text_bytes,
              mark->state == REPORT_STORE_RUNNING ? L" (that run did not come to its end)" : L"");
        ZeroMem(store, sizeof(*store));
        payload_write_back((UINTN)store, sizeof(*store));
    }
    folder->Close(folder);
    if (EFI_ERROR(counted))
        return app_fail(counted, L"runs that failed cannot be counted in \\corestorm");
    if (status == EFI_WRITE_PROTECTED)
        return keep(store, status);
    return EFI_ERROR(status) ? cannot_save(status) : EFI_SUCCESS;
}

EFI_STATUS rescue_save(const EFI_LOADED_IMAGE *loaded, bool *finished)
{
    struct report_store *store = find_store();

    *finished = false;
    return store ? save(loaded, store, finished) : EFI_SUCCESS;
}

void rescue_switch_off(void)
{
    Print(L"corestorm: that is all; switching off\n");
    BS->Stall(GOODBYE_US);
    RT->ResetSystem(EfiResetShutdown, EFI_SUCCESS, 0, NULL);
}

/* Whether the last save= outside of comments is save=off, as the kernel will read it; `before`
 * where there is none. */
static bool is_off(struct app_text text, bool before)
{
    static const char name[] = "save=", off[] = "save=off";
    const UINTN name_bytes = sizeof(name) - 1, off_bytes = sizeof(off) - 1;
    bool in_comment = false;

    for (UINTN i = 0; i + name_bytes <= text.bytes; i++) {
        const char *at = text.text + i;
        bool begins = !i || at[-1] <= ' ';

        if (*at == '\n')
            in_comment = false;
        else if (begins && *at == '#')
            in_comment = true;
        if (begins && !in_comment && !CompareMem(at, name, name_bytes))
            before = i + off_bytes <= text.bytes && !CompareMem(at, off, off_bytes) &&
                     (i + off_bytes == text.bytes || at[off_bytes] <= ' ');
    }
    return before;
}

/* All free memory, and where it begins. */
static UINT64 free_bytes(const struct free_memory *m, UINT64 *lowest)
{
    UINT64 base, bytes, sum = 0;

    *lowest = ~0ull;
    for (UINTN i = 0; free_range(m, i, &base, &bytes); i++) {
        sum += bytes;
        if (bytes && base < *lowest)
            *lowest = base;
    }
    return sum;
}

/* Reserved, so that nobody takes it for usable memory. Not where memory begins: firmware, or who
 * starts it, puts things there at every start. */
static struct report_store *take_place(const struct free_memory *m, UINT64 from, UINT64 need)
{
    UINT64 base, bytes;

    for (UINTN i = 0; free_range(m, i, &base, &bytes); i++)
        for (UINT64 at = grid_place(base, bytes, from); at; at = grid_place(base, bytes, at + 1)) {
            EFI_PHYSICAL_ADDRESS place = at;

            if (base + bytes - at >= need &&
                !EFI_ERROR(BS->AllocatePages(AllocateAddress, EfiReservedMemoryType,
                                             EFI_SIZE_TO_PAGES(need), &place)))
                return (struct report_store *)(UINTN)place;
        }
    return NULL;
}

static struct report_store *make_store(unsigned lost)
{
    struct free_memory m;
    struct report_store *store;
    UINT64 bytes, lowest;

    if (!free_memory_read(&m))
        return NULL;
    bytes = free_bytes(&m, &lowest) >= LARGE_FROM_BYTES ? STORE_BYTES_LARGE : STORE_BYTES_SMALL;
    store = take_place(&m, lowest + 1 + (lost < RESCUE_TRIES ? lost : RESCUE_TRIES) * PLACES_APART, bytes);
    if (!store)
        store = take_place(&m, lowest + 1, bytes);
    FreePool(m.map);
    if (!store)
        return NULL;
    ZeroMem(store, sizeof(*store));
    store->magic = REPORT_STORE_MAGIC;
    store->version = REPORT_STORE_VERSION;
    store->may_reset = lost < RESCUE_TRIES;
    store->bytes = bytes;
    store->crc32 = crc32_of(store, offsetof(struct report_store, crc32));
    payload_write_back((UINTN)store, sizeof(*store));
    return store;
}

static void drop_store(void)
{
    EFI_STATUS status = BS->FreePages((UINTN)own_store, EFI_SIZE_TO_PAGES((UINTN)own_store->bytes));

    own_store = NULL;
    if (EFI_ERROR(status))
        Print(L"corestorm: the memory for the report stays reserved: %r\n", status);
}

static void say_lost(unsigned lost)
{
    Print(L"corestorm: a run was started from here, but its report did not survive: the machine\n"
          L"  was switched off, or that memory does not outlive a reset.%s\n",
          lost < RESCUE_TRIES ? L"" : L" This run will not reset it.");
    BS->Stall(NOTICE_US);
}

bool rescue_prepare(const EFI_LOADED_IMAGE *loaded, struct app_text options, struct app_text config)
{
    EFI_FILE_HANDLE folder;
    EFI_STATUS status;

    if (is_off(options, is_off(config, false)))
        return true;
    status = rescue_folder(loaded, &folder);
    if (EFI_ERROR(status)) {
        Print(L"corestorm: nothing can be written here (%r): the report will not be saved\n",
              status);
        return true;
    }
    if (!rescue_may_start(folder)) {
        folder->Close(folder);
        return false;
    }
    lost_before = rescue_marked(folder, RESCUE_RUNNING);
    if (lost_before)
        say_lost(lost_before);
    own_store = make_store(lost_before);
    if (own_store)
        status = rescue_mark(folder, RESCUE_RUNNING, lost_before + 1);
    else
        Print(L"corestorm: no memory to keep the report in: it will not be saved\n");
    if (EFI_ERROR(status)) {
        Print(L"corestorm: the medium cannot be written (%r): the report will not be saved\n",
              status);
        drop_store();
    }
    folder->Close(folder);
    return true;
}

void rescue_cancel(const EFI_LOADED_IMAGE *loaded)
{
    EFI_FILE_HANDLE folder;

    if (!own_store)
        return;
    drop_store();
    if (EFI_ERROR(rescue_folder(loaded, &folder)))
        return;
    if (EFI_ERROR(rescue_mark(folder, RESCUE_RUNNING, lost_before)))
        Print(L"corestorm: \\corestorm\\running.txt cannot be written\n");
    folder->Close(folder);
}

void rescue_hand_over(struct boot_handoff *handoff)
{
    if (!own_store)
        return;
    handoff->report_store_phys = (UINTN)own_store;
    handoff->report_store_bytes = own_store->bytes;
}
