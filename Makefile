# SPDX-License-Identifier: Apache-2.0
# What a person types. The rules that make an image are in mk/image.mk, one run for each port.
#
#   make help      says everything

ARCH ?= x86_64
BUILD_ROOT ?= build
PYTHON ?= /usr/bin/python3
SMP ?= 4
PARAMS ?= quick
export PARAMS
QEMU10 := build/tools/qemu10

# As many jobs as processors, unless the caller said how many.
ifeq ($(MAKELEVEL),0)
ifeq ($(filter -j%,$(MAKEFLAGS)),)
MAKEFLAGS += -j$(shell nproc)
endif
endif
MAKEFLAGS += --no-print-directory

IMAGE = +$(MAKE) -f mk/image.mk BUILD_ROOT=$(BUILD_ROOT)
OUT = $(BUILD_ROOT)/$(ARCH)$(if $(DEBUG),-debug)
ELF = $(OUT)/corestorm.elf
# What QEMU loads, and what has to be installed (tools/deps.sh).
BOOTED_x86_64 = $(ELF)
BOOTED_arm64 = $(OUT)/Image
DEPS_x86_64 := build run
DEPS_arm64 := build-arm64 run-arm64
DEPS_EFI_x86_64 := build efi
DEPS_EFI_arm64 := build-arm64
RUN = IMAGE=$(BOOTED_$(ARCH)) ./run-qemu.sh --arch $(ARCH) --smp $(SMP)

.PHONY: all kernel efi hosted sim usb sign iso run test test-full test-builds check deps qemu-gdb qemu10 clean help
all: kernel

kernel:
	$(IMAGE) PORT=$(ARCH)

hosted:
	$(IMAGE) PORT=hosted

sim:
	$(IMAGE) PORT=sim

efi:
	@tools/deps.sh $(DEPS_EFI_$(ARCH))
	$(IMAGE) PORT=$(ARCH) efi

# One stick for both architectures, and for UEFI and BIOS.
usb:
	@tools/deps.sh build efi build-arm64 iso
	$(IMAGE) PORT=x86_64
	$(IMAGE) PORT=x86_64 efi
	$(IMAGE) PORT=arm64 efi
	$(PYTHON) tools/make_usb.py $(BUILD_ROOT)/corestorm.img

# Applications for Secure Boot, and a stick with them. BIOS does not look at signatures.
SIGNED ?= $(BUILD_ROOT)/signed
EFI_FILES = $(BUILD_ROOT)/x86_64/BOOTX64.EFI $(BUILD_ROOT)/arm64/BOOTAA64.EFI
sign:
	@[ -n "$(KEY)" ] && [ -n "$(CERT)" ] || { echo "make sign needs KEY=FILE and CERT=FILE (PEM)" >&2; exit 2; }
	@for f in "$(KEY)" "$(CERT)"; do [ -r "$$f" ] || { echo "make sign: $$f cannot be read" >&2; exit 2; }; done
	@tools/deps.sh sign
	+@$(MAKE) usb
	tools/sign_efi.sh "$(KEY)" "$(CERT)" "$(SIGNED)" $(EFI_FILES)
	$(PYTHON) tools/make_usb.py "$(SIGNED)/corestorm.img" --efi $(patsubst %,"$(SIGNED)"/%,$(notdir $(EFI_FILES)))

iso: kernel
	@tools/deps.sh iso
	tools/make_iso.sh $(ELF) $(ELF:.elf=.iso) "$$PARAMS"

# What is installed comes first, so these do not build as prerequisites.
run:
	@tools/deps.sh $(DEPS_$(ARCH))
	$(IMAGE) PORT=$(ARCH)
	$(RUN) -- $(PARAMS)

test:
	@tools/deps.sh build efi run uefi iso test $(DEPS_arm64) uefi-arm64
	+$(MAKE) test-builds
	$(PYTHON) -m pytest tests

test-full:
	@tools/deps.sh build efi run uefi iso test $(DEPS_arm64) uefi-arm64
	+$(MAKE) test-builds
	$(PYTHON) -m pytest tests --full

# One after the other: each is parallel in itself.
test-builds:
	$(IMAGE) PORT=x86_64
	$(IMAGE) PORT=x86_64 efi
	$(IMAGE) PORT=arm64
	$(IMAGE) PORT=arm64 efi
	$(IMAGE) PORT=hosted
	$(IMAGE) PORT=hosted SAN=asan DEBUG=1
	$(IMAGE) PORT=hosted SAN=tsan
	$(IMAGE) PORT=sim
	$(PYTHON) tools/make_usb.py $(BUILD_ROOT)/corestorm.img
	-tools/fetch_qemu10.sh $(QEMU10)

check:
	$(PYTHON) tools/check_includes.py

deps:
	tools/deps.sh build efi run uefi iso test $(DEPS_arm64) uefi-arm64

qemu10:
	tools/fetch_qemu10.sh $(QEMU10)

qemu-gdb: kernel
	$(RUN) --gdb --timeout 86400 -- $(PARAMS)

clean:
	rm -rf $(BUILD_ROOT)

help:
	@sed -n 's/^#: \{0,1\}//p' mk/help.mk
