/* SPDX-License-Identifier: MIT */
/* The public function that reads what a flight recorder inside a program has kept. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "collect/collect.h"
#include "corotracer/ct.h"
#include "base/failure.h"
#include "collect/flight_past.h"
#include "base/known_options.h"
#include "session/namer.h"
#include "stages/naming.h"
#include "session/past.h"
#include "session/recover.h"
#include "store/store.h"

#define FIRST_BYTES 64u

bool recover_is_ours(const void *first_bytes, size_t nr_bytes)
{
	static const uint64_t magic = CTP_MAGIC;

	return nr_bytes >= sizeof(magic) && memcmp(first_bytes, &magic, sizeof(magic)) == 0;
}

/* A pipe is not waited for, and nothing is read from it. */
static bool begins_as(const char *path, bool (*is_ours)(const void *first_bytes, size_t nr_bytes))
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint8_t first[FIRST_BYTES];
	ssize_t got;

	if (descriptor < 0)
		return false;
	got = pread(descriptor, first, sizeof(first), 0);
	close(descriptor);
	return got > 0 && is_ours(first, (size_t)got);
}

bool ct_is_flight(const char *path)
{
	return begins_as(path, recover_is_ours);
}

bool ct_is_core(const char *path)
{
	return begins_as(path, image_is_core);
}

/* A sink that failed was not called any more since: what it contains is not a whole trace. */
static enum ct_status count(
	const struct collect *collect, struct ct_flight_recovered *stats, struct ct_error *reterr)
{
	struct ct_record_stats counts;

	collect_stats(collect, &counts);
	stats->nr_events = counts.nr_events;
	stats->nr_lost = counts.nr_lost;
	if (!counts.output_trouble)
		return CT_OK;
	return ct_fail(reterr, CT_ERR_SYSTEM, "%s", counts.output_trouble);
}

static enum ct_status name_sites(
	const struct collect *collect, struct ct_sink *sink, struct ct_error *reterr)
{
	struct namer *namer = namer_new(0);
	enum ct_status status =
		namer ? namer_finish(namer, collect, sink, reterr) : ct_fail_memory(reterr);

	namer_free(namer);
	return status;
}

static enum ct_status take_out(const struct input *input, pid_t pid, struct ct_sink *sink,
	struct ct_flight_recovered *ret_stats, struct ct_error *reterr)
{
	struct collect *collect;
	enum ct_status status = collect_flight(input, pid, sink, &collect, ret_stats, reterr);

	if (status)
		return status;
	status = name_sites(collect, sink, reterr);
	if (status == CT_OK)
		status = collect_finish(collect, reterr);
	if (status == CT_OK)
		status = count(collect, ret_stats, reterr);
	collect_close(collect);
	return status;
}

enum ct_status recover_input(const struct input *input, pid_t pid, int pack_level,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr)
{
	struct store_options how = {.pack_level = pack_level};
	struct ct_flight_recovered stats;
	struct ct_sink *inner, *sink;
	enum ct_status status = store_sink_open(output, &how, &inner, reterr);

	if (status)
		return status;
	status = naming_sink_open(inner, &sink, reterr);
	if (status) {
		sink_close(inner, false, NULL);
		return status;
	}
	status = take_out(input, pid, sink, &stats, reterr);
	if (status) {
		sink_close(sink, false, NULL);
		return status;
	}
	*ret_stats = stats;
	return sink_close(sink, true, reterr);
}

enum ct_status recover_flight(const char *path, pid_t pid, const struct ct_part_options *options,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr)
{
	struct ct_part_options known;
	struct input *input;
	enum ct_status status = input_open(path, &input, reterr);

	if (status)
		return status;
	known_options(&known, sizeof(known), options);
	if (ct_is_core(path))
		return past_recover(input, known.pack_level, output, ret_stats, reterr);
	status = recover_input(input, pid, known.pack_level, output, ret_stats, reterr);
	input_close(input);
	return status;
}

enum ct_status ct_flight_recover(const char *path, const struct ct_part_options *options,
	const char *output, struct ct_flight_recovered *ret_stats, struct ct_error *reterr)
{
	return recover_flight(path, 0, options, output, ret_stats, reterr);
}
