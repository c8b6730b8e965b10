/* SPDX-License-Identifier: MIT */
/*
 * Whether text on standard output is coloured.
 */
#ifndef CLI_COLOUR_H
#define CLI_COLOUR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * colour_is_wanted: `when`: of auto|always|never. Auto: on a terminal, unless NO_COLOR is set or
 * TERM is dumb. `output`: where the text goes; "-" is standard output.
 */
bool colour_is_wanted(uint64_t when, const char *output);

/* output_is_terminal: does text for this output appear on a terminal? */
bool output_is_terminal(const char *output);

#endif
