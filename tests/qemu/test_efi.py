# SPDX-License-Identifier: Apache-2.0
"""The EFI application under OVMF and AAVMF: what firmware gives arrives in the kernel."""

import os
import re
import shutil
import signal
import subprocess
import time

import pytest

import machine

APPLICATION = {
    arch: os.path.join(machine.ROOT, "build", arch, name)
    for arch, name in (("x86_64", "BOOTX64.EFI"), ("arm64", "BOOTAA64.EFI"))
}
BOOT_ONLY = ("selftest=none", "bench=none")


def efi(qemu, *params, arch="x86_64", smp=2, **options):
    return qemu(*BOOT_ONLY, *params, arch=arch, smp=smp, boot="uefi", timeout=180, **options)


def expect_machine(run, cpus, mib):
    """The CPUs and the memory that the command line gave, but for what firmware keeps."""
    run.check_pass(cpus=cpus)
    assert run.report.meta["boot"] == "efi", run.explain()
    assert mib - 32 <= run.report.memory_mib() <= mib, run.explain()
    return run


@pytest.mark.parametrize(
    "machine, cpu, said",
    [
        ("virt", "max", ["entry_el=1", "acpi: FADT: PSCI by hvc", "atomics=lse"]),
        ("virt,virtualization=on", "cortex-a57", ["entry_el=2", "acpi: FADT: PSCI by smc", "atomics=ll/sc"]),
        ("virt,acpi=off", "max", ["device tree: PSCI by hvc", "acpi: no tables"]),
    ],
)
def test_arm64_by_acpi_and_by_device_tree(qemu, machine, cpu, said):
    run = efi(qemu, arch="arm64", smp=3, mem="700M", machine=machine, cpu=cpu)
    expect_machine(run, 3, 700)
    for text in said:
        assert text in run.stdout, run.explain()


@pytest.mark.full
def test_arm64_17_cpus_by_acpi(qemu):
    expect_machine(efi(qemu, arch="arm64", smp=17, mem="700M"), 17, 700)


def test_corestorm_cfg(qemu):
    """Each parameter is a line of the file; what is wrong in it is named with its place."""
    run = efi(qemu, "seed=7", "nonsense=1", "quick=maybe", "odd name=2").check_pass(cpus=2)
    assert "parameter nonsense=1: unknown, at corestorm.cfg, line 4, column 1" in joined(run)
    assert "corestorm.cfg, line 5, column 1, expected nothing, or 0 or 1" in joined(run)
    assert "parameter odd name=2: unknown, at corestorm.cfg, line 6, column 1" in joined(run)
    assert run.report.number("parameter_errors") == 3, run.explain()
    assert run.report.meta["config"].startswith("selftest=none bench=none seed=7 "), run.explain()


def joined(run):
    """Lines that were cut at 100 columns, whole again."""
    return re.sub(r"\n#   ", " ", run.stdout)


# --- the file, without starting it ---

MACHINE_TYPE = {"x86_64": 0x8664, "arm64": 0xAA64}
EFI_APPLICATION, NX_COMPAT, RELOCS_STRIPPED = 10, 0x100, 0x1
EXECUTABLE, WRITABLE = 0x20000000, 0x80000000
DIRECTORY_RELOCATIONS = 5
# Many zeros (the kernel's data), and GNU-EFI's table of relocations, which relocates nothing.
HARMLESS = ("Byte 0x00 makes up", "Overlapping offsets in relocation data")


@pytest.mark.parametrize("name", ["", "CHAOS.EFI"])
@pytest.mark.parametrize("arch", APPLICATION)
def test_static_form(arch, name):
    """What strict firmware asks of a PE file: page-aligned sections inside the file, none of them
    writable and executable, the entry in an executable one, relocatable, data not executable."""
    pefile = pytest.importorskip("pefile", reason="python3-pefile is not installed")
    path = os.path.join(os.path.dirname(APPLICATION[arch]), name) if name else APPLICATION[arch]
    pe = pefile.PE(path)
    optional = pe.OPTIONAL_HEADER
    assert not [text for text in pe.get_warnings() if not text.startswith(HARMLESS)]
    assert pe.FILE_HEADER.Machine == MACHINE_TYPE[arch] and optional.Subsystem == EFI_APPLICATION
    assert optional.DllCharacteristics & NX_COMPAT
    assert not pe.FILE_HEADER.Characteristics & RELOCS_STRIPPED
    assert optional.SectionAlignment == 4096 and optional.SizeOfImage % 4096 == 0
    end = optional.SizeOfHeaders
    for section in pe.sections:
        assert section.VirtualAddress % 4096 == 0 and section.VirtualAddress >= end, section.Name
        end = section.VirtualAddress + max(section.Misc_VirtualSize, section.SizeOfRawData)
        assert section.PointerToRawData + section.SizeOfRawData <= os.path.getsize(path), section.Name
        assert not section.Characteristics & EXECUTABLE or not section.Characteristics & WRITABLE
    assert end <= optional.SizeOfImage
    entry = pe.get_section_by_rva(optional.AddressOfEntryPoint)
    assert entry.Characteristics & EXECUTABLE
    if arch == "x86_64":  # the start code relocates itself; loaders want to see a table, if an empty one
        assert optional.DATA_DIRECTORY[DIRECTORY_RELOCATIONS].Size > 0


# --- the network ---


@pytest.mark.parametrize("arch", ["x86_64", pytest.param("arm64", marks=pytest.mark.full)])
def test_network_boot(qemu, arch):
    """From QEMU's own TFTP server, corestorm.cfg too."""
    run = qemu(*BOOT_ONLY, "seed=7", arch=arch, smp=2, mem="700M", boot="net", timeout=180)
    expect_machine(run, 2, 700)
    assert "PXE" in run.stdout and "seed=7" in run.report.meta["config"], run.explain()


@pytest.mark.full
def test_network_config_that_is_too_long(qemu):
    run = qemu("x=" + 70000 * "a", boot="net", smp=1, timeout=180)
    assert "corestorm.cfg on the server is longer than 64 KiB" in run.stdout, run.explain()


# --- Secure Boot, with the distribution's test key ---

SNAKEOIL = "/usr/share/ovmf/PkKek-1-snakeoil"
SECURE = {
    "x86_64": (
        "/usr/share/OVMF/OVMF_CODE_4M.secboot.fd",
        "/usr/share/OVMF/OVMF_VARS_4M.snakeoil.fd",
        ["--machine", "q35,smm=on"],
        "-global driver=cfi.pflash01,property=secure,value=on -global ICH9-LPC.disable_s3=1",
    ),
    "arm64": ("/usr/share/AAVMF/AAVMF_CODE.fd", "/usr/share/AAVMF/AAVMF_VARS.snakeoil.fd", [], ""),
}


# System management mode makes the x86-64 firmware slow to emulate.
SECURE_CELLS = [pytest.param("x86_64", marks=pytest.mark.full), "arm64"]


@pytest.fixture(scope="module")
def signed(tmp_path_factory):
    """A folder with the signed applications."""
    for tool, package in (("sbsign", "sbsigntool"), ("openssl", "openssl")):
        if not shutil.which(tool):
            pytest.skip(f"{tool} is missing; it is in the package {package}")
    if not os.path.exists(SNAKEOIL + ".key"):
        pytest.skip("the package ovmf has no test key here")
    folder = tmp_path_factory.mktemp("signed")
    key = str(folder / "snakeoil.key")
    command = ["openssl", "rsa", "-in", SNAKEOIL + ".key", "-passin", "pass:snakeoil", "-out", key]
    subprocess.run(command, check=True, capture_output=True)
    done = machine.make(machine.ROOT, "sign", f"KEY={key}", f"CERT={SNAKEOIL}.pem", f"SIGNED={folder}")
    assert done.returncode == 0, done.stderr
    return folder


def secure_boot(arch, image, said, seconds=180):
    """Starts `image` under Secure Boot, until `said` is in the output or the machine ends: the
    output."""
    code, variables, options, qemu_args = SECURE[arch]
    for file in (code, variables):
        if not os.path.exists(file):
            pytest.skip(f"{file} is missing: this distribution has no firmware with the test key")
    env = {"UEFI_CODE": code, "UEFI_VARS": variables, "IMAGE": str(image), "QEMU_ARGS": qemu_args}
    command = [machine.RUN_QEMU, "--arch", arch, "--boot", "uefi", "--smp", "2", "--timeout", str(seconds)]
    with subprocess.Popen(
        command + options + ["--", *BOOT_ONLY],
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as run:
        output = b""
        end = time.monotonic() + seconds + 30
        while said not in output and time.monotonic() < end:
            piece = os.read(run.stdout.fileno(), 65536)
            if not piece:
                break
            output += piece
        os.killpg(run.pid, signal.SIGTERM)
    return output


@pytest.mark.parametrize("arch", SECURE_CELLS)
def test_secure_boot_starts_what_is_signed(signed, arch):
    output = secure_boot(arch, signed / os.path.basename(APPLICATION[arch]), b"result=pass")
    assert b"result=pass" in output, output.decode(errors="replace")


@pytest.mark.parametrize("arch", SECURE_CELLS)
def test_secure_boot_refuses_what_is_not(arch):
    output = secure_boot(arch, APPLICATION[arch], b"Access Denied")
    assert b"Access Denied" in output and b"goos:" not in output, output.decode(errors="replace")


@pytest.mark.full
def test_parameters_in_the_uefi_shell(qemu, tmp_path):
    """The shell passes UCS-2 with the image's name first; they come behind those of the file."""
    disk = str(tmp_path / "disk.img")
    command = [
        os.path.join(machine.ROOT, "tools", "make_fat.sh"), "-s", "64", disk,
        f"corestorm.efi={APPLICATION['x86_64']}", "startup.nsh=-",
    ]  # fmt: skip
    subprocess.run(command, input=b"fs0:\\corestorm.efi seed=8 mem=512M\r\n", check=True)
    text = tmp_path / "no.efi"
    text.write_bytes(b"no application, so that firmware goes on to its shell")
    run = qemu(*BOOT_ONLY, "mem=300M", smp=2, mem="700M", boot="uefi", disk=disk, image=str(text), timeout=180)
    expect_machine(run, 2, 512)
    assert run.report.meta["cmdline"] == "seed=8 mem=512M", run.explain()
