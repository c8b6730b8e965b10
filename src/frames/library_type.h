/* SPDX-License-Identifier: MIT */
/* A row of the tables of types of standard libraries (library_types.def, rust_library.def). */
#ifndef FRAMES_LIBRARY_TYPE_H
#define FRAMES_LIBRARY_TYPE_H

#include <stdbool.h>
#include <string.h>

struct library_type {
	const char
		*type; /* its name, or the beginning of that up to its arguments: "std::vector<" */
	const char *member;
	unsigned how; /* each table has its own ways */
	const char *word;
};

/* library_type_is: is this the name of the type, or of one made from the template? */
static inline bool library_type_is(const struct library_type *library, const char *name)
{
	size_t nr_bytes = strlen(library->type);

	return strncmp(name, library->type, nr_bytes) == 0 &&
	       (library->type[nr_bytes - 1] == '<' || !name[nr_bytes]);
}

#endif
