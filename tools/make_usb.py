#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the image of a stick that boots by UEFI (x86-64, arm64) and by BIOS (x86-64).

  make_usb.py OUT [--kernel ELF] [--efi FILE…] [--config FILE] [--mib N]

  sector 0        GRUB's first sector; partition table for those who do not read GPT: the file system
                  as FAT32, active (BIOS, Windows), and a protective entry before it
  1 … 33          GPT: BIOS boot partition, EFI System partition
  34 … 2047       BIOS boot partition: GRUB, which finds the file system and reads corestorm/grub.cfg
  2048 …          EFI System partition, FAT32: corestorm.cfg, EFI/BOOT/*.EFI, corestorm/
  the last 33     the second GPT

The same input gives the same image. GPT: UEFI 2.10, 5.3. GRUB's fields: its boot.S and diskboot.S.
"""

import argparse
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import uuid
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
SECTOR = 512
MIB_SECTORS = 2048
BIOS_BOOT_FIRST, ESP_FIRST = 34, 2048
ENTRIES, ENTRY_BYTES, ENTRY_SECTORS = 128, 128, 32
BIOS_BOOT_TYPE = uuid.UUID("21686148-6449-6e6f-744e-656564454649")
ESP_TYPE = uuid.UUID("c12a7328-f81f-11d2-ba4b-00a0c93ec93b")
# Names of this image's own; every stick has the same ones.
DISK_ID = uuid.UUID("c0535701-0000-4000-8000-000000000000")
BIOS_BOOT_ID = uuid.UUID("c0535701-0000-4000-8000-000000000001")
ESP_ID = uuid.UUID("c0535701-0000-4000-8000-000000000002")

MBR_CODE_BYTES, MBR_TABLE_AT = 440, 446
FAT32_LBA, PROTECTIVE, ACTIVE = 0x0C, 0xEE, 0x80

GRUB = "/usr/lib/grub/i386-pc"
GRUB_MODULES = (
    "biosdisk part_gpt part_msdos fat search search_fs_file normal configfile echo test boot"
    " multiboot2 all_video vbe vga video video_fb"
).split()
# In boot.img: where the next sector is, and the jump over the correction of a drive number that some
# BIOSes pass wrong, which installers take out. In the next sector: where the rest is.
GRUB_NEXT_SECTOR_AT, GRUB_DRIVE_CHECK_AT, GRUB_REST_AT = 0x5C, 0x66, 0x1F4
GRUB_NOPS = b"\x90\x90"
GRUB_START = "search --no-floppy --set=root --file /corestorm/corestorm.elf\nconfigfile /corestorm/grub.cfg\n"
GRUB_MENU = """\
set timeout=0
set gfxpayload=keep
terminal_output console
multiboot2 /corestorm/corestorm.elf
module2 /corestorm.cfg corestorm.cfg
boot
"""


class Missing(Exception):
    """Something that has to be installed or built."""


PACKAGES = {"objcopy": "binutils", "grub-mkimage": "grub-common"}


def run(*command, data=None):
    try:
        done = subprocess.run(command, input=data, capture_output=True, check=False)
    except FileNotFoundError as error:
        package = PACKAGES.get(command[0])
        where = f"; it is in the package {package} (make deps)" if package else ""
        raise Missing(f"{command[0]} is missing{where}") from error
    if done.returncode:
        raise Missing(f"{command[0]} failed: {done.stderr.decode(errors='replace').strip()}")


def grub_image(folder):
    """GRUB's first sector, and what goes into the BIOS boot partition."""
    if not shutil.which("grub-mkimage"):
        raise Missing("grub-mkimage is missing; it is in the package grub-common (make deps)")
    if not os.path.exists(f"{GRUB}/boot.img"):
        raise Missing("GRUB's BIOS modules are missing; they are in the package grub-pc-bin (make deps)")
    start, core = os.path.join(folder, "start.cfg"), os.path.join(folder, "core.img")
    with open(start, "w", encoding="ascii") as file:
        file.write(GRUB_START)
    run("grub-mkimage", "-O", "i386-pc", "-d", GRUB, "-p", "/corestorm", "-c", start, "-o", core, *GRUB_MODULES)
    with open(f"{GRUB}/boot.img", "rb") as file:
        first = bytearray(file.read(SECTOR))
    with open(core, "rb") as file:
        rest = bytearray(file.read())
    struct.pack_into("<Q", first, GRUB_NEXT_SECTOR_AT, BIOS_BOOT_FIRST)
    first[GRUB_DRIVE_CHECK_AT : GRUB_DRIVE_CHECK_AT + 2] = GRUB_NOPS
    struct.pack_into("<Q", rest, GRUB_REST_AT, BIOS_BOOT_FIRST + 1)
    if len(rest) > (ESP_FIRST - BIOS_BOOT_FIRST) * SECTOR:
        raise Missing(f"GRUB's image has {len(rest)} bytes, too many for its partition")
    return bytes(first[:MBR_CODE_BYTES]), bytes(rest)


def mbr(code, esp_sectors):
    def entry(status, kind, first, sectors):
        return struct.pack("<B3sB3sII", status, b"\xfe\xff\xff", kind, b"\xfe\xff\xff", first, sectors)

    table = entry(ACTIVE, FAT32_LBA, ESP_FIRST, esp_sectors) + entry(0, PROTECTIVE, 1, ESP_FIRST - 1)
    serial = struct.pack("<I2x", 0x43524553)
    return (code + serial + table).ljust(SECTOR - 2, b"\0") + b"\x55\xaa"


def gpt_entries(last):
    def entry(kind, own, first, end, name):
        return struct.pack("<16s16sQQQ72s", kind.bytes_le, own.bytes_le, first, end, 0, name.encode("utf-16-le"))

    table = entry(BIOS_BOOT_TYPE, BIOS_BOOT_ID, BIOS_BOOT_FIRST, ESP_FIRST - 1, "BIOS boot")
    table += entry(ESP_TYPE, ESP_ID, ESP_FIRST, last, "CORESTORM")
    return table.ljust(ENTRIES * ENTRY_BYTES, b"\0")


def gpt_header(own, other, entries_at, last, entries):
    def header(crc):
        return struct.pack(
            "<8sIIIIQQQQ16sQIII", b"EFI PART", 0x10000, 92, crc, 0, own, other, BIOS_BOOT_FIRST, last,
            DISK_ID.bytes_le, entries_at, ENTRIES, ENTRY_BYTES, zlib.crc32(entries),
        )  # fmt: skip

    return header(zlib.crc32(header(0))).ljust(SECTOR, b"\0")


def file_system(folder, mib, files):
    path = os.path.join(folder, "esp.img")
    pairs = [f"{name}={file}" for name, file in files.items()]
    run(os.path.join(HERE, "make_fat.sh"), "-s", str(mib), path, *pairs)
    with open(path, "rb") as file:
        return file.read()


def stick_files(folder, options):
    """{path on the stick: file}."""
    kernel, menu = os.path.join(folder, "corestorm.elf"), os.path.join(folder, "grub.cfg")
    run("objcopy", "-S", options.kernel, kernel)
    with open(menu, "w", encoding="ascii") as file:
        file.write(GRUB_MENU)
    files = {"corestorm.cfg": options.config, "corestorm/corestorm.elf": kernel, "corestorm/grub.cfg": menu}
    files.update({f"EFI/BOOT/{os.path.basename(path)}": path for path in options.efi})
    for path in files.values():
        if not os.path.exists(path):
            raise Missing(f"{path} is missing")
    return files


def make(folder, options):
    esp = file_system(folder, options.mib - 2, stick_files(folder, options))
    code, core = grub_image(folder)
    sectors = options.mib * MIB_SECTORS
    esp_last = ESP_FIRST + len(esp) // SECTOR - 1
    last = sectors - ENTRY_SECTORS - 2
    entries = gpt_entries(esp_last)
    pieces = {
        0: mbr(code, len(esp) // SECTOR),
        1: gpt_header(1, sectors - 1, 2, last, entries),
        2: entries,
        BIOS_BOOT_FIRST: core,
        ESP_FIRST: esp,
        last + 1: entries,
        sectors - 1: gpt_header(sectors - 1, 1, last + 1, last, entries),
    }
    with open(options.out, "wb") as out:
        out.truncate(sectors * SECTOR)
        for at, data in pieces.items():
            out.seek(at * SECTOR)
            out.write(data)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("out")
    parser.add_argument("--kernel", default="build/x86_64/corestorm.elf")
    parser.add_argument("--efi", nargs="*", default=["build/x86_64/BOOTX64.EFI", "build/arm64/BOOTAA64.EFI"])
    parser.add_argument("--config", default=os.path.join(HERE, "corestorm.cfg"))
    parser.add_argument("--mib", type=int, default=64)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        try:
            make(folder, options)
        except Missing as error:
            print(f"make_usb: {error}", file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
