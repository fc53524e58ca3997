/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting CPUs by INIT–SIPI–SIPI, all at once (Intel SDM vol. 3, 9.4.4): one INIT each, one wait
 * of 10 ms for all, one SIPI each, 200 us, a second SIPI for those that have not moved.
 *
 *   trampoline.asm   real mode → long mode → its record by APIC id → claims it → ap_main()
 *
 * I1. A CPU uses its stack only after it has moved its state from STARTING to RUNNING; at the end
 *     all that are still STARTING are GIVEN_UP, in one atomic step each. So a CPU that wakes late
 *     halts, wherever it was, and the records, its stacks and the trampoline page, now halt loops,
 *     are never used for anything else.
 * I2. A kick is not lost: before the park it stays pending in the APIC, since interrupts are
 *     masked; taken in any other window (sleep.c) it is remembered in `kicked`.
 */
#include <arch/hooks.h>
#include <arch/mmu.h>
#include <arch/smp.h>

#include "arch/x86_64/cpu_regs.h"
#include "arch/x86_64/x86.h"

#define INIT_WAIT_NS 10000000u
#define SIPI_WAIT_NS 200000u

struct ap_record {
    uint64_t hw_id;
    struct x86_cpu *cpu;
};

struct trampoline_data {
    uint32_t cr3, efer;
    uint16_t gdt_limit;
    uint32_t gdt_phys;
    uint16_t pad0;
    uint32_t protected_phys;
    uint16_t protected_selector, pad1;
    uint32_t long_phys;
    uint16_t long_selector, pad2;
    uint64_t gdt[];
} __attribute__((packed));

extern const char trampoline_start[], trampoline_data[], trampoline_end[];
_Noreturn void ap_main(struct x86_cpu *me);

/* Read by trampoline.asm. */
const struct ap_record *x86_ap_records;
uint32_t x86_ap_count;
uint64_t x86_ap_cr3;

uint32_t x86_nr_cpus = 1;
static uint64_t trampoline_phys;

int arch_cpu_listed(uint32_t i, uint64_t *hw_id, uint32_t *node)
{
    return -X86_ENOENT;
}

void arch_cpu_bind_boot(uint32_t cpu)
{
    struct x86_cpu *me = x86_cpu(cpu);
    uintptr_t stacks[IST_END];

    if (x86_ist_alloc(stacks) != 0)
        hook_panic("no memory for the boot CPU's interrupt stacks");
    x86_tables_fill(me, stacks);
    wrmsr(MSR_GS_BASE, percpu_base(cpu));
    x86_tables_load(me);
    atomic_store_explicit(&me->state, X86_CPU_RUNNING, memory_order_relaxed);
    lapic_init_boot();
}

/* On its own stack, with the trampoline's segments, the kernel's page tables and no trap table. */
_Noreturn void ap_main(struct x86_cpu *me)
{
    wrmsr(MSR_GS_BASE, (uintptr_t)me - percpu_area_of(x86_cpu_percpu));
    x86_tables_load(me);
    x86_cpu_setup();
    lapic_init_cpu();
    hook_cpu_entry(this_cpu_id());
}

/* Halt loops (hlt; jmp -3), so that a CPU that jumps anywhere into the page stops there. */
static void fill_with_halts(uint8_t *page)
{
    static const uint8_t halt[3] = {0xf4, 0xeb, 0xfd};

    for (unsigned i = 0; i < ARCH_PAGE_BYTES; i++)
        page[i] = halt[i % 3];
}

static void fill_trampoline(uint8_t *page)
{
    struct trampoline_data *data =
        (struct trampoline_data *)(page + (trampoline_data - trampoline_start));
    uint32_t phys = (uint32_t)trampoline_phys;

    fill_with_halts(page);
    for (const char *from = trampoline_start; from < trampoline_end; from++)
        page[from - trampoline_start] = (uint8_t)*from;
    data->cr3 = (uint32_t)x86_trampoline_tables(trampoline_phys);
    data->efer = (uint32_t)rdmsr(MSR_EFER);
    data->gdt_phys = phys + (uint32_t)((uint8_t *)data->gdt - page);
    data->protected_phys += phys;
    data->long_phys += phys;
}

/* Everything that the CPU needs before it can ask for anything. NULL, or why it cannot be started. */
static const char *prepare(const struct arch_cpu_start *start)
{
    struct x86_cpu *cpu = x86_cpu(start->cpu);
    uintptr_t stacks[IST_END];

    if (start->hw_id > UINT8_MAX - 1 && !lapic_use_x2apic())
        return "its APIC id needs x2APIC, which the processor does not have";
    if (x86_ist_alloc(stacks) != 0)
        return "no memory for its interrupt stacks";
    x86_tables_fill(cpu, stacks);
    cpu->stack_top = start->stack_top;
    atomic_store_explicit(&cpu->state, X86_CPU_STARTING, memory_order_release);
    return NULL;
}

/* Records for those of the list that can be started. */
static int prepare_all(const struct arch_cpu_start *list, uint32_t count)
{
    uintptr_t top = arch_stack_alloc(count * sizeof(struct ap_record));
    struct ap_record *records = (struct ap_record *)(top - count * sizeof(*records));

    if (!top)
        return -X86_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const char *why = prepare(&list[i]);

        if (why) {
            hook_cpu_not_started(list[i].cpu, why);
            continue;
        }
        records[x86_ap_count++] = (struct ap_record){list[i].hw_id, x86_cpu(list[i].cpu)};
        if (list[i].cpu >= x86_nr_cpus)
            x86_nr_cpus = list[i].cpu + 1;
    }
    x86_ap_records = records;
    x86_ap_cr3 = x86_kernel_cr3();
    return 0;
}

static bool is_waiting(const struct arch_cpu_start *start)
{
    return atomic_load_explicit(&x86_cpu(start->cpu)->state, memory_order_acquire) ==
           X86_CPU_STARTING;
}

static void send_if_waiting(const struct arch_cpu_start *start, uint32_t command)
{
    if (is_waiting(start))
        (void)lapic_send(start->hw_id, command);
}

static void send_startup(const struct arch_cpu_start *start)
{
    send_if_waiting(start, ICR_STARTUP | (uint32_t)(trampoline_phys / ARCH_PAGE_BYTES));
}

int arch_cpus_start(const struct arch_cpu_start *list, uint32_t count)
{
    int error;

    trampoline_phys = hook_low_page();
    if (!trampoline_phys)
        return -X86_ENOMEM;
    error = prepare_all(list, count) ?: x86_sleep_init();
    if (error)
        return error;
    fill_trampoline(phys_to_virt(trampoline_phys));
    for (uint32_t i = 0; i < count; i++)
        send_if_waiting(&list[i], ICR_INIT);
    hook_delay_ns(INIT_WAIT_NS);
    for (uint32_t i = 0; i < count; i++)
        send_startup(&list[i]);
    hook_delay_ns(SIPI_WAIT_NS);
    for (uint32_t i = 0; i < count; i++)
        send_startup(&list[i]);
    return 0;
}

void arch_cpu_start_again(const struct arch_cpu_start *one)
{
    send_startup(one);
}

void arch_cpus_started(void)
{
    for (uint32_t cpu = 1; cpu < x86_nr_cpus; cpu++) {
        uint32_t starting = X86_CPU_STARTING;

        (void)atomic_compare_exchange_strong_explicit(&x86_cpu(cpu)->state, &starting,
                                                      X86_CPU_GIVEN_UP, memory_order_acq_rel,
                                                      memory_order_relaxed);
    }
    if (trampoline_phys)
        fill_with_halts(phys_to_virt(trampoline_phys));
}

uint64_t x86_trampoline_phys(void)
{
    return trampoline_phys;
}

bool x86_is_running(uint32_t cpu)
{
    return atomic_load_explicit(&x86_cpu(cpu)->state, memory_order_acquire) == X86_CPU_RUNNING;
}

void arch_cpu_park(void)
{
    struct x86_cpu *me = x86_this_cpu();

    if (!atomic_load_explicit(&me->kicked, memory_order_relaxed))
        x86_halt();
    atomic_store_explicit(&me->kicked, 0, memory_order_relaxed);
}

void arch_cpu_kick(uint32_t cpu)
{
    (void)lapic_send(x86_head(cpu)->hw_id, ICR_FIXED | VECTOR_KICK);
}
