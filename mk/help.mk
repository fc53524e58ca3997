# SPDX-License-Identifier: Apache-2.0
#: make            the kernel: build/x86_64/corestorm.elf, with .asm, .sym and .map beside it
#: make run        installs what is missing, builds, boots the quick suite in QEMU with 4 CPUs
#:                 (SMP=8 PARAMS="bench=update full" change that; ./run-qemu.sh --help says more)
#: make hosted     the same as a Linux process: build/hosted/corestorm [smp=N] [mem=SIZE] [PARAM…]
#:                 SAN=asan (with UBSan) or SAN=tsan: build/hosted-asan, build/hosted-tsan
#: make sim        the same on a simulated many-core machine: build/sim/corestorm [machine=NAME|FILE]
#:                 [smp=N] [mem=SIZE] [PARAM…] (docs/simulated-machine.md)
#:                 explore=all: schedules of the lock-free protocols (docs/schedule-exploration.md)
#: make efi        the UEFI application, the kernel inside: build/x86_64/BOOTX64.EFI, or with ARCH=arm64
#:                 build/arm64/BOOTAA64.EFI
#: make usb        build/corestorm.img: one stick for UEFI on both architectures and for BIOS
#: make sign KEY=FILE CERT=FILE   build/signed: the applications signed for Secure Boot, and the stick
#: make iso        build/x86_64/corestorm.iso, GRUB for BIOS and UEFI; from a CD-ROM or a stick
#: make test       all tests: kernel tests, sanitizers, QEMU matrix
#: make test-full  and those that take long
#: make check      the rules of the house: who includes whom, file length, licence lines
#: make deps       installs what is missing (Debian, Ubuntu), or says the command
#: make qemu10     a QEMU that emulates more than 255 CPUs, from backports, into build/tools
#: make qemu-gdb   boots and waits for gdb
#: make clean
#:
#: ARCH=arm64      make, make run: build/arm64/Image, which holds two kernels, with LL/SC and with
#:                 LSE atomics (their .elf in build/arm64 and build/arm64-lse)
#: DEBUG=1         red zones, poison, double-free checks: build/x86_64-debug, build/hosted-debug
#: CC=clang        any C compiler that takes gcc's options
#: BUILD_ROOT=DIR  instead of build
