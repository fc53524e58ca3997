# SPDX-License-Identifier: Apache-2.0
# Two links: the first without symbol table gives the addresses of all functions, from which
# tools/symbols.py makes the table that the second one holds. The table comes last in the image, so
# that it moves nothing: the second link's addresses are checked against the first's.

$(BUILD)/pass1.elf: $(OBJECTS) $(OBJECT_LIST) $(LINK_INPUTS)
	@echo "  LINK  $@"
	@$(LINK) -o $@ $(OBJECTS)

ifneq ($(wildcard tools/symbols.py),)
SYMBOL_TABLE := $(OBJ)/gen/symbol_table.o
endif

$(GEN)/symbol_table.c: $(BUILD)/pass1.elf tools/symbols.py
	@mkdir -p $(@D)
	@$(PYTHON) tools/symbols.py --nm $(NM) $< > $@

$(IMAGE_BASE): $(OBJECTS) $(OBJECT_LIST) $(SYMBOL_TABLE) $(LINK_INPUTS)
	@echo "  LINK  $@"
	@$(LINK) -Wl,-Map,$(BUILD)/corestorm.map -o $@ $(OBJECTS) $(SYMBOL_TABLE)
ifneq ($(SYMBOL_TABLE),)
	@$(PYTHON) tools/symbols.py --nm $(NM) --check $(BUILD)/pass1.elf $@
endif
