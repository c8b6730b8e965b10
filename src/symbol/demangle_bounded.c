/* SPDX-License-Identifier: MIT */
/*
 * Mangled names through libiberty (demangle.h), which hands out pieces as it goes and allocates nothing, so that it can
 * be left in the middle when enough has come.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "demangle.h"

static const char cut_mark[] = "...";

struct name {
	jmp_buf enough;
	size_t length;
	char bytes[DEMANGLED_MAX_BYTES + sizeof(cut_mark)];
};

typedef int reader(const char *mangled, int options, demangle_callbackref callback, void *opaque);

static void take(const char *piece, size_t nr_bytes, void *context)
{
	struct name *name = context;
	size_t room = DEMANGLED_MAX_BYTES - name->length;
	size_t taken = nr_bytes < room ? nr_bytes : room;

	memcpy(name->bytes + name->length, piece, taken);
	name->length += taken;
	if (taken < nr_bytes)
		longjmp(name->enough, 1);
}

static char *read_with(reader *read, int options, const char *mangled)
{
	struct name name = {.length = 0};

	if (setjmp(name.enough)) {
		memcpy(name.bytes + name.length, cut_mark, sizeof(cut_mark) - 1);
		name.length += sizeof(cut_mark) - 1;
	} else if (!read(mangled, options, take, &name)) {
		return NULL;
	}
	return strndup(name.bytes, name.length);
}

char *demangle(const char *mangled)
{
	return read_with(cplus_demangle_v3_callback, DMGL_PARAMS | DMGL_TYPES, mangled);
}

char *demangle_rust(const char *mangled)
{
	return read_with(rust_demangle_callback, DMGL_NO_OPTS, mangled);
}
