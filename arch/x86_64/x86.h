/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this port share: the trap frame, the port's state of a CPU, and who calls whom.
 *
 *   traps   apic   mmu   smp   sleep          each a .c of that name
 *
 * Error codes are Linux's numbers, as in core/errno.h, which a port does not include.
 */
#ifndef X86_H
#define X86_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/percpu.h>

#define X86_ENOENT 2
#define X86_ENOMEM 12
#define X86_EEXIST 17
#define X86_ENODEV 19

/* traps.asm pushes it; the last five words are the CPU's. */
struct trap_frame {
    uint64_t r15, r14, r13, r12, r11, r10, r9, r8;
    uint64_t rdi, rsi, rbp, rbx, rdx, rcx, rax;
    uint64_t vector, error;
    uint64_t rip, cs, rflags, rsp, ss;
};

enum x86_vector {
    VECTOR_NMI = 2,
    VECTOR_DOUBLE_FAULT = 8,
    VECTOR_PAGE_FAULT = 14,
    VECTOR_MACHINE_CHECK = 18,
    VECTOR_FIRST_INTERRUPT = 32,
    VECTOR_FIRST_OURS = 0xf0,
    VECTOR_KICK = 0xf0,  /* arch_cpu_kick */
    VECTOR_WAKE = 0xf1,  /* arch_wake_word */
    VECTOR_TIMER = 0xf2, /* end of a bounded sleep */
    VECTOR_SPURIOUS = 0xff,
};

/* Stacks that the CPU switches to for vectors that can come at any moment: IST slots 1 … 3. */
enum x86_ist { IST_NMI = 1, IST_DOUBLE_FAULT, IST_MACHINE_CHECK, IST_END };
#define IST_STACK_BYTES 8192u

/* Intel SDM vol. 3, figure 8-11. */
struct x86_tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t ist[8]; /* ist[0] is reserved */
    uint16_t reserved2[5];
    uint16_t io_map_base;
} __attribute__((packed));
_Static_assert(sizeof(struct x86_tss) == 104, "as the manual draws it");

/* Null, code, data, and the TSS's two slots; the selectors of code and data are early.inc's too. */
enum x86_selector { SELECTOR_CODE = 0x08, SELECTOR_DATA = 0x10, SELECTOR_TSS = 0x18 };
#define GDT_ENTRIES 5u

/* How far a CPU is: only the claim STARTING → RUNNING, made once by the CPU itself, lets it use its
 * stack. */
enum x86_cpu_state { X86_CPU_NONE, X86_CPU_STARTING, X86_CPU_RUNNING, X86_CPU_GIVEN_UP };

/* What an NMI from another CPU asks for. */
enum x86_nmi_work { NMI_STOP = 1u << 0, NMI_PROBE = 1u << 1, NMI_FLUSH = 1u << 2 };

/* The port's state of one CPU, in its per-CPU unit. trampoline.asm knows the first two offsets. */
struct x86_cpu {
    uint64_t stack_top;      /* offset 0 */
    _Atomic uint32_t state;  /* offset 8: enum x86_cpu_state */
    _Atomic uint32_t kicked; /* a kick was taken that no park has seen yet: own CPU only */
    _Atomic uint32_t nmi_work;     /* enum x86_nmi_work bits */
    _Atomic uint32_t nmi_sent;     /* NMIs that others have sent, less those that arrived */
    _Atomic uint32_t flushed;      /* last flush generation that this CPU has done */
    bool timer_ready, timer_armed; /* own CPU only */
    struct x86_tss tss __attribute__((aligned(16)));
    uint64_t gdt[GDT_ENTRIES] __attribute__((aligned(16)));
} __attribute__((aligned(64)));

extern struct x86_cpu x86_cpu_percpu;

static inline struct percpu_head *x86_head(uint32_t cpu)
{
    return (struct percpu_head *)percpu_base(cpu);
}

static inline struct x86_cpu *x86_cpu(uint32_t cpu)
{
    return (struct x86_cpu *)(percpu_base(cpu) + percpu_area_of(x86_cpu_percpu));
}

static inline struct x86_cpu *x86_this_cpu(void)
{
    return (struct x86_cpu *)(this_cpu_base() + percpu_area_of(x86_cpu_percpu));
}

/* Numbers of the CPUs that were ever started are below this. */
extern uint32_t x86_nr_cpus;

/* mmu.c: how much higher in memory the image lies than it is linked (early_entry.asm). */
extern uint64_t x86_image_shift;

/* features.c: what this processor can do, read once by the boot CPU. */
struct x86_features {
    uint32_t id_leaf; /* CPUID leaf with the whole APIC id in EDX: 0x1f, 0xb; 1: 8 bits in EBX */
    bool nx, pages_1g, x2apic, hypervisor, invariant_tsc, intel, amd;
};
extern struct x86_features x86_features;
void x86_features_read(void);
/* Settings of every CPU: PAT, LFENCE. */
void x86_cpu_setup(void);

/* tables.c */
/* Fills gdt and tss of `cpu`, whose unit is at `unit`; stacks[IST_NMI …] are tops of stacks. */
void x86_tables_fill(struct x86_cpu *cpu, const uintptr_t stacks[IST_END]);
/* Three guarded stacks. 0, -ENOMEM. */
int x86_ist_alloc(uintptr_t stacks[IST_END]);
/* GDT, segments, TSS, trap table of this CPU. */
void x86_tables_load(struct x86_cpu *cpu);

/* traps.c */
void x86_traps_init(void);
void x86_traps_load(void);
void trap_handle(struct trap_frame *frame);

/* apic.c: the local APIC of the CPU that calls. */
void lapic_init_boot(void);
void lapic_init_cpu(void);
bool lapic_is_x2apic(void);
/* For ids that 8 bits do not hold. False where the processor cannot. */
bool lapic_use_x2apic(void);
void lapic_eoi(void);
/* False when `hw_id` cannot be addressed. `command`: the low word of the ICR. */
bool lapic_send(uint64_t hw_id, uint32_t command);
void lapic_timer_setup(void);
void lapic_timer_start(void);
#define ICR_FIXED 0x4000u /* | vector; level assert */
#define ICR_NMI 0x4400u
#define ICR_INIT 0x4500u
#define ICR_STARTUP 0x4600u /* | page number */
/* The PC's two interrupt controllers: moved away from the exceptions, all lines masked. */
void x86_pic_disable(void);

/* halt.asm: until an interrupt, which may have come already. Interrupts masked before and after. */
void x86_halt(void);

/* mmu.c */
uint64_t x86_kernel_cr3(void);
/* Tables for trampoline.asm: the kernel's, and the page at `phys` one to one. Returns CR3. */
uint64_t x86_trampoline_tables(uint64_t phys);

/* smp.c */
bool x86_is_running(uint32_t cpu);
/* Physical address of the page where started CPUs begin, 0 for none yet; for the test. */
uint64_t x86_trampoline_phys(void);

/* nmi.c */
/* An NMI: whether another CPU had asked for it. */
bool x86_nmi(const struct trap_frame *frame);
/* Its two halves, for the test: `to` is asked (its NMI is to be sent next); `me` takes an NMI and all
 * work. False: nobody had asked. */
void x86_nmi_ask(struct x86_cpu *to, enum x86_nmi_work work);
bool x86_nmi_take(struct x86_cpu *me, uint32_t *work);
/* No CPU uses a translation any more that was taken back before the call. Bounded. */
void x86_flush_all_cpus(void);

/* sleep.c: room for x86_nr_cpus sleepers. 0, -ENOMEM. */
int x86_sleep_init(void);

#endif
