/* SPDX-License-Identifier: MIT */
/*
 * Finding the separate file of debug information of a program below another root.
 */
#ifndef SYMBOL_DEBUG_FILE_H
#define SYMBOL_DEBUG_FILE_H

/*
 * symbol_debug_file_open: looks where such files lie: by build id and by name below /usr/lib/debug, and beside the
 * program. `link` is the name that the program has for it, or NULL. Only a file of the same build id is taken.
 * -1: there is none.
 */
int symbol_debug_file_open(int root, const char *path, const char *build_id, const char *link);

#endif
