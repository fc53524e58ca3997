# SPDX-License-Identifier: Apache-2.0
"""Options and fixtures of the host-side tests (pytest): what is built, and how it is run."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "qemu"))

import machine  # noqa: E402  (needs the path above)


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="the tests that take long, too")


def pytest_configure(config):
    config.addinivalue_line("markers", "full: takes long; runs with --full (make test-full)")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--full"):
        return
    skip = pytest.mark.skip(reason="takes long: make test-full")
    for item in items:
        if "full" in item.keywords:
            item.add_marker(skip)


def pytest_sessionstart(session):
    """pytest alone must test what the tree says, not an old build; make test has built already."""
    if os.environ.get("MAKELEVEL"):
        return
    subprocess.run(["make", "test-builds"], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def qemu():
    """qemu(*params, smp=…, …): boots the image, returns its machine.Run."""
    return machine.qemu


@pytest.fixture
def hosted():
    """hosted(*params, build="hosted", smp=…): runs the process, returns its machine.Run."""
    return machine.hosted


@pytest.fixture
def qemu10():
    """The path of a QEMU that emulates x2APIC; skips the test where it cannot be had."""
    path = os.path.join(ROOT, "build", "tools", "qemu10", "qemu-system-x86_64")
    if not os.path.exists(path):
        pytest.skip("no QEMU 9 or later: 'make qemu10' could not get one on this machine")
    return path
