/* SPDX-License-Identifier: MIT */
/* Takes a program's flight recorder out of its core dump (past.h). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/input.h"
#include "base/scratch.h"
#include "collect/flight_past.h"
#include "frames/rings.h"
#include "session/past.h"
#include "session/recover.h"
#include "store/store.h"
#include "textrace/textrace.h"

/* What the file holds becomes a trace, which nobody else sees. */
static enum ct_status open_trace(const struct input *file, struct ct_source **ret_source,
	struct ct_flight_recovered *ret_stats, struct ct_error *reterr)
{
	struct scratch scratch;
	struct input *trace;
	enum ct_status status = scratch_open(&scratch, "/tmp", "now.ctrace", reterr);

	if (status)
		return status;
	status = recover_input(file, COLLECT_IS_DUMPED, 0, scratch.path, ret_stats, reterr);
	if (status == CT_OK)
		status = input_open(scratch.path, &trace, reterr);
	scratch_close(&scratch);
	return status ? status : store_source_open(trace, ret_source, reterr);
}

static enum ct_status open_past(const struct image *image, const char *name,
	struct ct_source **ret_source, struct ct_flight_recovered *ret_stats,
	struct ct_error *reterr)
{
	char called[PATH_MAX + 64];
	struct input file = {.name = called};
	struct rings rings;
	enum ct_status status = rings_take(image, &rings, reterr);

	if (status)
		return status;
	snprintf(called, sizeof(called), "%s%.*s", rings.path ? "" : "the flight recorder in ",
		PATH_MAX, rings.path ? rings.path : name);
	file.descriptor = rings.descriptor;
	status = open_trace(&file, ret_source, ret_stats, reterr);
	close(rings.descriptor);
	return status;
}

enum ct_status past_open_core(struct image *image, const char *name, struct ct_source **ret_source,
	struct ct_error *reterr)
{
	struct frames_past past = {.trouble = ""};
	struct ct_flight_recovered stats;
	struct ct_error why;

	if (open_past(image, name, &past.source, &stats, &why) < 0)
		past.trouble = why.text;
	return frames_source_open(image, NULL, &past, ret_source, reterr);
}

/* ---------------------------------------------------------------- as a trace */

static enum ct_status open_joined(struct image *image, const char *name,
	struct ct_source **ret_source, struct ct_flight_recovered *ret_stats,
	struct ct_error *reterr)
{
	struct frames_past past = {.trouble = ""};
	enum ct_status status = open_past(image, name, &past.source, ret_stats, reterr);

	if (status == CT_OK)
		return frames_source_open(image, NULL, &past, ret_source, reterr);
	if (status == CT_END)
		status = ct_fail(reterr, CT_ERR_NOT_FOUND,
			"%s: no flight recorder is in the core dump; 'corotracer report' looks for "
			"coroutines in it",
			name);
	image_close(image);
	return status;
}

static enum ct_status write_trace(
	struct ct_source *source, int pack_level, const char *output, struct ct_error *reterr)
{
	struct store_options how = {.pack_level = pack_level};
	struct ct_sink *sink;
	enum ct_status status = store_sink_open(output, &how, &sink, reterr);

	if (status)
		return status;
	status = textrace_to_sink(source, sink, reterr);
	if (status)
		sink_close(sink, false, NULL);
	return status ? status : sink_close(sink, true, reterr);
}

enum ct_status past_recover(struct input *core, int pack_level, const char *output,
	struct ct_flight_recovered *ret_stats, struct ct_error *reterr)
{
	char *name = strdup(core->name);
	struct ct_source *source;
	struct image *image;
	enum ct_status status = image_open_core(core, NULL, &image, reterr);

	if (status == CT_OK)
		status = open_joined(
			image, name ? name : "the core dump", &source, ret_stats, reterr);
	free(name);
	if (status)
		return status;
	ret_stats->nr_events = source->tables->nr_events;
	status = write_trace(source, pack_level, output, reterr);
	source_close(source);
	return status;
}
