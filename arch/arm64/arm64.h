/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this port share: the exception frame, the port's state of a CPU, and who calls
 * whom.
 *
 *   early_*   exceptions   paging, mmu   gic   firmware   smp   sleep      each a .c of that name
 *
 * Error codes are Linux's numbers, as in core/errno.h, which a port does not include.
 */
#ifndef ARM64_H
#define ARM64_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <arch/percpu.h>

#include "boot/handoff.h"

#define ARM64_ENOENT 2
#define ARM64_EIO 5
#define ARM64_ENOMEM 12
#define ARM64_EEXIST 17
#define ARM64_ENODEV 19
#define ARM64_ENOSYS 38

#define READ_SYSREG(name)                                                                          \
    __extension__({                                                                                \
        uint64_t value_;                                                                           \
        __asm__ volatile("mrs %0, " #name : "=r"(value_) : : "memory");                            \
        value_;                                                                                    \
    })
#define WRITE_SYSREG(name, value)                                                                  \
    __asm__ volatile("msr " #name ", %0" : : "r"((uint64_t)(value)) : "memory")

static inline void isb(void)
{
    __asm__ volatile("isb" : : : "memory");
}

/* exceptions_entry.S pushes it. */
struct trap_frame {
    uint64_t x[31];
    uint64_t sp, pc, pstate, esr, far;
    uint64_t vector, reserved;
};

/* How far a CPU is: only the claim STARTING → RUNNING, made once by the CPU itself, lets it use its
 * stacks. */
enum arm64_cpu_state {
    ARM64_CPU_STATE_NONE,
    ARM64_CPU_STATE_STARTING,
    ARM64_CPU_STATE_RUNNING,
    ARM64_CPU_STATE_GIVEN_UP,
};

/* What an FIQ from another CPU asks for. */
enum arm64_fiq_work { FIQ_STOP = 1u << 0, FIQ_PROBE = 1u << 1 };

/* The port's state of one CPU, in its per-CPU unit. early_entry.S knows the first four offsets. */
struct arm64_cpu {
    uint64_t hw_id; /* affinity fields of MPIDR_EL1 */
    uint64_t stack_top, exception_stack_top;
    _Atomic uint32_t state;    /* enum arm64_cpu_state */
    _Atomic uint32_t fiq_work; /* enum arm64_fiq_work bits */
    _Atomic uint32_t kicked;   /* a kick was taken that no park has seen yet: own CPU only */
    uint64_t redistributor;    /* GICv3: virtual address of its frames */
    uint32_t gic_target;       /* GICv2: its bit in SGIR; written by itself */
    uint64_t timer_end;        /* own CPU only: when the virtual timer runs out; 0: it is off */
} __attribute__((aligned(64)));

extern struct arm64_cpu arm64_cpu_percpu;

static inline struct percpu_head *arm64_head(uint32_t cpu)
{
    return (struct percpu_head *)percpu_base(cpu);
}

static inline struct arm64_cpu *arm64_cpu(uint32_t cpu)
{
    return (struct arm64_cpu *)(percpu_base(cpu) + percpu_area_of(arm64_cpu_percpu));
}

static inline struct arm64_cpu *arm64_this_cpu(void)
{
    return (struct arm64_cpu *)(this_cpu_base() + percpu_area_of(arm64_cpu_percpu));
}

/* Numbers of the CPUs that were ever started are below this. */
extern uint32_t arm64_nr_cpus;

/* early_tables.c: what the boot path passed; linked minus physical address of the image. */
extern const struct boot_handoff *arm64_handoff;
extern uint64_t arm64_image_offset;
extern char image_start[], image_end[];

static inline uint64_t arm64_image_phys(const void *in_image)
{
    return (uintptr_t)in_image - arm64_image_offset;
}

/* One page of device registers, one to one, until arch_mmu_init(). */
void early_map_console(uint64_t phys);

/* early_entry.S */
extern const char secondary_entry[];
void mmu_switch(uint64_t root_phys);
void idmap_off(void);

/* exceptions.c */
struct arm64_fixup {
    uint64_t at, go_on_at;
};
/* `hlt #0xf000`, QEMU's and debuggers' semihosting call; -1 where nobody takes it. */
int64_t semihosting_call(uint64_t operation, const void *block);
/* SMCCC (Arm DEN 0028): four arguments, x0 comes back; -1 where the instruction is undefined. */
int64_t smccc_hvc(uint64_t function, uint64_t a, uint64_t b, uint64_t c);
int64_t smccc_smc(uint64_t function, uint64_t a, uint64_t b, uint64_t c);

/* mmu.c: settings of every CPU once the final tables are in use. */
void mmu_setup_cpu(void);

/* gic.c: this CPU's interrupt interface; false when there is no controller that we know. */
bool gic_init_boot(void);
void gic_init_cpu(void);
bool gic_works(void);
/* Sends a kick (IRQ, masked as it is, ends a WFI) or an FIQ. False when it cannot. */
bool gic_kick(uint32_t cpu);
bool gic_send_fiq(uint32_t cpu);
/* Takes whatever is pending for this CPU; true when a kick was among it. */
bool gic_take(void);

/* smp.c: an FIQ has come. */
void arm64_fiq(const struct trap_frame *frame);
bool arm64_is_running(uint32_t cpu);

void gic_take_fiq(void);

/* sleep.c */
int arm64_sleep_init(void);
/* After a WFI: a timer that has run out is switched off, what is pending is taken; true when a kick
 * was among it. */
bool sleep_take(struct arm64_cpu *me);

/* firmware.c: asks for the CPU to be started there; false when firmware refused. */
bool firmware_start_cpu(uint64_t hw_id, uint64_t entry_phys);

/* machine.c: settings of every CPU. */
void arm64_setup_cpu(void);

/* Exception level of the entry: 1 or 2. */
extern uint32_t arm64_entry_level;

/* early_console.c; move: from the one-to-one address to a window. */
void early_console_init(void);
void early_console_move(void);

#endif
