/* SPDX-License-Identifier: MIT */
/*
 * A trace that is read while it is written, of whatever form that can be.
 */
#ifndef LIB_FOLLOWED_H
#define LIB_FOLLOWED_H

#include "base/input.h"
#include "stream/stream.h"

/*
 * lib_followed_open: a source over an input that grows (input_open_growing), which is taken over, also on failure. Its
 * form is told by its first bytes; until they are there, next returns CT_AGAIN. CT_ERR_FORMAT, here or later: its form
 * is none that can be followed. Otherwise as store_follow_open.
 */
enum ct_status lib_followed_open(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

#endif
