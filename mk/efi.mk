# SPDX-License-Identifier: Apache-2.0
# The EFI application: boot/efi/app linked with GNU-EFI, the flat kernel inside (make efi).
#
# What a port says of it (arch/<port>/port.mk):
#
#   PORT_EFI_FILE     its name on a stick: BOOTX64.EFI
#   PORT_EFI_ARCH     what GNU-EFI calls the architecture
#   PORT_EFI_FOLDER   where GNU-EFI is unpacked: usr/include and usr/lib are below it
#   PORT_EFI_CFLAGS
#   PORT_EFI_PAYLOAD  the kernel as one flat file
#
# and how to turn the linked program into a PE file, which differs: EFI_TO_PE in arch/<port>/pack.mk.

EFI_IMAGE := $(BUILD)/$(PORT_EFI_FILE)
EFI_SOURCES := $(foreach d,boot/efi/app boot/efi/app/$(PORT),$(wildcard $(d)/*.c $(d)/*.asm $(d)/*.S))
EFI_OBJ := $(BUILD)/efi
EFI_OBJECTS := $(patsubst %.c,$(EFI_OBJ)/%.o,$(filter %.c,$(EFI_SOURCES))) \
    $(patsubst %.asm,$(EFI_OBJ)/%.asm.o,$(filter %.asm,$(EFI_SOURCES))) \
    $(patsubst %.S,$(EFI_OBJ)/%.S.o,$(filter %.S,$(EFI_SOURCES)))
# Makes firmware odd for the tests.
CHAOS_IMAGE := $(BUILD)/CHAOS.EFI
CHAOS_OBJECTS := $(patsubst %.c,$(EFI_OBJ)/%.o,$(wildcard tests/efi_chaos/*.c tests/efi_chaos/$(PORT)/*.c))
EFI_LIB := $(PORT_EFI_FOLDER)/usr/lib
EFI_INCLUDE := $(PORT_EFI_FOLDER)/usr/include/efi
EFI_LINKER_SCRIPT := $(EFI_LIB)/elf_$(PORT_EFI_ARCH)_efi.lds

# Its own flags: position independent, UCS-2 strings, firmware's calling convention.
EFI_CFLAGS := -std=gnu11 -O2 -g $(WARN) -ffreestanding -fpic -fshort-wchar -fno-stack-protector \
    -fno-strict-aliasing -fno-asynchronous-unwind-tables -fno-unwind-tables \
    -ffile-prefix-map=$(CURDIR)/= -I. -isystem $(EFI_INCLUDE) -isystem $(EFI_INCLUDE)/$(PORT_EFI_ARCH) \
    -DPAYLOAD_FILE='"$(PORT_EFI_PAYLOAD)"' $(PORT_EFI_CFLAGS)

$(EFI_OBJ)/%.o: %.c $(FLAGS_STAMP) mk/efi.mk | $(EFI_LINKER_SCRIPT)
	@mkdir -p $(@D)
	@echo "  CC    $<"
	@$(CC) $(EFI_CFLAGS) -MMD -MP -c $< -o $@

$(EFI_OBJ)/%.S.o: %.S $(FLAGS_STAMP) mk/efi.mk | $(EFI_LINKER_SCRIPT)
	@mkdir -p $(@D)
	@echo "  AS    $<"
	@$(CC) $(EFI_CFLAGS) -MMD -MP -c $< -o $@

$(EFI_OBJ)/%.asm.o: %.asm $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@echo "  NASM  $<"
	@$(NASM) $(PORT_NASMFLAGS) -I./ -MD $(@:.o=.d) -MP -o $@ $<

$(EFI_OBJ)/boot/efi/app/payload.S.o: $(PORT_EFI_PAYLOAD)
-include $(EFI_OBJECTS:.o=.d) $(CHAOS_OBJECTS:.o=.d)

$(EFI_OBJ)/$(PORT_EFI_FILE).so: $(EFI_OBJECTS)
$(EFI_OBJ)/CHAOS.EFI.so: $(CHAOS_OBJECTS)
$(EFI_OBJ)/$(PORT_EFI_FILE).so $(EFI_OBJ)/CHAOS.EFI.so: $(EFI_LINKER_SCRIPT)
	@echo "  LINK  $@"
	@$(LD) -nostdlib -shared -Bsymbolic -z noexecstack --no-warn-rwx-segments --no-undefined \
	    -T $(EFI_LINKER_SCRIPT) $(PORT_EFI_LDFLAGS) $(EFI_LIB)/crt0-efi-$(PORT_EFI_ARCH).o \
	    $(filter %.o,$^) -o $@ -L$(EFI_LIB) -lefi -lgnuefi

$(BUILD)/%.EFI: $(EFI_OBJ)/%.EFI.so tools/mark_efi.py
	@echo "  EFI   $@"
	@$(EFI_TO_PE)
	@$(PYTHON) tools/mark_efi.py $@

.PHONY: efi
efi: $(CHECK_STAMP) $(EFI_IMAGE) $(CHAOS_IMAGE)
