/* SPDX-License-Identifier: MIT */
/*
 * Where the descriptor ledger's library lies.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "session/ledger_path.h"

#define LEDGER_NAME "libcorotracer-ledger.so"
#define NR_PLACES 4

/* Returns the folder that contains a file, in heap memory, or NULL. */
static char *folder_of(const char *path)
{
	char *resolved = path ? realpath(path, NULL) : NULL;
	char *slash = resolved ? strrchr(resolved, '/') : NULL;

	if (slash)
		*slash = '\0';
	return resolved;
}

/* Returns the folder of the shared library that contains this code; else of the executable. */
static char *folder_of_library(void)
{
	Dl_info library;

	return folder_of(
		dladdr((void *)(uintptr_t)ledger_path_find, &library) ? library.dli_fname : NULL);
}

static char *place(const char *folder, const char *way)
{
	char *path;

	return folder && asprintf(&path, "%s/%s/" LEDGER_NAME, folder, way) >= 0 ? path : NULL;
}

static void name_place(struct text *trouble, const char *path)
{
	text_add(trouble,
		trouble->length ? ", '" : "the descriptor ledger's library is at none of '");
	text_add(trouble, path);
	text_char(trouble, '\'');
}

char *ledger_path_find(struct text *trouble)
{
	char *program = folder_of("/proc/self/exe"), *library = folder_of_library();
	/* Without /proc, the path by which the program was called says where it is. */
	const char *beside = program ? program : library;
	bool is_apart = library && (!program || strcmp(program, library) != 0);
	char *places[NR_PLACES] = {
		place(beside, "sdk/preload"),
		*CT_LEDGER_FROM_PROGRAM ? place(beside, CT_LEDGER_FROM_PROGRAM) : NULL,
		is_apart ? place(library, "corotracer") : NULL,
		place(CT_LIBRARY_FOLDER, "corotracer"),
	};
	char *found = NULL;
	unsigned i;

	for (i = 0; i < NR_PLACES; i++) {
		if (!found && places[i] && access(places[i], R_OK) == 0)
			found = places[i];
		else if (!found && places[i])
			name_place(trouble, places[i]);
		if (places[i] != found)
			free(places[i]);
	}
	free(program);
	free(library);
	if (found)
		text_clear(trouble);
	return found;
}
