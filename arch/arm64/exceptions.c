/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exceptions: a fixup where one is registered (exceptions_entry.S), an FIQ from another CPU,
 * otherwise the registers are printed and the kernel panics. IRQs are never taken: they only end a
 * WFI (gic.c).
 */
#include <arch/hooks.h>
#include <arch/machine.h>
#include <arch/mmu.h>
#include <arch/smp.h>

#include "arch/arm64/arm64.h"

#define ESR_EC(esr) ((unsigned)((esr) >> 26 & 0x3f))
#define ESR_WRITE (1u << 6)
#define DFSC_TRANSLATION 0x04u /* any level, in the low two bits */
#define DEPTH_MAX 3u /* exceptions within the handling of exceptions */

enum exception_class {
    EC_UNKNOWN = 0x00,
    EC_INSTRUCTION_ABORT = 0x21,
    EC_DATA_ABORT = 0x25,
};

void exception_handle(struct trap_frame *frame);

extern const struct arm64_fixup ex_table_start[], ex_table_end[];

static uint64_t find_fixup(uint64_t pc)
{
    for (const struct arm64_fixup *f = ex_table_start; f < ex_table_end; f++)
        if (f->at == pc)
            return f->go_on_at;
    return 0;
}

/* A fault where one was expected goes on elsewhere. A fetch that faulted is known by its caller's
 * return address. */
static bool fix_up(struct trap_frame *frame)
{
    bool fetch = ESR_EC(frame->esr) == EC_INSTRUCTION_ABORT;
    uint64_t go_on_at = find_fixup(fetch ? frame->x[30] : frame->pc);

    if (go_on_at)
        frame->pc = go_on_at;
    return go_on_at;
}

/* A walk may have begun before another CPU's new entry was there, and fault after it: nothing but a
 * context synchronisation, such as this exception, keeps it from that (Arm ARM, D8.13). */
static bool is_over(const struct trap_frame *frame)
{
    uint64_t result;

    if (ESR_EC(frame->esr) != EC_DATA_ABORT || (frame->esr & 0x3c) != DFSC_TRANSLATION)
        return false;
    if (frame->esr & ESR_WRITE)
        __asm__ volatile("at s1e1w, %0" : : "r"(frame->far) : "memory");
    else
        __asm__ volatile("at s1e1r, %0" : : "r"(frame->far) : "memory");
    isb();
    result = READ_SYSREG(par_el1);
    return !(result & 1); /* PAR_EL1.F */
}

static const char *class_name(uint64_t esr)
{
    switch (ESR_EC(esr)) {
    case EC_UNKNOWN:
        return "undefined instruction";
    case 0x07:
        return "floating-point instruction";
    case 0x0e:
        return "illegal execution state";
    case 0x15:
        return "SVC";
    case 0x16:
        return "HVC";
    case 0x17:
        return "SMC";
    case 0x18:
        return "trapped system register";
    case EC_INSTRUCTION_ABORT:
        return "instruction abort";
    case 0x22:
        return "misaligned pc";
    case EC_DATA_ABORT:
        return "data abort";
    case 0x26:
        return "misaligned sp";
    case 0x3c:
        return "BRK";
    default:
        return "exception";
    }
}

/* Fault status, the low six bits (Arm ARM, ESR_EL1, ISS of an abort). */
static const char *abort_reason(uint64_t esr)
{
    switch (esr & 0x3c) {
    case DFSC_TRANSLATION:
        return "of what is not mapped";
    case 0x08:
        return "without the access flag";
    case 0x0c:
        return "against its permissions";
    case 0x10:
    case 0x14:
        return "that the bus refused";
    case 0x20:
        return "that is not aligned";
    case 0x30:
        return "into a conflict in the TLB";
    default:
        return "that failed";
    }
}

static void print_abort(const struct trap_frame *f)
{
    unsigned class = ESR_EC(f->esr);

    if (class == EC_DATA_ABORT && f->esr & ESR_WRITE && f->sp - f->far < ARCH_PAGE_BYTES)
        hook_exception_line("  the stack has overflowed: write at %016llx",
                            (unsigned long long)f->far);
    else if (class == EC_DATA_ABORT)
        hook_exception_line("  %s %s at %016llx", f->esr & ESR_WRITE ? "write" : "read",
                            abort_reason(f->esr), (unsigned long long)f->far);
    else if (class == EC_INSTRUCTION_ABORT)
        hook_exception_line("  execution %s at %016llx", abort_reason(f->esr),
                            (unsigned long long)f->far);
}

static _Noreturn void dump(const struct trap_frame *f, const char *name)
{
    typedef unsigned long long ull;

    hook_exception_line("exception: %s (vector %u, esr %08llx) on CPU %u, hardware id %#llx", name,
                        (unsigned)f->vector, (ull)f->esr, this_cpu_id(), (ull)arch_cpu_hw_id());
    print_abort(f);
    hook_exception_line("  pc  %016llx  sp  %016llx  pstate %08llx  far %016llx", (ull)f->pc,
                        (ull)f->sp, (ull)f->pstate, (ull)f->far);
    for (unsigned i = 0; i < 30; i += 3)
        hook_exception_line("  x%-2u %016llx  x%-2u %016llx  x%-2u %016llx", i, (ull)f->x[i], i + 1,
                            (ull)f->x[i + 1], i + 2, (ull)f->x[i + 2]);
    hook_exception_line("  x30 %016llx  ttbr1 %llx  tcr %llx  sctlr %llx  tpidr %llx",
                        (ull)f->x[30], (ull)READ_SYSREG(ttbr1_el1), (ull)READ_SYSREG(tcr_el1),
                        (ull)READ_SYSREG(sctlr_el1), (ull)READ_SYSREG(tpidr_el1));
    /* Where nothing can be executed there is no function either: the caller is named instead. */
    hook_exception_end(name, ESR_EC(f->esr) == EC_INSTRUCTION_ABORT ? f->x[30] : f->pc, f->x[29]);
}

void exception_handle(struct trap_frame *frame)
{
    static _Atomic uint32_t depth;
    unsigned kind = frame->vector % 4;

    if (kind == 2) {
        arm64_fiq(frame);
        return;
    }
    if (kind == 0 && (is_over(frame) || fix_up(frame)))
        return;
    /* Counted and never taken back: from here on the way leads to a panic. */
    if (atomic_fetch_add_explicit(&depth, 1, memory_order_relaxed) >= DEPTH_MAX)
        arch_halt();
    dump(frame, kind == 0 ? class_name(frame->esr) : kind == 1 ? "IRQ" : "SError");
}
