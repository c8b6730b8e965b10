/* SPDX-License-Identifier: MIT */
/*
 * The option --pack, which several commands have.
 */
#ifndef CLI_PACK_LEVEL_H
#define CLI_PACK_LEVEL_H

#include "options.h"

/* read_pack_level: 0 where the option was not given. False, after saying so: zstd has no such level. */
bool read_pack_level(const struct arguments *arguments, enum option option, int *ret_level);

#endif
