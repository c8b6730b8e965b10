/* SPDX-License-Identifier: MIT */
/*
 * corotracer salvage: a trace of what the flight recorder inside a program has kept.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "corotracer/ct.h"
#include "interrupt.h"
#include "progress.h"
#include "say.h"

/* What is missing is said first: what is there is worth as much as that leaves. */
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

static int salvage(const char *path, const char *output)
{
	struct ct_salvage_stats stats;
	struct ct_error error;
	enum ct_status status;

	progress_begin("reading", path);
	interrupt_guard(output);
	status = ct_salvage(path, output, &stats, &error);
	progress_end();
	if (status)
		return say_failure(status, &error);
	say_stats(path, output, &stats);
	return 0;
}

int command_salvage(const struct arguments *arguments)
{
	const char *path = one_operand(arguments);
	const char *output = arguments->value[OPTION_SALVAGE_OUTPUT];

	if (!path)
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!output)
		output = "corotracer.ctrace";
	if (!*output)
		return say_usage("salvage", "option '--output' needs the name of a file");
	if (strcmp(output, "-") == 0 && isatty(STDOUT_FILENO))
		return say_usage("salvage", "a trace is no text: it does not belong on a terminal");
	return salvage(path, output);
}
