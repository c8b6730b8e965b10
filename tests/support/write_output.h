/* SPDX-License-Identifier: MIT */
/*
 * Writes a test's file like an output: it appears complete or not at all.
 */
#ifndef TESTS_WRITE_OUTPUT_H
#define TESTS_WRITE_OUTPUT_H

#include "base/io.h"

static inline enum ct_status write_output(
	const char *path, const char *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	struct io_output output;
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	status = io_write(output.descriptor, bytes, nr_bytes, reterr);
	if (status) {
		io_output_close(&output, false, NULL);
		return ct_context(reterr, status, "'%s'", path);
	}
	return io_output_close(&output, true, reterr);
}

#endif
