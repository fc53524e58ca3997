# SPDX-License-Identifier: Apache-2.0
# Which files make the image, and the generated translation units of the counter designs.

SOURCES := $(foreach b,$(PORT_BOOT),$(wildcard boot/$(b)/*.c boot/$(b)/*.asm boot/$(b)/*.S)) \
    $(foreach d,arch/$(PORT) $(PORT_FOLDERS),$(wildcard $(d)/*.c $(d)/*.asm $(d)/*.S)) \
    $(filter-out $(PORT_SKIP),$(wildcard core/*.c)) \
    $(wildcard counters/*.c) \
    $(PORT_DRIVERS) \
    $(wildcard bench/*.c bench/storms/*.c) \
    $(wildcard tests/kernel/*.c) \
    $(foreach d,$(PORT) $(notdir $(PORT_FOLDERS)),$(wildcard tests/kernel/$(d)/*.c))

# A design's unit: the design, then every storm and every test that is instantiated for designs
# (counters/design.h). Made anew when one of them is added or taken away.
DESIGNS := $(wildcard counters/designs/*.c)
DESIGN_STORMS := $(sort $(wildcard bench/design_storms/*.c)) $(sort $(wildcard tests/design_tests/*.c))
DESIGN_UNITS := $(patsubst counters/designs/%.c,$(GEN)/designs/%.c,$(DESIGNS))

DESIGN_LIST := $(GEN)/design_storms
$(DESIGN_LIST): always
	@mkdir -p $(@D)
	@printf '#include "%s"\n' $(DESIGN_STORMS) | cmp -s - $@ || \
	    printf '#include "%s"\n' $(DESIGN_STORMS) > $@

$(GEN)/designs/%.c: counters/designs/%.c $(DESIGN_LIST)
	@mkdir -p $(@D)
	@{ printf '#include "counters/designs/%s.c"\n' $*; cat $(DESIGN_LIST); } > $@

OBJECTS := $(patsubst %.c,$(OBJ)/%.o,$(filter %.c,$(SOURCES))) \
    $(patsubst %.asm,$(OBJ)/%.asm.o,$(filter %.asm,$(SOURCES))) \
    $(patsubst %.S,$(OBJ)/%.S.o,$(filter %.S,$(SOURCES))) \
    $(patsubst $(GEN)/%.c,$(OBJ)/gen/%.o,$(DESIGN_UNITS)) \
    $(OBJ)/gen/version.o $(OBJ)/gen/published_table.o $(OBJ)/gen/font_table.o

# The published figures that the report shows beside its own.
$(GEN)/published_table.c: bench/published.csv tools/published.py
	@mkdir -p $(@D)
	@$(PYTHON) tools/published.py $< > $@

# The screen's font.
FONT := $(BUILD_ROOT)/tools/font.psf.gz
$(FONT):
	@tools/fetch_font.sh $@
$(GEN)/font_table.c: $(FONT) tools/font.py
	@mkdir -p $(@D)
	@$(PYTHON) tools/font.py $< > $@

# The set of objects itself is an input of the link: a file taken away must leave the image.
OBJECT_LIST := $(BUILD)/objects
$(OBJECT_LIST): always
	@mkdir -p $(@D)
	@printf '%s\n' $(OBJECTS) | cmp -s - $@ || printf '%s\n' $(OBJECTS) > $@
