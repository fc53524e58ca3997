/* SPDX-License-Identifier: Apache-2.0 */
/* The words of console=, drivers/serial_param.h. */
#include "core/random.h"
#include "core/selftest.h"
#include "core/string.h"
#include "drivers/serial_param.h"

static struct serial_word first_word(const char *list)
{
    struct serial_word word = {.why = "no word"};

    (void)serial_param_next(&list, &word);
    return word;
}

static void devices(struct ktest *t)
{
    struct serial_word w = first_word("uart,io,0x2f8,9600");

    EXPECT(t, !w.why && w.port.kind == SERIAL_16550 && w.port.is_io);
    EXPECT_EQ(t, w.port.address, 0x2f8);
    EXPECT_EQ(t, w.port.divisor, 12);
    EXPECT_EQ(t, w.port.line, 3);
    EXPECT_EQ(t, w.bytes, 18);
    w = first_word("uart8250,mmio32,0xfe201000");
    EXPECT(t, !w.why && !w.port.is_io && w.port.register_shift == 2 && w.port.access_bytes == 4);
    EXPECT_EQ(t, w.port.divisor, 0); /* the line stays */
    w = first_word("uart,mmio16,0x1000,115200e7");
    EXPECT(t, !w.why && w.port.register_shift == 1 && w.port.access_bytes == 2);
    EXPECT_EQ(t, w.port.divisor, 1);
    EXPECT_EQ(t, w.port.line, 0x1a);
    w = first_word("pl011,0x9000000");
    EXPECT(t, !w.why && w.port.kind == SERIAL_PL011 && w.port.address == 0x9000000);
    EXPECT_EQ(t, first_word("uart,io,0x3f8").port.divisor, 1);
}
KTEST(serial_param, devices, KTEST_QUICK);

static void names_and_lists(struct ktest *t)
{
    const char *list = "ttyS1,9600o8,uart,io,0x3f8,115200n8,fb,ttyS0";
    struct serial_word w;

    EXPECT(t, serial_param_next(&list, &w) && !w.why && w.port.kind == SERIAL_NONE);
    EXPECT_EQ(t, w.name_bytes, 5);
    EXPECT_EQ(t, w.port.divisor, 12);
    EXPECT_EQ(t, w.port.line, 0x0b);
    EXPECT(t, serial_param_next(&list, &w) && w.port.kind == SERIAL_16550);
    EXPECT(t, serial_param_next(&list, &w) && w.name_bytes == 2 && !w.port.divisor);
    EXPECT(t, serial_param_next(&list, &w) && !strncmp(w.text, "ttyS0", w.name_bytes));
    EXPECT(t, !serial_param_next(&list, &w));
}
KTEST(serial_param, names_and_lists, KTEST_QUICK);

static void mistakes_are_told(struct ktest *t)
{
    static const char *const wrong[] = {
        "uart",
        "uart,io",
        "uart,mmio8,0x1000",
        "uart,io,zz",
        "uart,io,0x60",
        "uart,io,0xfff9",
        "uart,io,0x10000",
        "uart,mmio32,0x1002",
        "uart,mmio,0",
        "uart,mmio,-4096",
        "uart,mmio,0xffffffffffffffff",
        "uart,io,0x3f8,57601",
        "uart,io,0x3f8,0",
        "uart,io,0x3f8,9600x8",
        "uart,io,0x3f8,9600n9",
        "uart,io,0x3f8,9600n8r",
        "uart,io,0x3f8,230400",
        "uart,io,99999999999999999999999",
        "pl011",
        "pl011,0x9000001",
        "pl011,0x9000000,9600",
        "ttyS0,1",
        "ttyS0,99999999999999999999",
    };

    for (unsigned i = 0; i < ARRAY_LEN(wrong); i++) {
        struct serial_word w = first_word(wrong[i]);

        ktest_check(t, w.why && w.port.kind == SERIAL_NONE, __FILE__, __LINE__, "\"%s\" was taken",
                    wrong[i]);
    }
}
KTEST(serial_param, mistakes_are_told, KTEST_QUICK);

/* Any text ends, and what is taken is what a driver can use. */
static void any_text_is_survived(struct ktest *t)
{
    static const char *const parts[] = {"uart",
                                        "io",
                                        "mmio32",
                                        "0x3f8",
                                        ",",
                                        "9600",
                                        "pl011",
                                        "ttyS0",
                                        "n8",
                                        "0x",
                                        "-",
                                        "mmio",
                                        "18446744073709551615"};
    struct random random;
    bool sane = true;

    random_seed(&random, t->seed);
    for (unsigned round = 0; round < (t->full ? 100000u : 1000u); round++) {
        char text[128] = "";
        const char *list = text;
        struct serial_word w;
        unsigned words = 0;

        while (strlen(text) < 90) {
            const char *part = parts[random_below(&random, ARRAY_LEN(parts))];

            memcpy(text + strlen(text), part, strlen(part) + 1);
            if (random_below(&random, 2))
                memcpy(text + strlen(text), ",", 2);
        }
        for (; serial_param_next(&list, &w) && words < 200; words++)
            sane &= w.text >= text && w.text + w.bytes <= text + strlen(text) &&
                    (w.port.kind == SERIAL_NONE || w.port.address % w.port.access_bytes == 0);
        sane &= words < 200;
    }
    EXPECT(t, sane);
}
KTEST(serial_param, any_text_is_survived, KTEST_QUICK);
