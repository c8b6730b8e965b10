/* SPDX-License-Identifier: MIT */
/*
 * A trace that is read while it is being written, in any format that allows this.
 */
#ifndef LIB_FOLLOWED_H
#define LIB_FOLLOWED_H

#include "base/input.h"
#include "stream/stream.h"

/*
 * lib_followed_open: opens a source over a growing input (input_open_growing). The source takes over the input, even on
 * failure. The first bytes decide the format; until they are there, next returns CT_AGAIN. CT_ERR_FORMAT, here or
 * later: the format cannot be followed. Otherwise like store_follow_open.
 */
enum ct_status lib_followed_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

#endif
