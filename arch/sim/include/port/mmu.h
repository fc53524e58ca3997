/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of the simulated machine: <port/layout.h>, arch/sim/memory.c. */
#ifndef PORT_MMU_H
#define PORT_MMU_H

#include <port/flat_memory.h>
#include <port/layout.h>

#define VMEMMAP_BASE SIM_VMEMMAP

#endif
