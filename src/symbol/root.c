/* SPDX-License-Identifier: MIT */
/*
 * Opens files below another root, with openat2(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbol/symbol.h"

int symbol_open_file(int root, const char *path)
{
	/* The path may name a pipe or a device by now, so opening must not block. */
	const int flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
	struct open_how how = {
		.flags = (uint64_t)flags, .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

	if (root == SYMBOL_OUR_ROOT)
		return open(path, flags);
	if (root < 0) {
		errno = EACCES;
		return -1;
	}
	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}
