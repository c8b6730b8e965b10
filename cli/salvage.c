/* SPDX-License-Identifier: MIT */
/*
 * A trace of what the flight recorder inside a program has kept.
 */
#include <inttypes.h>
#include <stdio.h>

#include "corotracer/ct.h"
#include "interrupt.h"
#include "progress.h"
#include "salvage.h"
#include "say.h"

/* Losses are told first: the trace is worth what they leave. */
static void say_stats(const char *path, const char *output, const struct ct_salvage_stats *stats)
{
	if (stats->nr_overwritten == 0)
		say_sentence(
			"nothing was overwritten: '%s' holds all that its process recorded", path);
	else
		say_sentence("%s overwritten by newer ones; of the last %s everything is there, of "
			     "every "
			     "thread",
			said_count(stats->nr_overwritten, "event was", "events were").text,
			said_span((int64_t)stats->complete_ns).text);
	if (stats->nr_lost > stats->nr_overwritten)
		say_sentence("%s missing for other reasons, which 'corotracer info' tells",
			said_count(stats->nr_lost - stats->nr_overwritten, "event is", "events are")
				.text);
	if (stats->are_times_rough)
		say_sentence("how fast the clock ran is not known: times are rough");
	say_sentence("process %" PRIu64 " %s: %s of its last %s are in '%s'", stats->pid,
		stats->is_alive ? "still runs" : "has ended",
		said_count(stats->nr_events, "event", "events").text,
		said_span((int64_t)stats->held_ns).text, output);
}

int salvage_flight(const char *path, const struct ct_part_options *options, const char *output)
{
	struct ct_salvage_stats stats;
	struct ct_error error;
	enum ct_status status;

	progress_begin("reading", path);
	interrupt_guard(output);
	status = ct_salvage(path, options, output, &stats, &error);
	progress_end();
	if (status)
		return say_failure(status, &error);
	say_stats(path, output, &stats);
	return 0;
}
