/* SPDX-License-Identifier: MIT */
/*
 * Levels of packing, checked before anything is started or written.
 */
#include "pack_level.h"
#include "say.h"

#define LEVEL_MAX 19

bool read_pack_level(const struct arguments *arguments, enum option option, int *ret_level)
{
	unsigned long level = arguments_number(arguments, option, 0);

	if (level > LEVEL_MAX) {
		say_usage(command_descriptions[arguments->command].name,
			"option '--pack' takes a level from 1 (fast) to 19 (small)");
		return false;
	}
	*ret_level = (int)level;
	return true;
}
