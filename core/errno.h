/* SPDX-License-Identifier: Apache-2.0 */
/* Error codes: small negative numbers, Linux's values, since every reader knows them. */
#ifndef CORE_ERRNO_H
#define CORE_ERRNO_H

#define CS_EIO 5
#define CS_ENOMEM 12
#define CS_EBUSY 16
#define CS_EEXIST 17
#define CS_ENODEV 19
#define CS_EINVAL 22
#define CS_ENOSPC 28
#define CS_ERANGE 34
#define CS_ENOSYS 38
#define CS_ETIMEDOUT 110
#define CS_ENOENT 2

/* "-ENOMEM" for -CS_ENOMEM; "-E?" for a code not listed above. */
const char *errno_name(int error);

#endif
