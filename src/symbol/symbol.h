/* SPDX-License-Identifier: MIT */
/*
 * Names for code addresses: module, function, file and line, from the ELF files and debug information of a program that
 * may have ended long ago.
 *
 * A trace records which segments of which files a process had mapped, with each file's build id. An address is looked
 * up in that table, never in a running process. A file whose build id has changed is not read: the answer is then the
 * module and the offset in it, with a remark that says why. Nothing is fetched over a network.
 *
 * Files are untrusted: every size and offset in them is checked. Not thread-safe; use one resolver per thread.
 */
#ifndef SYMBOL_SYMBOL_H
#define SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stdint.h>

#include "corotracer/event.h"
#include "base/failure.h"

/* Room for a build id of up to 32 bytes in hexadecimal, with its NUL. */
#define SYMBOL_BUILD_ID_SIZE 65

/*
 * The root that a path is relative to: an open descriptor of a folder, or one of these. Links never lead out of such a
 * folder.
 */
#define SYMBOL_OUR_ROOT (-1)
#define SYMBOL_NO_ROOT (-2) /* the root cannot be accessed: no file is found below it */

/*
 * symbol_build_id: reads the build id of an ELF file, in lower-case hexadecimal. False, and "": the file cannot be
 * read, is not a 64-bit little-endian ELF file, or has no build id.
 */
bool symbol_build_id(int root, const char *path, char ret_build_id[SYMBOL_BUILD_ID_SIZE]);

/* How much is known about an address. Each value includes the previous ones. */
enum symbol_extent {
	SYMBOL_NOTHING = 0, /* no mapping contains it */
	SYMBOL_MODULE,      /* the file, and the offset in it */
	SYMBOL_FUNCTION,    /* the function's name */
	SYMBOL_LINE,        /* file and line */
};

/* A function into which the previous one was inlined, and the place of the call. */
struct symbol_caller {
	const char *function;
	const char *file;
	uint32_t line;
};

/*
 * What an address means. Texts are never NULL ("" if unknown); they belong to the resolver and live as long as it.
 */
struct symbol_place {
	enum symbol_extent extent;
	const char *module; /* path of the file that contains the code */
	/*
	 * If the file could be read and has the recorded build id: the address in the module's own tables, as addr2line
	 * takes it. Else the byte offset in the file.
	 */
	uint64_t module_offset;
	const char *function; /* demangled; if functions were inlined, the innermost one */
	const char *file;
	uint32_t line;
	uint32_t column;
	bool has_debug_info; /* of the file, if it could be read */
	const char *remark;  /* one sentence: why no more is known; "" if everything is */
	/* the functions into which it was inlined, innermost first */
	const struct symbol_caller *callers;
	uint32_t nr_callers;
	uint32_t
		frame_bytes; /* of a C++20 coroutine's frame, if the address is its function's entry; 0: not known */
};

struct symbol_resolver;

/* symbol_new: makes a resolver without open files. NULL: out of memory. */
struct symbol_resolver *symbol_new(void);

/* symbol_free: closes all files and frees every text that the resolver handed out. NULL is allowed. */
void symbol_free(struct symbol_resolver *resolver);

/*
 * symbol_see_root: from now on the paths of `process` are relative to `root`, which the caller keeps open as long as
 * the resolver is used. False: out of memory.
 */
bool symbol_see_root(struct symbol_resolver *resolver, uint32_t process, int root);

/*
 * symbol_open_file: opens a file of a process for reading, without blocking. -1 and errno: failed; ENOSYS: `root` is
 * not ours, and the kernel is older than Linux 5.6. Links below another root, whose maker may have made them lead
 * anywhere, are followed as the process would follow them, and never out of the root.
 *
 * symbol_see_file: the file that had this path and build id is open as `descriptor`, which the caller keeps open as
 * long as the resolver is used. The resolver reads it even if the path no longer leads to it. False: out of memory.
 */
int symbol_open_file(int root, const char *path);
bool symbol_see_file(
	struct symbol_resolver *resolver, const char *path, const char *build_id, int descriptor);

/*
 * symbol_resolve: finds what `address` of `process` means, by the mappings recorded for the process; if several contain
 * the address, the last one is used. `kind` is an enum ctp_site_kind: for CTP_SITE_ADDRESS, a return address, the
 * instruction before it is looked up.
 *
 * Answers are cached by file, build id and offset. The only error is CT_ERR_NO_MEMORY.
 */
enum ct_status symbol_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, uint32_t process, uint64_t address, uint32_t kind,
	struct symbol_place *ret_place, struct ct_error *reterr);

/*
 * symbol_function_name: makes the readable name of an ELF symbol: C++ and Rust names are demangled, suffixes that
 * compilers add to parts of functions (".cold", ".isra.0") are removed, and a part into which a compiler split a
 * coroutine gets the coroutine's own name. The caller frees the name; NULL: out of memory.
 */
char *symbol_function_name(const char *symbol);

#endif
