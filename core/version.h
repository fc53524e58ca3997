/* SPDX-License-Identifier: Apache-2.0 */
/* Which build this is: release and commit, "0.1.0+g1234abc"; mk/flags.mk makes the text. */
#ifndef CORE_VERSION_H
#define CORE_VERSION_H

extern const char corestorm_version[];

#endif
