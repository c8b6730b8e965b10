/* SPDX-License-Identifier: MIT */
/*
 * Demangles names with libiberty (demangle.h). libiberty passes on pieces as it goes; when the limit is reached, a jump
 * leaves it in the middle. Its C++ part allocates nothing. Its Rust part allocates memory for identifiers that are not
 * ASCII and frees it after such a piece was taken, so the jump waits for the next piece.
 */
#include <libiberty/demangle.h>
#include <setjmp.h>
#include <stdbool.h>
#include <string.h>

#include "symbol/demangle.h"

static const char cut_mark[] = "...";

struct name {
	jmp_buf enough;
	size_t length;
	bool is_cut;
	char bytes[DEMANGLED_MAX_BYTES + sizeof(cut_mark)];
};

typedef int reader(const char *mangled, int options, demangle_callbackref callback, void *opaque);

static bool is_ascii(const char *piece, size_t nr_bytes)
{
	size_t i;

	for (i = 0; i < nr_bytes; i++)
		if ((unsigned char)piece[i] >= 0x80)
			return false;
	return true;
}

/* Between two pieces that are not ASCII there is always an ASCII one, such as "::". */
static void take(const char *piece, size_t nr_bytes, void *context)
{
	struct name *name = context;
	size_t room = DEMANGLED_MAX_BYTES - name->length;
	size_t taken = nr_bytes < room ? nr_bytes : room;

	memcpy(name->bytes + name->length, piece, taken);
	name->length += taken;
	name->is_cut |= taken < nr_bytes;
	if (name->is_cut && is_ascii(piece, nr_bytes))
		longjmp(name->enough, 1);
}

static char *read_with(reader *read, int options, const char *mangled)
{
	struct name name = {.length = 0};

	if (setjmp(name.enough) == 0 && !read(mangled, options, take, &name))
		return NULL;
	if (name.is_cut) {
		memcpy(name.bytes + name.length, cut_mark, sizeof(cut_mark) - 1);
		name.length += sizeof(cut_mark) - 1;
	}
	return strndup(name.bytes, name.length);
}

char *symbol_demangle(const char *mangled)
{
	return read_with(cplus_demangle_v3_callback, DMGL_PARAMS | DMGL_TYPES, mangled);
}

/*
 * An input longer than the longest name is refused, because decoding such identifiers takes time quadratic in their
 * length.
 */
char *symbol_demangle_rust(const char *mangled)
{
	if (strlen(mangled) > DEMANGLED_MAX_BYTES)
		return NULL;
	return read_with(rust_demangle_callback, DMGL_NO_OPTS, mangled);
}
