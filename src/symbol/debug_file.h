/* SPDX-License-Identifier: MIT */
/*
 * Finds the separate debug file of a program below another root.
 */
#ifndef SYMBOL_DEBUG_FILE_H
#define SYMBOL_DEBUG_FILE_H

/*
 * symbol_debug_file_open: looks at the usual places: by build id and by name below /usr/lib/debug, and beside the
 * program. `link` is the name by which the program refers to the file, or NULL. Only a file with the same build id is
 * opened. -1: there is none.
 */
int symbol_debug_file_open(int root, const char *path, const char *build_id, const char *link);

#endif
