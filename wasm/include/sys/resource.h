/* SPDX-License-Identifier: MIT */
/* A page has no resource limits of processes. */
#ifndef WASM_SYS_RESOURCE_H
#define WASM_SYS_RESOURCE_H

#include <stdint.h>

typedef uint64_t rlim_t;

struct rlimit {
	rlim_t rlim_cur;
	rlim_t rlim_max;
};

#define RLIMIT_FSIZE 1
#define RLIM_INFINITY (~(rlim_t)0)

static inline int getrlimit(int resource, struct rlimit *ret_limit)
{
	(void)resource;
	*ret_limit = (struct rlimit){RLIM_INFINITY, RLIM_INFINITY};
	return 0;
}

#endif
