/* SPDX-License-Identifier: MIT */
/*
 * The public function that writes a profile of a trace.
 */
#include "base/io.h"
#include "base/known_options.h"
#include "lib/trace.h"
#include "profile/profile.h"

static enum ct_status write_text(const struct text *text, const char *path, struct ct_error *reterr)
{
	struct io_output output;
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	status = io_output_write(&output, text_peek(text), text->length, reterr);
	if (status == CT_OK)
		return io_output_close(&output, true, reterr);
	io_output_close(&output, false, NULL);
	return status;
}

enum ct_status ct_profile_write(struct ct_trace *trace, const struct ct_profile_options *given,
	const char *path, struct ct_error *reterr)
{
	struct ct_profile_options options;
	struct text text = {0};
	enum ct_status status;

	known_options(&options, sizeof(options), given);
	status = profile_write(trace->source, &options, &text, reterr);
	if (status == CT_OK)
		status = write_text(&text, path, reterr);
	text_fini(&text);
	return status;
}
