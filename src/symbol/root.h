/* SPDX-License-Identifier: MIT */
/*
 * Opening files by the names that a process has for them, which in a container are names below another root.
 *
 * The maker of that root may have put links into it that lead anywhere: they are followed as the process would follow
 * them, and never out of it.
 */
#ifndef SYMBOL_ROOT_H
#define SYMBOL_ROOT_H

#include "symbol/symbol.h"

/*
 * symbol_root_open_file: opens for reading, and waits for nobody. -1 and errno where it cannot be opened; below
 * another root ENOSYS where the kernel is older than Linux 5.6. `root`: see symbol_see_root.
 */
int symbol_root_open_file(int root, const char *path);

#endif
