/* SPDX-License-Identifier: MIT */
/*
 * corotracer cut, merge and recover: parts of a recording, and what remains of a broken one.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "output.h"
#include "say.h"
#include "subject.h"

/* ---------------------------------------------------------------- names and messages of all three */

static void print_generations(FILE *stream, const struct ct_part *part)
{
	if (part->first_generation == 0)
		fputs("blocks of no generation", stream);
	else if (part->nr_generations == 1)
		fprintf(stream, "generation %" PRIu32, part->first_generation);
	else
		fprintf(stream, "generations %" PRIu32 " to %" PRIu32, part->first_generation,
			part->last_generation);
}

/* "wrote 'FILE': generations 3 to 5, 2.00 s to 5.01 s, 12,345 events (98.1 kB)". */
static void say_written(const struct ct_part *part, const char *output)
{
	fputs("corotracer: wrote ", stderr);
	print_quoted(stderr, output);
	fputs(": ", stderr);
	print_generations(stderr, part);
	fprintf(stderr, ", %s", said_span(part->from).text);
	fprintf(stderr, " to %s, ", said_span(part->until).text);
	fputs(said_count(part->nr_events, "event", "events").text, stderr);
	if (part->nr_before)
		fprintf(stderr, ", %s before them", said_count(part->nr_before, "", "").text);
	fprintf(stderr, " (%s)\n", said_bytes(part->nr_bytes).text);
}

/* While the output is being written, it has another name beside its own. */
static bool would_replace(const char *input, const char *output)
{
	char *partial;
	bool would;

	if (output_replaces(input, output))
		return true;
	if (strcmp(output, "-") == 0 || asprintf(&partial, "%s.partial", output) < 0)
		return false;
	would = output_replaces(input, partial);
	free(partial);
	return would;
}

static int finish(enum ct_status status, const struct ct_error *error, const struct ct_part *part,
	const char *output)
{
	progress_end();
	if (status)
		return say_failure(status, error);
	say_written(part, output);
	return 0;
}

/* "trace.out" becomes "trace.WORD.out", "trace" becomes "trace.WORD". The string is on the heap. */
static char *name_likewise(const char *input, const char *word)
{
	const char *slash = strrchr(input, '/'), *dot = strrchr(input, '.');
	size_t length = strlen(input);
	char *name;

	if (dot && dot > (slash ? slash + 1 : input))
		length = (size_t)(dot - input);
	return asprintf(&name, "%.*s.%s%s", (int)length, input, word, input + length) < 0 ? NULL
											  : name;
}

/* "runs/app.ctrace" or "runs/app.ctrace.partial" becomes "runs/app.WORD.ctrace". The string is on the heap. */
static char *name_after(const char *input, const char *word)
{
	static const char *const suffixes[] = {".ctrace.partial", ".partial", ".ctrace"};
	const char *stem = strcmp(input, "-") == 0 ? "corotracer" : input;
	size_t length = strlen(stem), i;
	char *name;

	for (i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t nr_letters = strlen(suffixes[i]);

		if (length > nr_letters && strcmp(stem + length - nr_letters, suffixes[i]) == 0) {
			length -= nr_letters;
			break;
		}
	}
	if (length == strlen(input) && strcmp(word, "cut") == 0)
		return name_likewise(input, word);
	return asprintf(&name, "%.*s.%s.ctrace", (int)length, stem, word) < 0 ? NULL : name;
}

static struct ct_part_options options_of(const struct arguments *arguments, enum option pack)
{
	return (struct ct_part_options){.size = sizeof(struct ct_part_options),
		.pack_level = (int)arguments->meaning[pack].number};
}

/* Runs the work with the output that was given, or with a name made from the input's. */
static int with_output(const struct arguments *arguments, enum option option, const char *input,
	const char *word, int (*work)(const struct arguments *, const char *, const char *))
{
	const char *named = arguments->value[option];
	char *made = named ? NULL : name_after(input, word);
	const char *output = named ? named : made;
	int exit_status = ct_status_exit_code(CT_ERR_USAGE);

	if (!output)
		return say_no_memory();
	if (output_is_good(command_descriptions[arguments->command].name, output) &&
		!would_replace(input, output)) {
		output_guard(output);
		exit_status = work(arguments, input, output);
	}
	free(made);
	return exit_status;
}

/* ---------------------------------------------------------------- cut */

static ct_time moment(const struct arguments *arguments, enum option option, ct_time otherwise)
{
	return arguments->value[option] ? (ct_time)arguments->meaning[option].number : otherwise;
}

static int cut(const struct arguments *arguments, const char *input, const char *output)
{
	struct ct_part_options options = options_of(arguments, OPTION_CUT_PACK);
	ct_time from = moment(arguments, OPTION_CUT_FROM, INT64_MIN + 1);
	ct_time to = moment(arguments, OPTION_CUT_TO, INT64_MAX);
	struct ct_error error;
	struct ct_part part;
	enum ct_status status;

	progress_begin_input("cutting", input);
	status = ct_trace_cut(input, from, to, &options, output, &part, &error);
	if (status == CT_OK && part.first_damaged)
		damage_note_input(input);
	return finish(status, &error, &part, output);
}

int command_cut(const struct arguments *arguments)
{
	const char *input = arguments->operands[0];

	if (!arguments->value[OPTION_CUT_FROM] && !arguments->value[OPTION_CUT_TO])
		return say_usage("cut", "from when, and to when? see '--from' and '--to'");
	return with_output(arguments, OPTION_CUT_OUTPUT, input, "cut", cut);
}

/* ---------------------------------------------------------------- merge */

static void say_merged(const struct ct_part *part)
{
	if (part->nr_twice)
		say_sentence("%s in more than one part, and taken once",
			said_count(part->nr_twice, "generation was", "generations were").text);
	if (part->nr_gaps)
		say_sentence("generations are missing in %s: %s",
			said_count(part->nr_gaps, "place", "places").text,
			said_count(part->nr_missing, "event is lost", "events are lost").text);
}

/* Shows progress; if a part may never come, names it. */
static void begin_merging(const struct arguments *arguments, const char *output)
{
	int i;

	for (i = 0; i < arguments->nr_operands; i++)
		if (!input_is_sure(arguments->operands[i])) {
			progress_begin_reading(arguments->operands[i]);
			return;
		}
	progress_begin("merging into", output);
}

int command_merge(const struct arguments *arguments)
{
	const char *const *paths = (const char *const *)arguments->operands;
	const char *output = arguments->value[OPTION_MERGE_OUTPUT];
	struct ct_part_options options = options_of(arguments, OPTION_MERGE_PACK);
	struct ct_error error;
	struct ct_part part;
	enum ct_status status;
	int i;

	if (arguments->nr_operands == 0)
		return say_usage("merge", "which parts? name files");
	if (!output)
		return say_usage("merge", "where to? name a file with '--output'");
	if (!output_is_good("merge", output))
		return ct_status_exit_code(CT_ERR_USAGE);
	for (i = 0; i < arguments->nr_operands; i++)
		if (would_replace(paths[i], output))
			return ct_status_exit_code(CT_ERR_USAGE);
	output_guard(output);
	begin_merging(arguments, output);
	status = ct_trace_merge(
		paths, (size_t)arguments->nr_operands, &options, output, &part, &error);
	progress_end();
	if (status == CT_OK) {
		say_merged(&part);
		if (part.first_damaged)
			damage_note_input(paths[part.first_damaged - 1]);
	}
	return finish(status, &error, &part, output);
}

/* ---------------------------------------------------------------- recover */

static void say_recovered(const struct ct_part *part)
{
	if (part->nr_damaged_bytes)
		say_sentence("%s of it held no whole block: about %s",
			said_bytes(part->nr_damaged_bytes).text,
			said_count(part->nr_missing, "event is lost", "events are lost").text);
	if (part->nr_cut_bytes)
		say_sentence(
			"its last %s were no whole block", said_bytes(part->nr_cut_bytes).text);
	if (!part->had_end)
		say_sentence("its end was missing: what came after %s is not known",
			said_span(part->until).text);
	if (!part->nr_damaged_bytes && part->had_end)
		say_sentence("nothing was missing");
}

/* Losses are printed first, because they determine what the trace is worth. */
static void say_recovered_flight(
	const char *path, const char *output, const struct ct_flight_recovered *stats)
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
		say_sentence("%s missing for other reasons, which 'corotracer info' lists",
			said_count(stats->nr_lost - stats->nr_overwritten, "event is", "events are")
				.text);
	if (stats->are_times_rough)
		say_sentence("how fast the clock ran is not known: times are rough");
	say_sentence("process %" PRIu64 " %s: %s of its last %s are in '%s'", stats->pid,
		stats->is_alive ? "still runs" : "has ended",
		said_count(stats->nr_events, "event", "events").text,
		said_span((int64_t)stats->held_ns).text, output);
}

/* Recovers the file of a program's own flight recorder. */
static int recover_flight(
	const char *path, const struct ct_part_options *options, const char *output)
{
	struct ct_flight_recovered stats;
	struct ct_error error;
	enum ct_status status;

	progress_begin_reading(path);
	status = ct_flight_recover(path, options, output, &stats, &error);
	progress_end();
	if (status)
		return say_failure(status, &error);
	say_recovered_flight(path, output, &stats);
	return 0;
}

static int recover(const struct arguments *arguments, const char *input, const char *output)
{
	struct ct_part_options options = options_of(arguments, OPTION_RECOVER_PACK);
	struct ct_error error;
	struct ct_part part;
	enum ct_status status;

	if (ct_is_flight(input) || ct_is_core(input))
		return recover_flight(input, &options, output);
	progress_begin_input("recovering", input);
	status = ct_trace_recover(input, &options, output, &part, &error);
	progress_end();
	if (status == CT_OK)
		say_recovered(&part);
	return finish(status, &error, &part, output);
}

int command_recover(const struct arguments *arguments)
{
	const char *input = arguments->operands[0];

	return with_output(arguments, OPTION_RECOVER_OUTPUT, input, "recovered", recover);
}
