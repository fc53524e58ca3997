# SPDX-License-Identifier: Apache-2.0
"""The schedule explorer (docs/schedule-exploration.md): the tree's protocols in many schedules, and
planted faults, one at a time in a copy of the tree, that it must find."""

import re
import time

import pytest

import machine

FIND_S = 60
SCHEDULES = "1000000"  # of most, more than fit into the time

# What the explorer does not need, so that the copy builds in little time.
NOT_NEEDED = ["bench/storms/*.c", "bench/design_storms/*.c", "tests/kernel/*.c", "tests/kernel/*/*",
              "tests/design_tests/*.c"]
NEEDED = ["bench/design_storms/read.c"]

LOST_CARRY, PUBLISH, LOST_WAKE, OTHER = "lost carry", "publish order", "lost wake-up", "other"

# name: (kind, scenario, memories that find it, those that do not, file, [(text, text with the fault)])
PLANTED = {
    "root added in two steps": (
        LOST_CARRY, "counter/tree", ("sc", "tso", "weak"), (), "counters/tree_items.c",
        [("if (!shape->nr_levels) atomic_fetch_add_explicit(root, amount, memory_order_relaxed);",
          "if (!shape->nr_levels) atomic_store_explicit(root, amount + atomic_load_explicit(root, "
          "memory_order_relaxed), memory_order_relaxed);"),
         ("if (++k == shape->nr_levels) { atomic_fetch_add_explicit(root, amount, "
          "memory_order_relaxed); return;",
          "if (++k == shape->nr_levels) { atomic_store_explicit(root, amount + "
          "atomic_load_explicit(root, memory_order_relaxed), memory_order_relaxed); return;")],
    ),
    "what an item passes on is taken out in two steps": (
        LOST_CARRY, "carry/published", ("sc", "tso", "weak"), (), "counters/tree_items.c",
        [("int64_t amount = tree_item_settle(item_at(level, root, cpu), before, after, "
          "level->batch);",
          "int64_t amount = tree_item_multiple(after, level->batch); "
          "atomic_store_explicit(item_at(level, root, cpu), after - amount, "
          "memory_order_relaxed);")],
    ),
    "fold without the lock": (
        LOST_CARRY, "counter/flat", ("sc", "tso", "weak"), (), "counters/flat.c",
        [("unsigned long state = spin_lock_irqsave(&counter->lock); int32_t part",
          "unsigned long state = irq_save(); int32_t part"),
         ("this_cpu_add_s32(counter->area, -part); spin_unlock_irqrestore(&counter->lock, state);",
          "this_cpu_add_s32(counter->area, -part); irq_restore(state);")],
    ),
    "count of slots added in two steps": (
        LOST_CARRY, "counter/slots", ("sc", "tso", "weak"), (), "counters/designs/slots.c",
        [("atomic_fetch_add_explicit(slots_count(counter), amount, memory_order_relaxed);",
          "atomic_store_explicit(slots_count(counter), amount + slots_read(counter), "
          "memory_order_relaxed);"),
         ("static apart void slots_add_count(",
          "static int64_t slots_read(void *array); static apart void slots_add_count(")],
    ),
    "activation publishes without release": (
        PUBLISH, "counter/tree-lazy", ("weak",), ("sc", "tso"), "counters/tree_lazy.c",
        [("made[i].area, __ATOMIC_RELEASE);", "made[i].area, __ATOMIC_RELAXED);")],
    ),
    "activation of the fitted tree publishes without release": (
        PUBLISH, "counter/tree-fit-lazy", ("weak",), ("sc", "tso"), "counters/fit_lazy.c",
        [("made[i].area, __ATOMIC_RELEASE);", "made[i].area, __ATOMIC_RELAXED);")],
    ),
    "activation is read without acquire": (
        PUBLISH, "counter/tree-lazy", ("weak",), ("sc", "tso"), "counters/tree_lazy.h",
        [("return __atomic_load_n(&counter->area, __ATOMIC_ACQUIRE);",
          "return __atomic_load_n(&counter->area, __ATOMIC_RELAXED);")],
    ),
    "width is closed by a store": (
        PUBLISH, "linear-sum/tree-exact", ("tso", "weak"), ("sc",), "counters/exact.c",
        [("atomic_exchange_explicit(&counter->width, 0, memory_order_seq_cst);",
          "atomic_store_explicit(&counter->width, 0, memory_order_relaxed);")],
    ),
    "barrier lets go without release": (
        PUBLISH, "barrier/spin", ("weak",), ("sc", "tso"), "bench/barrier.c",
        [("generation + 1, memory_order_release);", "generation + 1, memory_order_relaxed);")],
    ),
    "lock is handed over without release": (
        PUBLISH, "spinlock/spin", ("weak",), ("sc", "tso"), "core/spinlock.h",
        [("atomic_store_explicit(&lock->locked, 0, memory_order_release);",
          "atomic_store_explicit(&lock->locked, 0, memory_order_relaxed);")],
    ),
    "barrier wakes before it lets go": (
        LOST_WAKE, "barrier/sleep", ("sc", "tso", "weak"), (), "bench/barrier.c",
        [("atomic_store_explicit(&b->arrived, 0, memory_order_relaxed); /* Release:",
          "atomic_store_explicit(&b->arrived, 0, memory_order_relaxed); "
          "wait_wake(&b->generation); /* Release:"),
         ("generation + 1, memory_order_release); wait_wake(&b->generation);",
          "generation + 1, memory_order_release);")],
    ),
    "new head of the queue is not woken": (
        LOST_WAKE, "spinlock/sleep", ("sc", "tso", "weak"), (), "core/spinlock.c",
        [("wait_wake(&node->ready);", "")],
    ),
    "release of a lock wakes before it": (
        LOST_WAKE, "spinlock/sleep", ("sc", "tso", "weak"), (), "core/spinlock.c",
        [("old = atomic_fetch_and_explicit(&lock->word, ~SPIN_HELD_MASK, memory_order_release); "
          "if (old >> SPIN_TAIL_SHIFT) wait_wake(&lock->word);",
          "old = atomic_load_explicit(&lock->word, memory_order_relaxed); "
          "if (old >> SPIN_TAIL_SHIFT) wait_wake(&lock->word); "
          "atomic_fetch_and_explicit(&lock->word, ~SPIN_HELD_MASK, memory_order_release);")],
    ),
    "CPU is kicked before its work is posted": (
        LOST_WAKE, "work/spin", ("sc", "tso", "weak"), (), "core/smp.c",
        [("atomic_store_explicit(&slot->busy, 1, memory_order_relaxed);",
          "atomic_store_explicit(&slot->busy, 1, memory_order_relaxed); arch_cpu_kick(cpu);"),
         ("memory_order_release); /* publishes the slot */ arch_cpu_kick(cpu);",
          "memory_order_release);")],
    ),
    "work that is done wakes nobody": (
        LOST_WAKE, "work/sleep", ("sc", "tso", "weak"), (), "core/smp.c",
        [("atomic_fetch_sub_explicit(remaining, 1, memory_order_release); wait_wake(remaining);",
          "atomic_fetch_sub_explicit(remaining, 1, memory_order_release);")],
    ),
    "new slab is listed without the lock": (
        OTHER, "allocator/slab", ("sc", "tso", "weak"), (), "core/slab_list.c",
        [("cache_lock(cache); list_add(&cache->partial, &head->link);",
          "list_add(&cache->partial, &head->link);"),
         ("cache->empty_slabs++; done = take_listed(cache, objects, count); "
          "spin_unlock(&cache->lock);",
          "cache->empty_slabs++; done = take_listed(cache, objects, count);")],
    ),
    "report has one mark": (
        OTHER, "report-store", ("tso", "weak"), ("sc",), "core/report_writer.c",
        [("&w->store->marks[w->sequence % 2];", "&w->store->marks[0];")],
    ),
}
IN_MAKE_TEST = {
    "what an item passes on is taken out in two steps", "fold without the lock",
    "count of slots added in two steps",
    "activation publishes without release", "activation is read without acquire",
    "width is closed by a store",
    "barrier wakes before it lets go", "new head of the queue is not woken",
    "CPU is kicked before its work is posted",
}


def explore(*params, root=machine.ROOT, timeout=300):
    return machine.hosted(*params, build="sim", root=root, timeout=timeout)


def test_every_protocol_in_many_schedules():
    """More than 100,000 without those of litmus; with other seeds in full."""
    run = explore("explore=all", "schedules=1200", timeout=600).check_pass()
    done = re.search(r"# explored: (\d+) schedules, 0 of", run.stdout)
    of_litmus = 1200 * sum("explore.litmus/" in test for test in run.report.tests)
    assert done and int(done.group(1)) - of_litmus >= 100_000, run.explain()


@pytest.mark.full
@pytest.mark.parametrize("seed", [1_000_000, 2_000_000, 3_000_000, 4_000_000])
def test_every_protocol_in_other_schedules(seed):
    explore("explore=all", "schedules=10000", f"seed={seed}", timeout=3000).check_pass()


# What Armv8 and x86-TSO allow and the explorer must be able to show; what they forbid fails there.
SHOWN = {
    "litmus/mp.weak": 1, "litmus/mp-r.weak": 1, "litmus/mp-a.weak": 1,
    "litmus/sb.weak": 0, "litmus/sb.tso": 0,
}


def test_memories_show_what_they_should():
    run = explore("explore=litmus", "schedules=20000").check_pass()
    for name, outcome in SHOWN.items():
        assert f"# {name} outcome {outcome}: " in run.stdout, run.explain()


def test_a_seed_says_all():
    params = ("explore=counter/tree-lazy,spinlock", "schedules=20", "seed=7")
    texts = [
        re.sub(r"\d+ a second", "", explore(*params).check_pass().stdout).split("# end block")[0]
        for _ in range(2)
    ]
    assert texts[0] == texts[1]


@pytest.mark.parametrize(
    "wrong, said",
    [
        (("explore=nothing",), "there is no such scenario"),
        (("explore=all", "memory=strong"), "expected sc, tso, weak or all"),
        (("explore=all", "schedules=0"), "expected a number from 1"),
        (("explore=all", "smp=4"), "explore= needs smp=8 or more"),
    ],
)
def test_what_cannot_be_explored(wrong, said):
    run = explore(*wrong)
    assert run.status and said in run.stdout + run.stderr, run.explain()


# --- planted faults ---


def build(tree):
    built = machine.make(tree, "sim")
    assert built.returncode == 0, built.stdout + built.stderr


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    copy = machine.copy_tree(tmp_path_factory.mktemp("explore") / "tree")
    needed = {path for pattern in NEEDED for path in copy.glob(pattern)}
    for pattern in NOT_NEEDED:
        for path in copy.glob(pattern):
            if path not in needed and path.is_file():
                path.unlink()
    build(copy)
    return copy


def planted_text(text, changes, path):
    for right, wrong in changes:
        place = re.compile(r"\s+".join(re.escape(word) for word in right.split()))
        assert len(place.findall(text)) == 1, f"{path} no longer has, once: {right}"
        text = place.sub(lambda _, wrong=wrong: wrong, text)
    return text


def planted_params():
    for name in PLANTED:
        marks = [] if name in IN_MAKE_TEST else [pytest.mark.full]
        yield pytest.param(name, marks=marks, id=name.replace(" ", "-"))


@pytest.mark.parametrize("name", planted_params())
def test_planted_fault_is_found(tree, name):
    _, scenario, finds, misses, path, changes = PLANTED[name]
    text = (tree / path).read_text()
    (tree / path).write_text(planted_text(text, changes, path))
    try:
        build(tree)
        for memory in misses:
            explore(f"explore={scenario}", f"memory={memory}", "schedules=3000",
                    root=tree).check_pass()
        for memory in finds:
            check_found(tree, scenario, memory)
    finally:
        (tree / path).write_text(text)


def check_found(tree, scenario, memory):
    """In time; and the seed that is printed finds it again at once."""
    start = time.monotonic()
    run = explore(f"explore={scenario}", f"memory={memory}", f"schedules={SCHEDULES}", root=tree,
                  timeout=FIND_S * 2)
    run.check_fail("explorations failed", "replay: explore=")
    assert time.monotonic() - start < FIND_S, run.explain()
    replay = re.search(r"# replay: (explore=\S+) (memory=\S+) (seed=\d+) schedules=1", run.stdout)
    assert replay, run.explain()
    explore(*replay.groups(), "schedules=1", root=tree).check_fail("1 of 1 explorations failed")


def test_there_are_three_of_each_kind():
    for kind in (LOST_CARRY, PUBLISH, LOST_WAKE):
        assert sum(planted[0] == kind for planted in PLANTED.values()) >= 3
