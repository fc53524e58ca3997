/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the error codes, for messages. */
#include "core/errno.h"

#include "core/compiler.h"

const char *errno_name(int error)
{
    static const struct {
        int code;
        const char *name;
    } names[] = {
        {0, "0"},
        {-CS_ENOENT, "-ENOENT"},
        {-CS_EIO, "-EIO"},
        {-CS_ENOMEM, "-ENOMEM"},
        {-CS_EBUSY, "-EBUSY"},
        {-CS_EEXIST, "-EEXIST"},
        {-CS_ENODEV, "-ENODEV"},
        {-CS_EINVAL, "-EINVAL"},
        {-CS_ENOSPC, "-ENOSPC"},
        {-CS_ERANGE, "-ERANGE"},
        {-CS_ENOSYS, "-ENOSYS"},
        {-CS_ETIMEDOUT, "-ETIMEDOUT"},
    };

    for (unsigned i = 0; i < ARRAY_LEN(names); i++)
        if (names[i].code == error)
            return names[i].name;
    return "-E?";
}
