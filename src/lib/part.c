/* SPDX-License-Identifier: MIT */
/*
 * The public functions that take parts out of a recording, and join them.
 */
#include <string.h>
#include <sys/stat.h>

#include "corotracer/ct.h"
#include "base/duration.h"
#include "base/input.h"
#include "base/known_options.h"
#include "gotrace/cut.h"
#include "gotrace/source.h"
#include "store/store.h"

#define FIRST_BYTES 16u

static int pack_level(const struct ct_part_options *options)
{
	struct ct_part_options known;

	known_options(&known, sizeof(known), options);
	return known.pack_level;
}

static bool is_read_once(const char *path)
{
	struct stat about;

	return strcmp(path, "-") == 0 || (stat(path, &about) == 0 && !S_ISREG(about.st_mode));
}

/*
 * Go traces are recognised here, because the reader of the other format opens its files itself. *ret_input, which the
 * caller closes, is NULL if the file is not a Go trace, cannot be opened, or is standard input or a FIFO, which can be
 * read only once.
 */
static void open_go(const char *path, struct input **ret_input)
{
	const uint8_t *first;

	*ret_input = NULL;
	if (is_read_once(path) || input_open(path, ret_input, NULL))
		return;
	if (input_peek(*ret_input, 0, FIRST_BYTES, &first, NULL) == CT_OK &&
		gotrace_source_is_ours(first, FIRST_BYTES))
		return;
	input_close(*ret_input);
	*ret_input = NULL;
}

static enum ct_status refuse_go(const char *path, const char *why, struct ct_error *reterr)
{
	struct input *input;

	open_go(path, &input);
	if (!input)
		return CT_OK;
	input_close(input);
	return ct_fail(reterr, CT_ERR_USAGE, "'%s' is an execution trace of Go: %s", path, why);
}

enum ct_status ct_trace_cut(const char *path, ct_time from, ct_time to,
	const struct ct_part_options *options, const char *output, struct ct_part *ret_part,
	struct ct_error *reterr)
{
	struct input *input;
	enum ct_status status;

	open_go(path, &input);
	if (!input)
		return store_cut(path, from, to, pack_level(options), output, ret_part, reterr);
	if (pack_level(options))
		status = ct_fail(reterr, CT_ERR_USAGE,
			"'%s' is an execution trace of Go, whose form has no packed blocks", path);
	else
		status = gotrace_cut(input, from, to, output, ret_part, reterr);
	input_close(input);
	return status;
}

enum ct_status ct_trace_merge(const char *const *paths, size_t nr_paths,
	const struct ct_part_options *options, const char *output, struct ct_part *ret_part,
	struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; i < nr_paths && status == CT_OK; i++)
		status = refuse_go(paths[i],
			"nothing in it names its run, so parts of one run cannot be told from "
			"parts of two, and none are joined",
			reterr);
	return status ? status
		      : store_merge(paths, nr_paths, pack_level(options), output, ret_part, reterr);
}

enum ct_status ct_trace_recover(const char *path, const struct ct_part_options *options,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr)
{
	enum ct_status status = refuse_go(path,
		"every command reads it up to its last whole generation, and 'cut' writes that "
		"much of it",
		reterr);

	return status ? status : store_recover(path, pack_level(options), output, ret_part, reterr);
}

bool ct_duration_read(const char *text, int64_t *ret_ns)
{
	return duration_read(text, ret_ns) && *ret_ns > 0;
}

bool ct_time_read(const char *text, ct_time *ret_time)
{
	return duration_read(text, ret_time);
}
