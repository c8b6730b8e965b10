/* SPDX-License-Identifier: MIT */
/*
 * The public function that writes a profile of a trace.
 */
#include "base/io.h"
#include "base/known_options.h"
#include "lib/trace.h"
#include "profile/profile.h"

enum ct_status ct_profile_write(struct ct_trace *trace, const struct ct_profile_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_profile_options options;
	struct text text = {0};
	enum ct_status status;

	known_options(&options, sizeof(options), given);
	status = profile_write(trace->source, &options, &text, reterr);
	if (status == CT_OK)
		status = io_write_file(path, text_peek(&text), text.length, reterr);
	text_fini(&text);
	return status;
}
