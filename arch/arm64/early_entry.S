/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From where every arm64 boot path arrives, MMU off, to C at the kernel's own addresses.
 *
 *   x0  physical address of the loader's information, at least 8-byte aligned
 *   x1  physical address of the converter (boot/early.h)
 *
 * The kernel runs at EL1, also where it was entered at EL2, with VHE or without: what is measured
 * is the same in both, one level means one set of registers and one code path, and with stage 2 off
 * EL1 pays nothing for it. EL2 keeps a vector table whose only answer is "not supported".
 *
 * I1. Position independent until the branch to early_high: addresses are relative to the program
 *     counter, and what is written is written before any cache can hold it (early_tables.c).
 * I2. The thread's stack is SP_EL0; an exception switches to SP_EL1, a stack of its own, so that a
 *     thread that ran into its guard page can still be dumped.
 */
#include "arch/arm64/early.inc"

    .section .boot_text, "ax"

    .globl idmap_start
idmap_start:
    .globl early_entry
early_entry:
    mov     x19, x0
    mov     x20, x1
    mrs     x21, CurrentEL
    bl      cpu_to_el1
    mov     x0, #CPACR_FP               /* the device tree's library may use it */
    msr     cpacr_el1, x0
    isb
    adrp    x0, boot_stack_top
    mov     sp, x0
    mov     x29, xzr
    adrp    x0, early_tables
    adrp    x1, image_start             /* its physical address, as long as the MMU is off */
    adrp    x2, image_end
    bl      early_tables_build
    adrp    x0, early_tables
    mov     x1, x0
    bl      mmu_on
    ldr     x8, =early_high
    br      x8

/* Makes x0 the tables of the low half and x1 of the high half, and switches translation on. The
 * caller is mapped one to one. Clobbers x2 to x4. */
mmu_on:
    ldr     x2, =MAIR_VALUE
    msr     mair_el1, x2
    ldr     x2, =TCR_VALUE
    mrs     x3, id_aa64mmfr0_el1
    and     x3, x3, #0xf                /* PARange; TCR.IPS has the same values */
    mov     x4, #PARANGE_48_BITS
    cmp     x3, x4
    csel    x3, x3, x4, lo
    orr     x2, x2, x3, lsl #32
    msr     tcr_el1, x2
    msr     ttbr0_el1, x0
    msr     ttbr1_el1, x1
    isb
    tlbi    vmalle1
    dsb     nsh
    ic      iallu
    dsb     nsh
    isb
    ldr     x2, =SCTLR_RUN
    msr     sctlr_el1, x2
    isb
    ret

/* Leaves EL2 where that is where we are, and gives SCTLR_EL1 a known value with the MMU off.
 * Interrupts of all kinds are masked, SPSel is 1. Clobbers x0 to x3. */
cpu_to_el1:
    msr     daifset, #0xf
    msr     spsel, #1
    ldr     x0, =SCTLR_OFF
    mrs     x1, CurrentEL
    cmp     x1, #CURRENT_EL2
    b.eq    from_el2
    msr     sctlr_el1, x0
    isb
    ret

from_el2:
    msr     sctlr_el1, x0
    ldr     x0, =SCTLR_EL2_OFF
    msr     sctlr_el2, x0
    isb
    ldr     x0, =HCR_VALUE
    msr     hcr_el2, x0
    isb
    adr     x0, el2_vectors
    msr     vbar_el2, x0
    msr     vttbr_el2, xzr
    msr     cntvoff_el2, xzr
    msr     hstr_el2, xzr
    mrs     x0, midr_el1
    msr     vpidr_el2, x0
    mrs     x0, mpidr_el1
    msr     vmpidr_el2, x0

    /* Where E2H cannot be cleared (FEAT_E2H0 is missing), two registers have EL1's layout. */
    mrs     x0, hcr_el2
    tbnz    x0, #HCR_E2H_BIT, 1f
    mov     x0, #CNTHCTL_EL1_MAY
    msr     cnthctl_el2, x0
    mov     x0, #CPTR_NO_TRAPS
    msr     cptr_el2, x0
    b       2f
1:
    mov     x0, #CNTHCTL_EL1_MAY_E2H
    msr     cnthctl_el2, x0
    ldr     x0, =CPTR_NO_TRAPS_E2H
    msr     cptr_el2, x0
2:
    /* PMU: all its counters are EL1's. */
    mov     x1, xzr
    mrs     x0, id_aa64dfr0_el1
    ubfx    x0, x0, #8, #4
    cbz     x0, 3f
    cmp     x0, #0xf
    b.eq    3f
    mrs     x1, pmcr_el0
    ubfx    x1, x1, #11, #5             /* N */
3:
    msr     mdcr_el2, x1

    /* GICv3: EL1 may use the system registers. */
    mrs     x0, id_aa64pfr0_el1
    ubfx    x0, x0, #24, #4
    cbz     x0, 4f
    mrs     x0, ICC_SRE_EL2
    orr     x0, x0, #0xf                /* SRE, no bypasses, Enable */
    msr     ICC_SRE_EL2, x0
    isb
    mrs     x0, ICC_SRE_EL2
    tbz     x0, #0, 4f
    msr     ICH_HCR_EL2, xzr
4:
    /* Fine-grained traps and HCRX: their values at reset are unknown. */
    mrs     x0, id_aa64mmfr0_el1
    lsr     x0, x0, #56                 /* FGT */
    cbz     x0, 5f
    msr     HFGRTR_EL2, xzr
    msr     HFGWTR_EL2, xzr
    msr     HFGITR_EL2, xzr
    msr     HDFGRTR_EL2, xzr
    msr     HDFGWTR_EL2, xzr
5:
    mrs     x0, id_aa64mmfr1_el1
    ubfx    x0, x0, #40, #4             /* HCX */
    cbz     x0, 6f
    msr     HCRX_EL2, xzr
6:
    mov     x0, #SPSR_EL1H_MASKED
    msr     spsr_el2, x0
    msr     elr_el2, lr
    eret

/* A call to EL2 that nobody is there to answer: SMCCC "not supported". Anything else stops here. */
    .balign 2048
el2_vectors:
    .rept   8
    b       .
    .balign 128
    .endr
    mov     x0, #-1                     /* from EL1, synchronous */
    eret
    .balign 128
    .rept   7
    b       .
    .balign 128
    .endr

/* A CPU that was started, by PSCI or from a spin table; MMU off. It looks up its record by MPIDR,
 * claims it (smp.c, I1) and only then has a stack. One that wakes late, or that nobody wanted,
 * stays in the loop at the end. */
    .globl secondary_entry
secondary_entry:
    bl      cpu_to_el1
    adrp    x0, idmap_root
    adrp    x1, kernel_root
    bl      mmu_on
    ldr     x8, =secondary_high
    br      x8

    .ltorg

    .text
early_high:
    ldr     x0, =boot_stack_top
    bl      take_stacks_boot
    ldr     x0, =bss_start
    ldr     x1, =boot_stack_guard
1:
    stp     xzr, xzr, [x0], #16
    cmp     x0, x1
    b.lo    1b

    /* This CPU's per-CPU unit until arch_cpu_bind_boot(): the head, then the statics' values. */
    ldr     x0, =percpu_boot_unit
    str     x0, [x0]
    msr     tpidr_el1, x0
    add     x0, x0, #PERCPU_STATIC_OFFSET
    ldr     x1, =percpu_image_start
    ldr     x2, =percpu_image_bytes
2:
    cbz     x2, 3f
    ldrb    w3, [x1], #1
    strb    w3, [x0], #1
    sub     x2, x2, #1
    b       2b
3:
    ldr     x0, =arm64_entry_level
    lsr     x1, x21, #2
    str     w1, [x0]
    mov     x29, xzr                    /* the backtrace ends here */
    mov     x0, x19
    adrp    x1, early_tables            /* the converter, at its linked address */
    ldr     x2, =early_tables
    mrs     x3, ttbr0_el1               /* physical address of the same */
    sub     x2, x2, x3
    add     x1, x20, x2
    mov     x2, x3
    bl      early_main
    b       .

/* SP_EL1 is the boot CPU's first exception stack, SP_EL0 = x0 the thread's. */
take_stacks_boot:
    ldr     x1, =boot_exception_stack_top
    mov     sp, x1
    msr     spsel, #0
    mov     sp, x0
    ldr     x1, =exception_vectors
    msr     vbar_el1, x1
    isb
    ret

secondary_high:
    bl      idmap_off
    mrs     x0, mpidr_el1
    ldr     x1, =MPIDR_AFFINITY
    and     x0, x0, x1
    ldr     x1, =arm64_nr_cpus
    ldr     w1, [x1]
    ldr     x2, =PERCPU_BASE
    ldr     x3, =PERCPU_STRIDE
    ldr     x4, =arm64_cpu_percpu       /* an offset in the unit */
    cbz     w1, 9f
1:
    sub     w1, w1, #1
    cbz     w1, 9f                      /* all but CPU 0 */
    madd    x5, x1, x3, x2
    add     x6, x5, x4
    ldr     x7, [x6, #ARM64_CPU_HW_ID]
    cmp     x7, x0
    b.ne    1b

    add     x7, x6, #ARM64_CPU_STATE
    mov     w8, #ARM64_CPU_RUNNING
2:
    ldaxr   w9, [x7]
    cmp     w9, #ARM64_CPU_STARTING
    b.ne    9f
    stxr    w9, w8, [x7]
    cbnz    w9, 2b

    msr     tpidr_el1, x5
    ldr     x9, [x6, #ARM64_CPU_EXCEPTION_STACK]
    mov     sp, x9
    msr     spsel, #0
    ldr     x9, [x6, #ARM64_CPU_STACK]
    mov     sp, x9
    ldr     x9, =exception_vectors
    msr     vbar_el1, x9
    isb
    mov     x29, xzr
    mov     x0, x6
    bl      secondary_main
9:
    wfi
    b       9b

/* void idmap_off(void): nothing is mapped in the low half any more. */
    .globl idmap_off
idmap_off:
    mrs     x0, tcr_el1
    orr     x0, x0, #TCR_EPD0
    msr     tcr_el1, x0
    isb
    msr     ttbr0_el1, xzr
    isb
    tlbi    vmalle1
    dsb     nsh
    isb
    ret

    .ltorg

/* void mmu_switch(uint64_t root): the kernel's final tables instead of the early ones. The same
 * addresses change their sizes and permissions, so the old translations go before the new ones come
 * (Arm ARM, break-before-make): this runs at its physical address, in the low half. */
    .section .boot_text, "ax"
    .globl mmu_switch
mmu_switch:
    mov     x9, lr
    adr     x1, 1f
    at      s1e1r, x1
    isb
    mrs     x2, par_el1
    ubfx    x2, x2, #12, #36
    and     x3, x1, #0xfff
    orr     x2, x3, x2, lsl #12
    br      x2
1:
    mrs     x3, tcr_el1
    orr     x4, x3, #TCR_EPD1
    msr     tcr_el1, x4
    isb
    tlbi    vmalle1
    dsb     nsh
    isb
    msr     ttbr1_el1, x0
    isb
    msr     tcr_el1, x3
    isb
    ldr     x2, =idmap_off
    mov     lr, x9
    br      x2

    .ltorg
    .globl idmap_end
idmap_end:

    .section .bss
    .balign 16
    .space  BOOT_EXCEPTION_STACK_BYTES
boot_exception_stack_top:

/* Behind all that is zeroed. */
    .section .boot_tables, "aw", %nobits
    .balign 4096
    .globl early_tables
early_tables:
    .space  (EARLY_TABLES + 1) * 4096   /* the last page holds the count of those in use */
    .globl kernel_root
kernel_root:
    .space  4096
    .globl idmap_root
idmap_root:
    .space  4 * 4096
