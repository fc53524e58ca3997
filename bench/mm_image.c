/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that the exec storm runs: a small C program linked statically, as it was measured.
 *
 * gcc 12.2 -O2 -static with glibc 2.36 (Debian 12), Linux 6.18, transparent huge pages off for it;
 * from the process's own smaps, status and getrusage at the end of main:
 *
 *   area     pages  resident  anonymous        faults here
 *   header       1         1          -        1
 *   text       120       120          -        8  (windows of 16 pages)
 *   rodata      39        39          -        3
 *   relro        4         4          2        2 written, 1 read
 *   data         3         3          3        3
 *   bss          5         1          1        1
 *   heap        34         2          2        2
 *   vvar         4         0          -        -
 *   vdso         2         1          -        1  (counted as a file page)
 *   stack       33         3          3        3
 *   sum               174: 163 file, 11 anonymous; 25 faults
 *
 * A loop of 20,000 execs of itself had 26.07 faults an exec (we make 25), 304 us each on one CPU,
 * and 40 KiB of page tables below the pgd: with the addresses below, 10 tables as there. Addresses
 * are fixed; the kernel's randomisation is left out.
 *
 * Order of the faults: what execve itself writes (arguments on the stack, the end of data), start
 * code and relocation, then main, heap and clock.
 */
#include "bench/mm_model.h"

#define IMAGE_PAGE 0x400ull
#define HEAP_PAGE 0x3d090ull
#define VVAR_PAGE 0x7f2ec4cc4ull
#define VDSO_PAGE 0x7f2ec4cc8ull
#define STACK_PAGE 0x7fff2a339ull
#define STACK_PAGES 33ull

static const struct {
    uint64_t page;
    uint32_t pages, flags;
} image_areas[] = {
    {IMAGE_PAGE, 1, MM_AREA_FILE},                        /* header */
    {IMAGE_PAGE + 0x01, 120, MM_AREA_FILE},               /* text */
    {IMAGE_PAGE + 0x79, 39, MM_AREA_FILE},                /* rodata */
    {IMAGE_PAGE + 0xa0, 4, MM_AREA_FILE | MM_AREA_WRITE}, /* relro */
    {IMAGE_PAGE + 0xa4, 3, MM_AREA_FILE | MM_AREA_WRITE}, /* data */
    {IMAGE_PAGE + 0xa7, 5, MM_AREA_WRITE},                /* bss */
    {HEAP_PAGE, 34, MM_AREA_WRITE},
    {VVAR_PAGE, 4, MM_AREA_SPECIAL},
    {VDSO_PAGE, 2, MM_AREA_SPECIAL},
    {STACK_PAGE, STACK_PAGES, MM_AREA_WRITE},
};

#define VA(page) ((uint64_t)(page) << ARCH_PAGE_SHIFT)
#define READ(page)                                                                                 \
    {                                                                                              \
        VA(page), false                                                                            \
    }
#define WRITE(page)                                                                                \
    {                                                                                              \
        VA(page), true                                                                             \
    }

const struct mm_touch mm_image_touches[MM_IMAGE_TOUCHES] = {
    WRITE(STACK_PAGE + STACK_PAGES - 1), /* arguments */
    WRITE(IMAGE_PAGE + 0xa6),            /* the end of data, cleared up to bss */
    READ(IMAGE_PAGE + 0x01),             /* start code */
    READ(IMAGE_PAGE + 0x00),
    READ(IMAGE_PAGE + 0x79),
    WRITE(IMAGE_PAGE + 0xa0), /* relocations */
    WRITE(IMAGE_PAGE + 0xa1),
    READ(IMAGE_PAGE + 0xa2),
    WRITE(IMAGE_PAGE + 0xa4),
    WRITE(IMAGE_PAGE + 0xa5),
    WRITE(IMAGE_PAGE + 0xa7),
    READ(IMAGE_PAGE + 0x10), /* the rest of text and rodata, window by window */
    READ(IMAGE_PAGE + 0x20),
    READ(IMAGE_PAGE + 0x30),
    READ(IMAGE_PAGE + 0x40),
    READ(IMAGE_PAGE + 0x50),
    READ(IMAGE_PAGE + 0x60),
    READ(IMAGE_PAGE + 0x70),
    READ(IMAGE_PAGE + 0x80),
    READ(IMAGE_PAGE + 0x90),
    WRITE(HEAP_PAGE),
    WRITE(HEAP_PAGE + 1),
    WRITE(STACK_PAGE + STACK_PAGES - 2),
    WRITE(STACK_PAGE + STACK_PAGES - 3),
    READ(VDSO_PAGE),
};

int mm_image_map(struct mm_task *task, struct mm *mm)
{
    for (unsigned i = 0; i < ARRAY_LEN(image_areas); i++) {
        uint64_t page = image_areas[i].page;
        uint32_t flags = image_areas[i].flags;
        uint32_t file_page = flags & MM_AREA_FILE ? (uint32_t)(page - IMAGE_PAGE) : 0;
        int error =
            mm_area_add(task, mm, VA(page), VA(page + image_areas[i].pages), flags, file_page);

        if (error)
            return error;
    }
    return 0;
}
