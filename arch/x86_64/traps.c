/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions and interrupts.
 *
 *   vector 0 … 31   a fixup where one is registered (probe.asm), an NMI from another CPU, otherwise
 *                   the registers are printed and the kernel panics
 *   vector 32 …     interrupts of the local APIC; what nobody here asked for is acknowledged
 *
 * Interrupts are only ever enabled for the one instruction window of a halt (smp.c, sleep.c).
 */
#include <arch/hooks.h>
#include <arch/mmu.h>
#include <arch/smp.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

#define PAGE_FAULT_FETCH (1u << 4)
#define GATE_INTERRUPT 0x8e00u /* present, ring 0, 64-bit interrupt gate */
#define TRAP_STUB_BYTES 16u

struct gate {
    uint16_t offset_low, selector, ist_and_type, offset_middle;
    uint32_t offset_high, reserved;
};

struct fixup {
    uint64_t at, go_on_at;
};

extern const char x86_halt_at[], x86_halt_end[]; /* halt.asm */
extern const char trap_stubs[], text_start[], text_end[];
extern const struct fixup ex_table_start[], ex_table_end[];

static struct gate gates[256] __attribute__((section(".ro_after_init"), aligned(4096)));

static unsigned ist_of(unsigned vector)
{
    switch (vector) {
    case VECTOR_NMI:
        return IST_NMI;
    case VECTOR_DOUBLE_FAULT:
        return IST_DOUBLE_FAULT;
    case VECTOR_MACHINE_CHECK:
        return IST_MACHINE_CHECK;
    default:
        return 0;
    }
}

void x86_traps_init(void)
{
    for (unsigned v = 0; v < 256; v++) {
        uint64_t stub = (uintptr_t)trap_stubs + v * TRAP_STUB_BYTES;

        gates[v] = (struct gate){
            .offset_low = (uint16_t)stub,
            .selector = SELECTOR_CODE,
            .ist_and_type = (uint16_t)(GATE_INTERRUPT | ist_of(v)),
            .offset_middle = (uint16_t)(stub >> 16),
            .offset_high = (uint32_t)(stub >> 32),
        };
    }
}

void x86_traps_load(void)
{
    struct {
        uint16_t limit;
        uint64_t base;
    } __attribute__((packed)) pointer = {sizeof(gates) - 1, (uintptr_t)gates};

    __asm__ volatile("lidt %0" : : "m"(pointer));
}

static uint64_t find_fixup(uint64_t pc)
{
    for (const struct fixup *f = ex_table_start; f < ex_table_end; f++)
        if (f->at == pc)
            return f->go_on_at;
    return 0;
}

/* A fault where one was expected goes on elsewhere. Outside the image's text it is the fetch that
 * faulted, and the place is known by its caller: the return address is on the stack, which is good,
 * since the CPU has just pushed this frame. */
static bool fix_up(struct trap_frame *frame)
{
    bool fetch = frame->rip < (uintptr_t)text_start || frame->rip >= (uintptr_t)text_end;
    uint64_t go_on_at = find_fixup(fetch ? *(uint64_t *)frame->rsp : frame->rip);

    if (!go_on_at)
        return false;
    if (fetch)
        frame->rsp += 8;
    frame->rip = go_on_at;
    return true;
}

static const char *trap_name(uint64_t vector)
{
    static const char *const names[] = {
        "#DE divide error",        "#DB debug",
        "non-maskable interrupt",  "#BP breakpoint",
        "#OF overflow",            "#BR bound range",
        "#UD invalid opcode",      "#NM no coprocessor",
        "#DF double fault",        "coprocessor overrun",
        "#TS invalid TSS",         "#NP segment not present",
        "#SS stack segment",       "#GP general protection",
        "#PF page fault",          "vector 15",
        "#MF x87 floating point",  "#AC alignment check",
        "#MC machine check",       "#XM SIMD floating point",
        "#VE virtualization",      "#CP control protection",
    };

    return vector < sizeof(names) / sizeof(names[0]) ? names[vector] : "exception";
}

static const char *page_fault_text(uint64_t error)
{
    bool present = error & 1;

    if (error & PAGE_FAULT_FETCH)
        return present ? "execution of what is not executable" : "execution of what is not mapped";
    if (error & 2)
        return present ? "write to what is read-only" : "write to what is not mapped";
    return present ? "read against its protection" : "read of what is not mapped";
}

static _Noreturn void dump(const struct trap_frame *f)
{
    const char *name = trap_name(f->vector);
    typedef unsigned long long ull;

    hook_exception_line("exception %s (vector %u, error code %#llx) on CPU %u, hardware id %llu",
                        name, (unsigned)f->vector, (ull)f->error, this_cpu_id(),
                        (ull)arch_cpu_hw_id());
    if (f->vector == VECTOR_PAGE_FAULT)
        hook_exception_line("  %s at %016llx", page_fault_text(f->error), (ull)read_cr2());
    if (f->vector == VECTOR_DOUBLE_FAULT && f->rsp - read_cr2() < ARCH_PAGE_BYTES)
        hook_exception_line("  the stack has overflowed: write at %016llx", (ull)read_cr2());
    hook_exception_line("  rip %016llx  rsp %016llx  rflags %08llx  cs %02llx  ss %02llx",
                        (ull)f->rip, (ull)f->rsp, (ull)f->rflags, (ull)f->cs, (ull)f->ss);
    hook_exception_line("  rax %016llx  rbx %016llx  rcx %016llx", (ull)f->rax, (ull)f->rbx,
                        (ull)f->rcx);
    hook_exception_line("  rdx %016llx  rsi %016llx  rdi %016llx", (ull)f->rdx, (ull)f->rsi,
                        (ull)f->rdi);
    hook_exception_line("  rbp %016llx  r8  %016llx  r9  %016llx", (ull)f->rbp, (ull)f->r8,
                        (ull)f->r9);
    hook_exception_line("  r10 %016llx  r11 %016llx  r12 %016llx", (ull)f->r10, (ull)f->r11,
                        (ull)f->r12);
    hook_exception_line("  r13 %016llx  r14 %016llx  r15 %016llx", (ull)f->r13, (ull)f->r14,
                        (ull)f->r15);
    hook_exception_line("  cr0 %08llx  cr2 %016llx  cr3 %08llx  cr4 %06llx  gs base %016llx",
                        (ull)read_cr0(), (ull)read_cr2(), (ull)read_cr3(), (ull)read_cr4(),
                        (ull)rdmsr(MSR_GS_BASE));
    hook_exception_end(name, f->rip, f->rbp);
}

static void interrupt(uint64_t vector)
{
    if (vector == VECTOR_SPURIOUS)
        return; /* not to be acknowledged (Intel SDM vol. 3, 11.9) */
    if (vector == VECTOR_KICK)
        atomic_store_explicit(&x86_this_cpu()->kicked, 1, memory_order_relaxed);
    else if (vector == VECTOR_TIMER)
        x86_this_cpu()->timer_armed = false;
    lapic_eoi();
}

void trap_handle(struct trap_frame *frame)
{
    if (frame->vector >= VECTOR_FIRST_INTERRUPT)
        interrupt(frame->vector);
    else if (frame->vector == VECTOR_NMI ? !x86_nmi(frame) : !fix_up(frame))
        dump(frame);
    if (frame->rip == (uintptr_t)x86_halt_at)
        frame->rip = (uintptr_t)x86_halt_end;
}
