/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The screen that the boot path hands over, as a console: "fb".
 *
 *   console_write ──> text in RAM (drivers/screen_text.h) ──now and then, or flush──> pixels
 *
 * I1. Drawn only in write and flush, by the holder of the console's lock: nothing is written while
 *     the log is hushed, so nothing is drawn during a measurement; core/log.c flushes before.
 * I2. A framebuffer that lies in usable memory is somebody's mistake, and is left alone.
 *
 * Cost: the pixels of the cells that changed, written once and never read, write combining.
 */
#include <arch/mmu.h>
#include <arch/time.h>

#include "core/console.h"
#include "core/errno.h"
#include "core/init.h"
#include "core/log.h"
#include "core/memory_map.h"
#include "drivers/screen_text.h"

#define DRAW_PAUSE 4u /* times as long as drawing took: it has a fifth of the time at most */
#define CELLS_MAX (1u << 20)

static struct canvas screen_canvas;
static struct screen_text screen;
static uint64_t draw_again_stamp;

static void framebuffer_flush(struct console *con)
{
    uint64_t start = arch_stamp_loose(), end;

    screen_text_draw(&screen, &screen_canvas);
    end = arch_stamp_loose();
    draw_again_stamp = end + (end - start) * DRAW_PAUSE;
}

static size_t framebuffer_write(struct console *con, const char *text, size_t bytes)
{
    screen_text_put(&screen, text, bytes);
    if (arch_stamp_loose() >= draw_again_stamp)
        framebuffer_flush(con);
    return bytes;
}

static int refuse(const struct boot_framebuffer *fb, const char *why)
{
    log_warn("screen at %#llx, %ux%u, %u bits, %u bytes a line: %s; it is not used",
             (unsigned long long)fb->phys, fb->width_pixels, fb->height_pixels, fb->bits_per_pixel,
             fb->pitch_bytes, why);
    return -CS_ENODEV;
}

static const char *framebuffer_set_up(struct console *con, const struct boot_framebuffer *fb)
{
    uint32_t columns = screen_canvas.columns, rows = screen_canvas.rows;
    uint64_t text_phys;

    if (memory_map_overlaps(fb->phys, canvas_bytes(&screen_canvas)))
        return "it lies in usable memory";
    if ((uint64_t)columns * rows > CELLS_MAX)
        return "it is too large";
    text_phys = bootmem_alloc(screen_text_bytes(columns, rows), ARCH_PAGE_BYTES, 0);
    screen_canvas.pixels = arch_map_pixels(fb->phys, canvas_bytes(&screen_canvas));
    if (!text_phys || !screen_canvas.pixels)
        return "there is no memory for it";
    screen_text_init(&screen, columns, rows, phys_to_virt(text_phys));
    con->columns = columns;
    con->rows = rows;
    return NULL;
}

static int framebuffer_probe(struct console *con)
{
    const struct boot_framebuffer *fb = &kernel_handoff->framebuffer;
    const char *why;

    if (!fb->phys)
        return -CS_ENODEV;
    if (canvas_init(&screen_canvas, fb, &why))
        return refuse(fb, why);
    why = framebuffer_set_up(con, fb);
    if (why)
        return refuse(fb, why);
    canvas_clear(&screen_canvas);
    log_line("screen: %ux%u, %u bits, %u bytes a line, at %#llx: %u columns, %u rows",
             fb->width_pixels, fb->height_pixels, fb->bits_per_pixel, fb->pitch_bytes,
             (unsigned long long)fb->phys, con->columns, con->rows);
    return 0;
}

static struct console framebuffer_console = {
    .name = "fb",
    .kind = CONSOLE_SCREEN,
    .rank = 20,
    .probe = framebuffer_probe,
    .write = framebuffer_write,
    .flush = framebuffer_flush,
};
CONSOLE_DRIVER(framebuffer_console);
