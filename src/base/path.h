/* SPDX-License-Identifier: MIT */
/* Names of files, as texts only: no file is looked at, and no link followed. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/*
 * path_tidy: removes superfluous steps from a name, in place: "a/../b", "./b" and "a//b" become "b", "b" and "a/b".
 * Steps upwards at the front of a relative name stay. path_is_tidy: returns whether path_tidy would change nothing.
 */
void path_tidy(char *path);
bool path_is_tidy(const char *path);

#endif
