/* SPDX-License-Identifier: MIT */
/*
 * The last messages of `run` and `attach`.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "judge.h"
#include "say.h"
#include "recording.h"

/* About 20 million events, which take 3 s. Packed bytes hold two to four times as many events. */
#define BYTES_JUDGED (UINT64_C(128) << 20)
#define PACKED_BYTES_JUDGED (BYTES_JUDGED / 4)

static void say_ledger(const struct recording *recording, const struct ct_record_stats *stats)
{
	if (!stats->has_ledger && stats->ledger_absence && !recording->options.no_ledger)
		say_sentence("without the descriptor ledger: %s", stats->ledger_absence);
}

/* The last line says who attached, because its figures mean nothing without that. */
static void print_who_attached(
	FILE *line, const struct ct_record_stats *stats, const struct ct_report *report)
{
	if (stats->has_probe)
		return;
	if (stats->is_from_memory || (report && report->quality.nr_coros)) {
		fputs("; no probe attached: the coroutines were found in the program's memory",
			line);
		return;
	}
	fprintf(line, "; no probe attached: %s%s", stats->attaching->question,
		stats->has_ledger && !stats->is_go ? " What the descriptor ledger saw was recorded."
						   : "");
}

static void say_notes(const struct ct_record_stats *stats)
{
	uint32_t i;

	for (i = 0; i < stats->nr_notes; i++) {
		const struct ct_note *note = &stats->notes[i];

		if (note->count > 1)
			say_sentence(
				"%s (%s times)", note->text, said_count(note->count, "", "").text);
		else
			say_sentence("%s", note->text);
	}
}

void summary_before_close(const struct recording *recording, const struct ct_record_stats *stats)
{
	say_ledger(recording, stats);
	if (recording->options.pid)
		say_sentence(stats->has_ended ? "process %" PRId64 " has ended"
					      : "process %" PRId64 " runs on, untraced",
			recording->options.pid);
	say_notes(stats);
	if (!stats->has_begun)
		say_sentence(recording->options.wanted->wait_for_start
				     ? "nothing was recorded: the program never said that "
				       "recording is to start"
				     : "nothing was recorded: the program ended before that time");
	if (stats->output_trouble)
		say_sentence("the trace is not complete: %s", stats->output_trouble);
	if (stats->keeps_former)
		say_sentence("%s, so that '%s' stays the trace that it was",
			stats->has_probe ? "nothing was recorded" : "no coroutine was recorded",
			recording->options.output);
}

static void print_findings(FILE *line, const struct ct_report *report)
{
	uint32_t nr_by_grade[CT_GRADE_PROVEN + 1] = {0};
	const char *separator = " (";
	unsigned grade;
	uint32_t i;

	fputs(said_count(report->nr_findings, "finding", "findings").text, line);
	for (i = 0; i < report->nr_findings; i++) {
		grade = report->findings[i].grade;
		nr_by_grade[grade <= CT_GRADE_PROVEN ? grade : CT_GRADE_NONE]++;
	}
	for (grade = CT_GRADE_PROVEN; grade > CT_GRADE_NONE; grade--) {
		if (!nr_by_grade[grade])
			continue;
		fprintf(line, "%s%u %s", separator, nr_by_grade[grade],
			ct_grade_name((enum ct_grade)grade));
		separator = ", ";
	}
	if (report->nr_findings)
		fputc(')', line);
}

/* Says which part was judged, if not all was. */
static void print_part(FILE *line, const struct ct_report *report)
{
	if (report->tables->nr_before)
		fprintf(line, " in its last %s",
			said_span(ct_time_between(report->quality.observed_from,
					  report->quality.observed_until))
				.text);
}

static void print_place(FILE *line, const struct recording *recording)
{
	struct stat status;

	if (strcmp(recording->options.output, "-") == 0)
		return;
	fputs("; trace in ", line);
	print_quoted(line, recording->options.output);
	if (stat(recording->options.output, &status) == 0 && S_ISREG(status.st_mode))
		fprintf(line, " (%s)", said_bytes((uint64_t)status.st_size).text);
}

/* The second sight of a look says how many coroutines it saw, behind the one of the look itself. */
static void print_seen(FILE *line, const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;

	if (report->quality.nr_coros || tables->nr_sights < 2 ||
		tables->sights[0].begun == CT_NO_TIME)
		return;
	fputs("corotracer: ", line);
	print_safe(line, tables->sights[1].text);
	fputc('\n', line);
}

static void print_line(FILE *line, const struct recording *recording,
	const struct ct_record_stats *stats, const struct ct_report *report, bool is_kept)
{
	fprintf(line, "corotracer: %s, %s lost",
		said_count(stats->nr_events, "event", "events").text,
		said_count(stats->nr_lost, "", "").text);
	if (stats->nr_left_out)
		fprintf(line, ", %s left out", said_count(stats->nr_left_out, "", "").text);
	if (report) {
		fprintf(line, ", %s, ",
			said_count(report->quality.nr_coros, "coroutine", "coroutines").text);
		print_findings(line, report);
		print_part(line, report);
	}
	if (recording->options.format == CT_FORMAT_JSONL)
		fprintf(line, "; %s written%s", said_count(stats->nr_rows, "row", "rows").text,
			recording->options.all_kinds ? "" : ", of suspends and resumes only");
	if (recording->options.flight)
		fputs("; kept in memory", line);
	else if (is_kept && !stats->keeps_former)
		print_place(line, recording);
	if (report && !recording->wants_report) {
		fputs("; next: corotracer report ", line);
		print_quoted(line, recording->options.output);
	}
	print_who_attached(line, stats, report);
	fputc('\n', line);
	if (report)
		print_seen(line, report);
}

/* Only a trace in a regular file can be read again, and only the compact format contains everything. */
static bool is_readable(const struct recording *recording, const struct recording_result *result)
{
	struct stat status;

	return result->is_written && !recording->options.flight &&
	       recording->options.format == CT_FORMAT_CTRACE &&
	       strcmp(recording->options.output, "-") != 0 &&
	       stat(recording->options.output, &status) == 0 && S_ISREG(status.st_mode);
}

static void print_report(const struct ct_report *report, const char *trace)
{
	struct ct_report_options options = {.size = sizeof(options), .trace = trace};
	struct ct_error error;
	enum ct_status status = ct_report_write(report, &options, "-", &error);

	if (status)
		say_failure(status, &error);
}

/*
 * The program has ended, and its user waits, so only the end of a large trace is judged; if the program is stuck, the
 * end shows it.
 */
static bool judge_end(const struct recording *recording, const struct ct_process_look *look,
	struct judgement *ret_judgement)
{
	struct ct_analyze_options judging = {
		.size = sizeof(judging), .thresholds = recording->thresholds};
	struct ct_open_options opening = {.size = sizeof(opening),
		.last_bytes = recording->options.pack_level ? PACKED_BYTES_JUDGED : BYTES_JUDGED,
		.memory_bytes = recording->memory_bytes,
		.look = look};
	struct ct_error error;

	if (judgement_open(recording->options.output, &opening, &judging, ret_judgement, &error) ==
		CT_OK) {
		if (ct_trace_tables(ret_judgement->trace)->nr_before)
			say_sentence("the trace is large: only its end is judged here, and all of "
				     "it by 'corotracer report'");
		return true;
	}
	say_sentence("%s", error.text);
	return false;
}

static void say_failed_close(const struct recording_result *result,
	const struct ct_record_stats *stats, const struct ct_error *error)
{
	if (!result->is_written)
		say_sentence("%s", error->text);
	else if (!stats->output_trouble)
		say_sentence("the trace is not complete: %s", error->text);
}

void summary_after_close(const struct recording *recording, const struct recording_result *result,
	const struct ct_record_stats *stats, const struct ct_error *error,
	const struct ct_process_look *look)
{
	struct judgement judgement = {NULL, NULL};
	struct said_line line;

	if (error)
		say_failed_close(result, stats, error);
	if (is_readable(recording, result) && !judge_end(recording, look, &judgement))
		judgement = (struct judgement){NULL, NULL};
	if (judgement.report && recording->wants_report)
		print_report(judgement.report, recording->options.output);
	if (judgement.report)
		judgement_tell_without_room(judgement.report);
	print_line(said_line_begin(&line), recording, stats, judgement.report,
		!error || is_readable(recording, result));
	said_line_end(&line);
	judgement_fini(&judgement);
}
