# SPDX-License-Identifier: Apache-2.0
"""A machine with a screen: QEMU with its control socket, and the screen read back through the font."""

import json
import os
import shlex
import shutil
import socket
import subprocess
import sys
import time

import machine

sys.path.insert(0, os.path.join(machine.ROOT, "tools"))

import font  # noqa: E402  (needs the path above)

FONT = os.path.join(machine.ROOT, "build", "tools", "font.psf.gz")
SCALES = (1, 2, 3, 4)
GOES_ON = "\\"


def command(*params, qemu_args="", **options):
    """The command that run-qemu.sh would run. Files that it would make are not there."""
    words = [machine.RUN_QEMU, "--dry-run"]
    for name, value in options.items():
        words += ["--" + name] if value is True else ["--" + name, str(value)]
    done = subprocess.run(
        [*words, "--", *params],
        check=True, capture_output=True, text=True, env={**os.environ, "QEMU_ARGS": qemu_args},
    )
    return shlex.split(done.stdout)


def iso_command(folder, *params, **options):
    """The same for --boot iso, with its image in `folder`."""
    words = command(boot="iso", **options)
    iso = os.path.join(folder, "corestorm.iso")
    kernel = os.path.join(machine.ROOT, "build", "x86_64", "corestorm.elf")
    subprocess.run(
        [os.path.join(machine.ROOT, "tools", "make_iso.sh"), kernel, iso, " ".join(params)],
        check=True, capture_output=True,
    )
    words[words.index("-cdrom") + 1] = iso
    return words


EFI_FILES = {"x86_64": "BOOTX64.EFI", "arm64": "BOOTAA64.EFI"}


class Medium:
    """A file system that a machine boots from, and that is read when the machine has stopped."""

    def __init__(self, path, place, boot, arch):
        self.path, self.place, self.boot, self.arch = path, path + place, boot, arch

    def make_fat(self, *arguments, data=b""):
        tool = os.path.join(machine.ROOT, "tools", "make_fat.sh")
        subprocess.run([tool, *arguments], check=True, input=data, capture_output=True)

    def set_params(self, *params):
        self.put("corestorm.cfg", "".join(f"{p}\n" for p in params).encode())

    def put(self, name, data):
        self.make_fat(self.place, f"{name}=-", data=data)

    def mtools(self, tool, *arguments):
        return subprocess.run(
            [tool, "-i", self.place, *arguments], capture_output=True, check=False
        )

    def read(self, name):
        done = self.mtools("mtype", "::" + name)
        return done.stdout if done.returncode == 0 else None

    def free_bytes(self):
        last = self.mtools("mdir", "::").stdout.decode().split("\n")[-3]
        return int(last.replace("bytes free", "").replace(" ", ""))

    def names(self):
        """Files of the folder that reports are in."""
        paths = self.mtools("mdir", "-b", "::corestorm").stdout.decode().split()
        return sorted(os.path.basename(path) for path in paths)

    def command(self, qemu_args="", **options):
        """Resets are resets, not the end of QEMU."""
        words = command(
            arch=self.arch, boot=self.boot, disk=self.path, qemu_args=qemu_args, **options
        )
        words.remove("-no-reboot")
        at = next(i for i, word in enumerate(words) if "unit=1" in word)
        variables = self.path + ".vars"
        words[at] = words[at].split("file=")[0] + "file=" + variables
        shutil.copyfile(machine.UEFI_VARIABLES[self.arch], variables)
        return words


class Disk(Medium):
    """A disk with the EFI application alone."""

    def __init__(self, folder, *params, arch="x86_64"):
        super().__init__(os.path.join(folder, "disk.img"), "", "uefi", arch)
        image = os.path.join(machine.ROOT, "build", arch, EFI_FILES[arch])
        self.make_fat("-s", "64", self.path, f"EFI/BOOT/{EFI_FILES[arch]}={image}")
        self.set_params(*params)


class Stick(Medium):
    """A copy of the stick of `make usb`."""

    def __init__(self, folder, *params, arch="x86_64"):
        super().__init__(os.path.join(folder, "stick.img"), "@@1M", "usb", arch)
        image = os.path.join(machine.ROOT, "build", "corestorm.img")
        subprocess.run(["cp", "--sparse=always", image, self.path], check=True)
        self.set_params(*params)


class Screen:
    """A picture (PPM) as rows of text, with the font's glyphs; what is no glyph is None."""

    def __init__(self, ppm):
        head, size, depth, pixels = ppm.split(b"\n", 3)
        assert head == b"P6" and depth == b"255", ppm[:20]
        self.width, self.height = map(int, size.split())
        # A line of the picture as a string of bits: any colour is ink.
        bright = bytes(int(i > 64) for i in range(256))
        flat = pixels[: 3 * self.width * self.height].translate(bright)
        self.lines = [
            flat[3 * self.width * y : 3 * self.width * (y + 1) : 3] for y in range(self.height)
        ]
        self.glyphs = font.read_font(FONT)
        self.rows, self.scale = [], None
        for self.scale in SCALES:
            self.rows = self._read()
            if all(None not in row for row in self.rows):
                break

    def _read(self):
        cell_x, cell_y = font.WIDTH * self.scale, len(self.glyphs[0]) * self.scale
        shapes = {}
        for code, glyph in enumerate(self.glyphs, font.FIRST):
            bits = tuple(
                bytes(line >> (font.WIDTH - 1 - x) & 1 for x in range(font.WIDTH)) for line in glyph
            )
            shapes[bits] = chr(code)
            shapes.setdefault(tuple(bytes(1 - b for b in line) for line in bits), chr(code))
        rows = []
        for top in range(0, self.height - cell_y + 1, cell_y):
            sampled = [line[:: self.scale] for line in self.lines[top : top + cell_y : self.scale]]
            rows.append([
                shapes.get(tuple(line[x : x + font.WIDTH] for line in sampled))
                for x in range(0, self.width // cell_x * font.WIDTH, font.WIDTH)
            ])
        return rows

    def text(self):
        """Rows as text; an unknown cell shows as the replacement character."""
        return ["".join(c or "\ufffd" for c in row) for row in self.rows]


def join_rows(rows):
    """Lines again, from rows whose last column says whether they go on."""
    lines, pending = [], ""
    for row in rows:
        pending += row[:-1]
        if row[-1] != GOES_ON:
            lines.append(pending.rstrip(" "))
            pending = ""
    return lines


class Vm:
    """with Vm(command, tmp_path) as vm: vm.screen(), vm.key("spc"), vm.wait()"""

    def __init__(self, words, folder, stdin=subprocess.DEVNULL):
        self.socket_path = os.path.join(folder, "qmp")
        self.dump = os.path.join(folder, "screen.ppm")
        self.output_path = os.path.join(folder, "serial")
        self.output = open(self.output_path, "wb")
        self.process = subprocess.Popen(
            [*words, "-qmp", f"unix:{self.socket_path},server=on,wait=off"],
            stdin=stdin, stdout=self.output, stderr=subprocess.STDOUT, cwd=machine.ROOT,
        )

    def __enter__(self):
        limit = time.monotonic() + 20
        self.qmp = socket.socket(socket.AF_UNIX)
        while True:
            try:
                self.qmp.connect(self.socket_path)
                break
            except OSError:
                assert time.monotonic() < limit and self.process.poll() is None, self.serial()
                time.sleep(0.05)
        self.qmp.settimeout(30)
        self.stream = self.qmp.makefile("rw")
        self.stream.readline()  # the greeting
        self.do("qmp_capabilities")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.qmp.close()
        self.output.close()

    def do(self, name, **arguments):
        self.stream.write(json.dumps({"execute": name, "arguments": arguments}) + "\n")
        self.stream.flush()
        while True:
            answer = json.loads(self.stream.readline())
            assert "error" not in answer, answer
            if "return" in answer:
                return answer["return"]

    def screen(self):
        self.do("screendump", filename=self.dump)
        with open(self.dump, "rb") as file:
            return Screen(file.read())

    def key(self, *names):
        for name in names:
            self.do("human-monitor-command", **{"command-line": f"sendkey {name} 20"})
            time.sleep(0.06)

    def serial(self):
        with open(self.output_path, "rb") as file:
            return file.read().decode(errors="replace").replace("\r", "")

    def wait(self, seconds):
        """The exit status."""
        return self.process.wait(timeout=seconds)

    def wait_screen(self, text, seconds):
        """Until a row of the screen has the text; returns the screen."""
        limit = time.monotonic() + seconds
        while True:
            screen = self.screen()
            if any(text in row for row in screen.text()):
                return screen
            assert time.monotonic() < limit, "\n".join(screen.text()) + self.serial()
            assert self.process.poll() is None, self.serial()
            time.sleep(0.3)

    def wait_serial(self, text, seconds, start=0):
        """Until the serial output behind `start` has the text; returns where that ends."""
        limit = time.monotonic() + seconds
        while (at := self.serial().find(text, start)) < 0:
            assert time.monotonic() < limit and self.process.poll() is None, self.serial()[-6000:]
            time.sleep(0.1)
        return at + len(text)
