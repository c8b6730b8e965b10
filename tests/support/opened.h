/* SPDX-License-Identifier: MIT */
/*
 * Sources over files, by path.
 */
#ifndef TESTS_OPENED_H
#define TESTS_OPENED_H

#include "base/input.h"
#include "stream/stream.h"

typedef enum ct_status open_function(
	struct input *input, struct ct_source **ret_source, struct ct_error *reterr);

static inline enum ct_status open_path(open_function *open, const char *path,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct input *input;
	enum ct_status status = input_open(path, &input, reterr);

	return status ? status : open(input, ret_source, reterr);
}

static inline enum ct_status open_growing(open_function *open, const char *path,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct input *input;
	enum ct_status status = input_open_growing(path, &input, reterr);

	return status ? status : open(input, ret_source, reterr);
}

#endif
