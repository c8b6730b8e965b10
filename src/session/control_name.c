/* SPDX-License-Identifier: MIT */
/* The name is made of two numbers. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "session/control_name.h"

socklen_t control_name_of(int64_t pid, struct sockaddr_un *ret_address)
{
	struct stat namespace = {.st_ino = 0};
	int length;

	stat("/proc/self/ns/pid", &namespace);
	memset(ret_address, 0, sizeof(*ret_address));
	ret_address->sun_family = AF_UNIX;
	length = snprintf(ret_address->sun_path + 1, sizeof(ret_address->sun_path) - 1,
		"corotracer-control.%ju.%" PRId64, (uintmax_t) namespace.st_ino, pid);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
}
