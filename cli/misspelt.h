/* SPDX-License-Identifier: MIT */
#ifndef CLI_MISSPELT_H
#define CLI_MISSPELT_H
/*
 * What was meant by a command or an option that does not exist.
 */
#include "options.h"

/*
 * nearest_command, nearest_option: return the name that is closest to a misspelt one, of a command, or of an option of
 * a command; NULL: no name is close. The name is static.
 */
const char *nearest_command(const char *word);
const char *nearest_option(enum command command, const char *word);

#endif
