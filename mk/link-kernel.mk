# SPDX-License-Identifier: Apache-2.0
# Links a bare-metal kernel by linker.ld and leaves its disassembly, symbols and map beside it.

LINKER_SCRIPT := $(BUILD)/linker.lds
$(LINKER_SCRIPT): linker.ld $(FLAGS_STAMP)
	@mkdir -p $(@D)
	@$(CC) -E -P -undef -x assembler-with-cpp $(INCLUDES) $(PORT_LINKER_DEFINES) \
	    -MMD -MP -MF $@.d -MT $@ $< -o $@
-include $(LINKER_SCRIPT).d

LINK = $(CC) -nostdlib -static $(PORT_LDFLAGS) -Wl,-T,$(LINKER_SCRIPT) \
    -Wl,-z,max-page-size=4096 -Wl,-z,noexecstack -Wl,--build-id=none
# The compiler's own integer helpers (population count, 128-bit division).
LINK_LIBRARIES := $(PORT_LIBRARIES) -lgcc
LINK_INPUTS := $(LINKER_SCRIPT)
IMAGE_BASE := $(BUILD)/corestorm.elf
include mk/symbols.mk

$(BUILD)/corestorm.asm: $(IMAGE_BASE)
	@$(OBJDUMP) -d $< > $@
$(BUILD)/corestorm.sym: $(IMAGE_BASE)
	@$(NM) -n $< > $@

IMAGE_FILES := $(IMAGE_BASE) $(BUILD)/corestorm.asm $(BUILD)/corestorm.sym
