/* SPDX-License-Identifier: MIT */
/*
 * Libraries that only some commands need. The program opens such a library when a command needs it: so the program
 * starts without the library, and runs where the library is not installed.
 *
 * A list names the functions and variables that are used, with the prefix that they share apart from the rest:
 *
 *   #define PQ_CALLS(USE) USE(PQ, clear) USE(PQ, status)
 *   LOADED_TABLE(pq, PQ_CALLS); // struct pq: a pointer to each, of the type that the header declares
 *   static struct pq pq = LOADED_INITIALLY(PQ_CALLS);
 *   static const struct loaded pq_library = LOADED(pq, PQ_CALLS, "libpq.so.5", "libpq5");
 *
 * After loaded_open(&pq_library, "cannot load", reterr) has returned CT_OK, pq.clear(result) is PQclear(result). In a
 * build that is linked with these libraries (-Dstatic=true), CT_LINKED is defined, and the
 * pointers are there from the start.
 */
#ifndef BASE_LOADED_H
#define BASE_LOADED_H

#include "corotracer/error.h"

struct loaded {
	const char *file;    /* the name by which the dynamic linker finds the library */
	const char *package; /* the Debian package that brings the library */
	const char *const *names;
	unsigned nr_names;
	void *table; /* a pointer for each name, in the order of the names */
};

/*
 * loaded_open: opens the library, if that was not done before, and fills in its table; the library stays open. May be
 * called on any thread. CT_ERR_UNSUPPORTED: the library is not there, or lacks one of the names; the error names the
 * package. `failure` is the beginning of that sentence, which says what cannot be done now.
 */
enum ct_status loaded_open(
	const struct loaded *library, const char *failure, struct ct_error *reterr);

#define LOADED_POINTER(prefix, name) __typeof__(&prefix##name) name;
#define LOADED_TEXT(prefix, name) #prefix #name,
#define LOADED_ADDRESS(prefix, name) .name = &prefix##name,
#define LOADED_ONE(prefix, name) +1u

#define LOADED_TABLE(tag, LIST)      \
	struct tag {                 \
		LIST(LOADED_POINTER) \
	}
#ifdef CT_LINKED
#define LOADED_INITIALLY(LIST)       \
	{                            \
		LIST(LOADED_ADDRESS) \
	}
#define LOADED_FILE(file) ""
#else
#define LOADED_FILE(file) file
#define LOADED_INITIALLY(LIST) \
	{                      \
		0              \
	}
#endif
#define LOADED(tag, LIST, file, package)                                              \
	{                                                                             \
		LOADED_FILE(file), package, (const char *const[]){LIST(LOADED_TEXT)}, \
			0 LIST(LOADED_ONE), &tag                                      \
	}

#endif
