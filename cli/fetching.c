/* SPDX-License-Identifier: MIT */
/*
 * An address instead of a process: the trace comes as the program writes it, and is judged like any other.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fetching.h"
#include "output.h"
#include "say.h"
#include "signals.h"

bool fetching_is_address(const char *operand)
{
	return strncasecmp(operand, "http://", 7) == 0 || strncasecmp(operand, "https://", 8) == 0;
}

static bool goes_with_address(enum option option)
{
	switch (option) {
	case OPTION_RECORD_OUTPUT:
	case OPTION_RECORD_REPORT:
	case OPTION_RECORD_DURATION:
	case OPTION_ATTACH_LIMIT:
	case OPTION_JUDGE_THRESHOLD:
	case OPTION_JUDGE_THRESHOLDS:
	case OPTION_JUDGE_ALLOW_SITE:
		return true;
	default:
		return false;
	}
}

/* Which option does not work with an address; NULL: all do. */
static const char *what_does_not_fit(
	const struct arguments *arguments, char complaint[COMPLAINT_BYTES])
{
	int i;

	for (i = 0; i < arguments->nr_given; i++) {
		enum option option = arguments->given[i].option;

		if (goes_with_address(option))
			continue;
		snprintf(complaint, COMPLAINT_BYTES,
			"'--%s' goes with a process; a program at an address sends its trace "
			"itself",
			option_descriptions[option].name);
		return complaint;
	}
	return NULL;
}

static void tell(void *context, uint64_t nr_bytes)
{
	(void)context;
	progress_tell(NULL, "bytes", nr_bytes, 0);
}

static enum ct_status fetch(const struct arguments *arguments, const struct recording *recording,
	struct ct_fetched *ret_fetched, struct ct_error *reterr)
{
	struct ct_fetch_options options = {
		.size = sizeof(options),
		.address = arguments->operands[0],
		.output = recording->options.output,
		.duration_ns = (int64_t)arguments->meaning[OPTION_RECORD_DURATION].number,
		.limit_bytes = arguments->meaning[OPTION_ATTACH_LIMIT].number,
		.wake_descriptor = signals_descriptor(),
		.tell = tell,
	};
	enum ct_status status;

	progress_begin("receiving", "the trace");
	status = ct_fetch(&options, ret_fetched, reterr);
	progress_end();
	return status;
}

static void say_ending(const struct ct_fetched *fetched)
{
	struct said kept = said_bytes(fetched->nr_bytes);

	if (fetched->ending == CT_FETCH_LIMITED)
		say_sentence("the trace is longer than %s (--limit): what came before is kept",
			kept.text);
	else if (fetched->ending == CT_FETCH_WOKEN)
		say_sentence("interrupted: the %s that had come are kept", kept.text);
	else if (fetched->ending == CT_FETCH_BROKEN)
		say_sentence("the connection ended before the trace did (%s): the %s that had come "
			     "are kept",
			fetched->trouble, kept.text);
}

/* Counts the events, for the same summary as of a recording. */
static void count(const struct recording *recording, struct ct_record_stats *stats)
{
	struct ct_open_options opening = {.size = sizeof(opening), .no_symbols = true};
	struct ct_trace *trace;

	if (ct_trace_open(recording->options.output, &opening, &trace, NULL))
		return;
	stats->nr_events = ct_trace_tables(trace)->nr_events;
	ct_trace_close(trace);
}

int fetching_perform(const struct arguments *arguments, struct recording *recording)
{
	/* the runtime itself recorded everything */
	struct ct_record_stats stats = {.has_probe = true};
	struct recording_result result = {.has_begun = true, .is_written = true};
	char complaint[COMPLAINT_BYTES];
	struct ct_fetched fetched;
	struct ct_error error;
	enum ct_status status;

	if (what_does_not_fit(arguments, complaint))
		return say_usage("attach", complaint);
	if (!output_is_good("attach", recording->options.output))
		return ct_status_exit_code(CT_ERR_USAGE);
	if (!signals_catch()) {
		say_sentence("cannot prepare for signals: %s", strerror(errno));
		return ct_status_exit_code(CT_ERR_SYSTEM);
	}
	status = fetch(arguments, recording, &fetched, &error);
	signals_release();
	if (status)
		return say_failure(status, &error);
	say_ending(&fetched);
	if (strcmp(recording->options.output, "-") != 0) {
		count(recording, &stats);
		summary_after_close(recording, &result, &stats, NULL, NULL);
	}
	return fetched.ending == CT_FETCH_BROKEN ? ct_status_exit_code(CT_ERR_SYSTEM) : 0;
}
