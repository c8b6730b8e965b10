/* SPDX-License-Identifier: MIT */
/*
 * The public functions that take parts out of a recording, and put them together.
 */
#include "corotracer/ct.h"
#include "base/duration.h"
#include "base/known_options.h"
#include "store/store.h"

static int pack_level(const struct ct_part_options *options)
{
	struct ct_part_options known;

	known_options(&known, sizeof(known), options);
	return known.pack_level;
}

enum ct_status ct_trace_cut(const char *path, ct_time from, ct_time to,
	const struct ct_part_options *options, const char *output, struct ct_part *ret_part,
	struct ct_error *reterr)
{
	return store_cut(path, from, to, pack_level(options), output, ret_part, reterr);
}

enum ct_status ct_trace_merge(const char *const *paths, size_t nr_paths,
	const struct ct_part_options *options, const char *output, struct ct_part *ret_part,
	struct ct_error *reterr)
{
	return store_merge(paths, nr_paths, pack_level(options), output, ret_part, reterr);
}

enum ct_status ct_trace_recover(const char *path, const struct ct_part_options *options,
	const char *output, struct ct_part *ret_part, struct ct_error *reterr)
{
	return store_recover(path, pack_level(options), output, ret_part, reterr);
}

bool ct_duration_read(const char *text, int64_t *ret_ns)
{
	return duration_read(text, ret_ns) && *ret_ns > 0;
}

bool ct_time_read(const char *text, ct_time *ret_time)
{
	return duration_read(text, ret_time);
}
