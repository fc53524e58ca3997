# SPDX-License-Identifier: Apache-2.0
"""The simulated machine: boots, repeats itself to the byte, keeps what it promises of the published
figures, and says what is wrong in a description."""

import os
import resource
import subprocess

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SIM = os.path.join(ROOT, "build", "sim", "corestorm")


def run(*params, program=SIM, timeout=300, env=None):
    return subprocess.run([program, *params], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          timeout=timeout, env=env, text=True, check=False)


def passed(result):
    return result.returncode == 0 and result.stdout.rstrip().endswith("result=pass")


def test_boots_and_passes_its_self_tests():
    result = run("machine=xeone5x2", "bench=none")
    assert passed(result), result.stdout[-2000:] + result.stderr
    assert "virt=sim" in result.stdout and "machine=xeone5x2" in result.stdout


@pytest.mark.parametrize("backend", ["timed", "turns"])
def test_self_tests_on_many_cpus(backend):
    result = run("machine=epyc9654x2", "smp=96", "bench=none", f"backend={backend}")
    assert passed(result), result.stdout[-2000:] + result.stderr


@pytest.mark.parametrize("cpus", [1, 2, 80, 224, 1024, 4096])
def test_any_number_of_cpus(cpus):
    result = run("machine=arm96", f"smp={cpus}", "bench=none", "selftest=smp,wait")
    assert passed(result), result.stdout[-2000:] + result.stderr
    assert f"cpus_online={cpus} " in result.stdout


STORM = ("machine=epyc9654x2", "smp=48", "bench=update,lifecycle", "quick", "designs=flat,tree",
         "cpus=1,48", "selftest=none")


def test_two_runs_are_the_same_bytes():
    """Whatever the environment and the host's addresses."""
    first = run(*STORM)
    env = dict(os.environ, LC_ALL="C", FILLER="x" * 5000)
    second = run(*STORM, env=env)
    assert passed(first) and first.stdout == second.stdout
    other = run(*STORM, "seed=2")
    assert passed(other)
    samples = [[line for line in text.splitlines() if line.startswith("Benchmark")]
               for text in (first.stdout, other.stdout)]
    assert samples[0] != samples[1], "the seed changes nothing"


@pytest.mark.full
def test_optimisation_of_the_simulator_changes_nothing(tmp_path):
    texts = set()
    for level in ("-O1", "-O2", "-O3"):
        root = tmp_path / level[1:]
        subprocess.run(["make", "sim", f"BUILD_ROOT={root}", f"SIM_OPT={level}"], cwd=ROOT, check=True,
                       stdout=subprocess.DEVNULL)
        result = run(*STORM, program=str(root / "sim" / "corestorm"))
        assert passed(result)
        texts.add(result.stdout)
    assert len(texts) == 1


def children_cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


@pytest.mark.full
def test_quick_suite_on_384_cpus():
    """Required: 60 s on one core; 40 s here (docs). Twice that for slower or loaded hosts."""
    before = children_cpu_seconds()
    result = run("machine=epyc9654x2", "bench=update,lifecycle", "quick", timeout=1200)
    assert passed(result), result.stdout[-2000:] + result.stderr
    assert children_cpu_seconds() - before < 120


@pytest.mark.full
def test_4096_cpus_to_the_end():
    result = run("machine=epyc9654x2", "smp=4096", "mem=16G", "bench=update", "quick", "cpus=all",
                 "designs=tree", "samples=1", "selftest=none", timeout=1800)
    assert passed(result), result.stdout[-2000:] + result.stderr
    assert "BenchmarkUpdate/design=tree/obj=mm/inc=pm32-4096 " in result.stdout


def validate(*params, timeout):
    result = subprocess.run(["/usr/bin/python3", "tools/sim_validate.py", *params], cwd=ROOT,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout,
                            check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def test_published_cells():
    """Three seeds; a miss must be told as one."""
    text = validate("--seeds", "3", timeout=900)
    assert "Miss: lifecycle/tree/ctr=4 at 384" in text and "Miss: lifecycle/flat/ctr=4 at 384" in text


@pytest.mark.full
def test_published_cells_over_five_seeds():
    validate("--seeds", "5", timeout=3600)


@pytest.mark.parametrize("text, message", [
    ("sockets 1\nsockets 2\n", ":2: sockets is set already, in line 1"),
    ("sockets\n", ':1: "sockets" has no value'),
    ("sockets 1.5\n", ":1: sockets \"1.5\": expected a whole number from 1 to 64"),
    ("# one\nsocket_count 2\n", ':2: there is no figure "socket_count"'),
    ("sockets 1\n", 'no figure for "clusters"'),
    ("l1 -3\n", ":1: l1 \"-3\": expected a number from 0 to 1000 (ns)"),
    ("name " + "x" * 100 + "\n", "is longer than 63 characters"),
    ("#" + "x" * 300 + "\n", ":1: a line of more than"),
])
def test_description_mistakes(tmp_path, text, message):
    path = tmp_path / "bad.machine"
    path.write_text(text)
    result = run(f"machine={path}", "bench=none", "selftest=none")
    assert result.returncode == 2
    assert message in result.stderr and "corestorm: " in result.stderr


@pytest.mark.parametrize("argument, message", [
    ("machine=nosuch", "No such file"),
    ("sim.cluster=x", 'cluster "x": expected a number'),
    ("sim.nosuch=1", "expected sim.FIGURE=VALUE"),
    ("smp=5000", "expected a number from 1 to 4096"),
    ("backend=nosuch", "there is none of this name"),
])
def test_argument_mistakes(argument, message):
    result = run(argument, "bench=none")
    assert result.returncode == 2 and message in result.stderr


def test_calibration_finds_a_machine_again(tmp_path):
    """A report of a machine with other figures than its file: the tool finds them again."""
    report = tmp_path / "report"
    result = run("machine=epyc9654x2", "bench=baseline", "selftest=none", "samples=3", "cpus=1,384",
                 "sim.cluster=31", "sim.atomic=9.5")
    assert passed(result)
    report.write_text(result.stdout)
    like = os.path.join(ROOT, "arch", "sim", "machines", "epyc9654x2.machine")
    made = subprocess.run(["/usr/bin/python3", "tools/sim_calibrate.py", str(report), "--name", "again",
                           "--program", SIM, "--like", like], cwd=ROOT, stdout=subprocess.PIPE, text=True,
                          timeout=300, check=True).stdout
    figures = dict(line.split()[:2] for line in made.splitlines() if line and not line.startswith("#"))
    assert abs(float(figures["cluster"]) / 31 - 1) < 0.1
    assert abs(float(figures["atomic"]) / 9.5 - 1) < 0.1
    assert (figures["sockets"], figures["cores"], figures["threads"]) == ("2", "8", "2")


def test_contention_profile_names_the_lock():
    result = run("machine=epyc9654x2", "smp=96", "bench=lifecycle", "quick", "designs=flat", "cpus=96",
                 "selftest=none")
    assert passed(result)
    lines = [line for line in result.stdout.splitlines() if line.startswith("# line storm=lifecycle")]
    assert lines and 'at="percpu_allocator+' in lines[0]
    assert "# operations storm=lifecycle design=flat cpus=96 fewest=" in result.stdout
