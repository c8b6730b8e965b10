/* SPDX-License-Identifier: MIT */
/*
 * Names for code addresses: module, function, file and line, from the ELF files and debug information
 * of a program that may long have ended.
 *
 * A trace records which pieces of which files a process had mapped, with each file's build id. An
 * address is looked up in that table, never in a running process. A file that is no longer what it
 * was is not asked: the answer is then the module and the offset in it, with a remark why. Nothing is
 * fetched over a network.
 *
 * Files are untrusted: every size and offset in them is checked. Not thread-safe; one resolver per
 * thread.
 */
#ifndef SYMBOL_SYMBOL_H
#define SYMBOL_SYMBOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "corotracer/event.h"
#include "base/failure.h"

/* Room for a build id in hexadecimal with its NUL: ids of up to 32 bytes. */
#define SYMBOL_BUILD_ID_SIZE 65

/*
 * The root below which a path is meant: an open descriptor of a folder, or one of these. Links are never followed out
 * of such a folder.
 */
#define SYMBOL_OUR_ROOT (-1)
#define SYMBOL_NO_ROOT (-2) /* one that may not be looked into: no file is found there */

/*
 * symbol_build_id: the build id of an ELF file in lower-case hexadecimal. False, and "", where the
 * file cannot be read, is no 64-bit little-endian ELF file, or has none.
 */
bool symbol_build_id(int root, const char *path, char ret_build_id[SYMBOL_BUILD_ID_SIZE]);

/* How much is known of an address. Each includes what comes before it. */
enum symbol_extent {
	SYMBOL_NOTHING = 0, /* no mapping holds it */
	SYMBOL_MODULE,      /* the file, and the offset in it */
	SYMBOL_FUNCTION,    /* the function's name */
	SYMBOL_LINE,        /* file and line */
};

/* A function that the one before it was inlined into, and the place of the call. */
struct symbol_caller {
	const char *function;
	const char *file;
	uint32_t line;
};

/*
 * The meaning of an address. Texts are never NULL ("" where not known), belong to the resolver and
 * live as long as it does.
 */
struct symbol_place {
	enum symbol_extent extent;
	const char *module; /* path of the file that holds the code */
	/*
	 * The address as the module's own tables count it (what addr2line takes) where the file could
	 * be read and is the recorded one, else the byte offset in the file.
	 */
	uint64_t module_offset;
	const char *function; /* demangled; the innermost one where functions were inlined */
	const char *file;
	uint32_t line;
	uint32_t column;
	const char *remark; /* one sentence: why no more is known; "" where all is */
	const struct symbol_caller *callers; /* into which it was inlined, innermost first */
	uint32_t nr_callers;
};

struct symbol_resolver;

/* symbol_new: a resolver without open files. NULL: out of memory. */
struct symbol_resolver *symbol_new(void);

/* symbol_free: closes all files; every text it handed out is gone. NULL is allowed. */
void symbol_free(struct symbol_resolver *resolver);

/*
 * symbol_see_root: from now on the files of `process` are those below `root`, which the caller keeps open as long as
 * the resolver is used. False: out of memory.
 */
bool symbol_see_root(struct symbol_resolver *resolver, uint32_t process, int root);

/*
 * symbol_open_file: opens a file of a process for reading, and waits for nobody; -1 and errno where that cannot be;
 * below another root ENOSYS where the kernel is older than Linux 5.6. The maker of that root may have put links into it
 * that lead anywhere: they are followed as the process would follow them, and never out of it.
 *
 * symbol_see_file: what stood under this path with this build id is open as `descriptor`, which the caller keeps open
 * as long as the resolver is used: where the path leads to it no more, it is read all the same. False: out of memory.
 */
int symbol_open_file(int root, const char *path);
bool symbol_see_file(
	struct symbol_resolver *resolver, const char *path, const char *build_id, int descriptor);

/*
 * symbol_resolve: what `address` of `process` stands for, by the mappings that were recorded for it;
 * of several that hold the address the last one counts. `kind` is an enum ctp_site_kind: for
 * CTP_SITE_ADDRESS, a return address, the instruction before it is looked up.
 *
 * Answers are remembered by file, build id and offset. The only failure is CT_ERR_NO_MEMORY.
 */
enum ct_status symbol_resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, uint32_t process, uint64_t address, uint32_t kind,
	struct symbol_place *ret_place, struct ct_error *reterr);

/*
 * symbol_function_name: what a reader should see for a symbol of an ELF file: demangled where it is a
 * name of C++ or Rust, without the marks that compilers put on parts of functions (".cold", ".isra.0"), and for
 * the parts into which compilers split a coroutine, the coroutine's own name. The caller frees it;
 * NULL: out of memory.
 */
char *symbol_function_name(const char *symbol);

#endif
