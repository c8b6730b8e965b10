/* SPDX-License-Identifier: MIT */
/*
 * Names of files, by their words alone: no file is looked at, and no link followed.
 */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/*
 * path_tidy: takes out of a name, in place, what leads nowhere: "a/../b", "./b" and "a//b" become "b", "b" and "a/b".
 * Steps upwards at the front of a relative name stay. path_is_tidy: would it change nothing?
 */
void path_tidy(char *path);
bool path_is_tidy(const char *path);

#endif
