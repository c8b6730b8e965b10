/* SPDX-License-Identifier: MIT */
/* Reads cases, and prints reports in a form that cases can match. */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stages/arrange.h"
#include "case_file.h"
#include "kernel/live.h"
#include "rules/rules.h"
#include "textrace/textrace.h"

static void give_up(const char *path, const char *what)
{
	fprintf(stderr, "%s: %s\n", path, what);
	exit(1);
}

static char *read_whole(const char *path)
{
	FILE *file = fopen(path, "r");
	char *content;
	long size;

	if (!file || fseek(file, 0, SEEK_END) != 0)
		give_up(path, "cannot be read");
	size = ftell(file);
	rewind(file);
	content = calloc(1, (size_t)size + 1);
	if (!content || fread(content, 1, (size_t)size, file) != (size_t)size)
		give_up(path, "cannot be read");
	fclose(file);
	return content;
}

static unsigned line_of(const char *content, const char *at)
{
	unsigned line = 1;

	for (; content < at; content++)
		line += *content == '\n';
	return line;
}

/* The line after the one that begins with `mark`. */
static char *section(char *content, const char *mark)
{
	char *at = strstr(content, mark);

	while (at && at != content && at[-1] != '\n')
		at = strstr(at + 1, mark);
	at = at ? strchr(at, '\n') : NULL;
	return at ? at + 1 : NULL;
}

static void take_option(struct case_file *file, const char *setting)
{
	struct ct_error error;
	enum ct_status status;

	if (strncmp(setting, "allow-site=", strlen("allow-site=")) == 0)
		status = ct_thresholds_allow(
			file->thresholds, setting + strlen("allow-site="), &error);
	else
		status = ct_thresholds_set(file->thresholds, setting, &error);
	if (status)
		give_up(file->path, error.text);
}

static void read_options(struct case_file *file)
{
	const char *at = strstr(file->content, "\n--- options ");
	char line[200] = "", *setting, *rest = line;

	file->options.size = sizeof(file->options);
#ifndef __x86_64__
	file->is_for_other_machine = strstr(file->content, "\n--- machine x86_64\n") != NULL;
#endif
	if (!at)
		return;
	if (ct_thresholds_new(&file->thresholds, NULL))
		give_up(file->path, "out of memory");
	at += strlen("\n--- options ");
	snprintf(line, sizeof(line), "%.*s", (int)strcspn(at, "\n"), at);
	while ((setting = strsep(&rest, " ")))
		take_option(file, setting);
	file->options.thresholds = file->thresholds;
}

/* Where an open descriptor is not just open, but "8=unread". */
static void take_fact(struct live_descriptor *descriptor, const char *fact)
{
	snprintf(descriptor->link, sizeof(descriptor->link), "socket:[%d]", descriptor->number);
	descriptor->is_watched = strncmp(fact, "unwatched", 9) != 0;
	if (descriptor->is_watched && strncmp(fact, "disarmed", 8) != 0)
		descriptor->watched_events = POLLIN;
	if (strncmp(fact, "unread", 6) != 0)
		return;
	descriptor->arrival = LIVE_ARRIVAL_BYTES;
	descriptor->nr_arrived = 5;
	descriptor->has_lasted = true;
}

static void read_live(struct case_file *file)
{
	const char *at = strstr(file->content, "\n--- open "), *memory = " memory";
	struct live *seen;
	char *next;

	if (!at)
		return;
	file->live.pid = strtoull(at + strlen("\n--- open "), &next, 10);
	file->live.seen = seen = calloc(1, sizeof(*seen));
	if (!seen)
		give_up(file->path, "out of memory");
	seen->pid = (pid_t)file->live.pid;
	seen->has_epoll = true;
	file->live.is_from_memory = strncmp(next, memory, strlen(memory)) == 0;
	next += file->live.is_from_memory ? strlen(memory) : 0;
	while (*next == ' ') {
		struct live_descriptor descriptor = {
			.number = (int32_t)strtol(next, &next, 10), .other_end = -1};

		if (*next == '=')
			take_fact(&descriptor, next + 1);
		next += strcspn(next, " \n");
		if (!vec_push(&seen->descriptors, descriptor))
			give_up(file->path, "out of memory");
	}
}

/* ---------------------------------------------------------------- repeated lines */

static void add_line(struct text *text, const char *line, size_t length, unsigned number)
{
	size_t i;

	for (i = 0; i < length; i++) {
		if (i + 1 < length && line[i] == '{' && line[i + 1] == '}') {
			text_format(text, "%u", number);
			i++;
		} else if (i + 2 < length && strncmp(&line[i], "{+}", 3) == 0) {
			text_format(text, "%u", number + 1);
			i += 2;
		} else {
			text_char(text, line[i]);
		}
	}
	text_add(text, "\n");
}

/* Copies the lines up to `repeat end` for each number; returns the text behind them. */
static const char *repeat(
	struct text *text, const char *body, unsigned first, unsigned last, const char *end)
{
	const char *stop = strstr(body, "repeat end\n"), *line;
	unsigned number;

	if (!stop || stop > end)
		return NULL;
	for (number = first; number <= last; number++) {
		for (line = body; line < stop; line += strcspn(line, "\n") + 1)
			add_line(text, line, strcspn(line, "\n"), number);
	}
	return stop + strlen("repeat end\n");
}

static void expand(struct case_file *file, const char *line, const char *end)
{
	struct text text = {0};
	unsigned first, last;

	while (line && line < end) {
		size_t length = strcspn(line, "\n") + 1;

		if (sscanf(line, "repeat %u to %u\n", &first, &last) == 2) {
			line = repeat(&text, line + length, first, last, end);
			continue;
		}
		text_append(&text, line, length);
		line += length;
	}
	if (!line)
		give_up(file->path, "has a 'repeat' without its end");
	file->trace = strdup(text_peek(&text));
	file->trace_bytes = strlen(text_peek(&text));
	text_fini(&text);
}

void case_read(const char *path, struct case_file *file)
{
	char *trace, *end;

	*file = (struct case_file){.path = path, .content = read_whole(path)};
	trace = section(file->content, "--- trace");
	if (!trace)
		give_up(path, "has no '--- trace'");
	read_options(file);
	read_live(file);
	file->expect = section(trace, "--- expect");
	if (!file->expect)
		give_up(path, "has no '--- expect'");
	end = strstr(trace, "\n---");
	expand(file, trace, end + 1);
	file->trace_line = line_of(file->content, trace);
	file->expect_line = line_of(file->content, file->expect);
}

void case_fini(struct case_file *file)
{
	live_free((struct live *)(uintptr_t)file->live.seen);
	ct_thresholds_free(file->thresholds);
	free(file->trace);
	free(file->content);
}

const struct ct_report *case_judge(const struct case_file *file, struct ct_source *source)
{
	const struct ct_report *report;
	struct ct_error error;

	if (rules_judge(
		    source, &file->options, file->live.pid ? &file->live : NULL, &report, &error))
		give_up(file->path, error.text);
	return report;
}

struct ct_source *case_open(const struct case_file *file)
{
	struct ct_source *source;
	struct ct_error error;

	if (textrace_source_from_text(file->path, file->trace_line, file->trace, file->trace_bytes,
		    &source, &error) != CT_OK ||
		arrange_open(source, &source, &error) != CT_OK) {
		fprintf(stderr, "%s\n", error.text);
		exit(1);
	}
	return source;
}

/* ---------------------------------------------------------------- printing */

static const char *const rules[] = {
	"none",
#define X(name, number, file, text, says, wrong_if, next_step) [number] = text,
#include "corotracer/def/findings.def"
#undef X
};
static const char *const grades[] = {"none", "suspect", "likely", "proven"};
static const char *const states[] = {
	"unseen", "ready", "running", "waiting", "syscall", "done", "destroyed"};

static void print_time(struct text *text, ct_time time)
{
	if (time == CT_NO_TIME)
		text_add(text, "-");
	else
		text_format(text, "%" PRId64 "us", time / 1000);
}

static void print_member(struct text *text, const struct ct_member *member)
{
	uint32_t i;

	text_format(text, "  member c%" PRIu64 " %s since ", member->coro.id,
		states[member->coro.state]);
	print_time(text, member->since);
	text_format(text, " for %s", member->resource[0] ? member->resource : "nothing");
	if (*member->name)
		text_format(text, ", named %s", member->name);
	if (*member->task)
		text_format(text, ", working for %s", member->task);
	text_add(text, ":");
	for (i = 0; i < member->nr_events; i++) {
		text_format(text, " %s", ct_kind_name(member->events[i].kind));
		if (*member->event_texts[i])
			text_format(text, " '%s'", member->event_texts[i]);
	}
	text_add(text, "\n");
}

static void print_step(struct text *text, const struct ct_step *step)
{
	text_add(text, "  step ");
	print_time(text, step->time);
	text_format(text, " t%u c%" PRIu64 " @%u %s\n", step->thread, step->coro, step->site,
		step->text);
}

static void print_finding(struct text *text, const struct ct_finding *finding)
{
	const char *own_advice = ct_rule_next_step(finding->rule);
	uint32_t i;

	text_format(text, "finding %s %s\n", rules[finding->rule], grades[finding->grade]);
	text_format(text, "  title %s\n", finding->title);
	for (i = 0; i < finding->nr_members; i++)
		print_member(text, &finding->members[i]);
	for (i = 0; i < finding->nr_steps; i++)
		print_step(text, &finding->steps[i]);
	for (i = 0; i < finding->nr_lowered; i++)
		text_format(text, "  lowered %s\n", finding->lowered[i]);
	for (i = 0; i < finding->nr_evidence; i++)
		text_format(text, "  evidence %s\n", finding->evidence[i]);
	if (strncmp(finding->next_step, own_advice, strlen(own_advice)) != 0)
		text_format(text, "  next %s\n", finding->next_step);
	if (finding->nr_lost_nearby)
		text_format(text, "  lost %" PRIu64 "\n", finding->nr_lost_nearby);
}

static void print_count(struct text *text, const char *name, uint64_t count)
{
	if (count)
		text_format(text, "quality %s %" PRIu64 "\n", name, count);
}

static void print_quality(struct text *text, const struct ct_quality *quality)
{
	uint32_t i;

	print_count(text, "lost", quality->nr_lost);
	print_count(text, "left-out", quality->nr_left_out);
	for (i = 0; i < quality->nr_losses; i++) {
		text_format(text, "  of t%u %s %" PRIu64 " from ", quality->losses[i].thread,
			ct_loss_name(quality->losses[i].reason), quality->losses[i].count);
		print_time(text, quality->losses[i].first);
		text_add(text, " to ");
		print_time(text, quality->losses[i].last);
		text_add(text, "\n");
	}
	print_count(text, "mid-life", quality->nr_coros_mid_life);
	print_count(text, "unseen", quality->nr_unseen);
	print_count(text, "frames-reused", quality->nr_frames_reused);
	print_count(text, "impossible", quality->nr_impossible);
	print_count(text, "unknown-kinds", quality->nr_unknown_kinds);
	print_count(text, "broken", quality->nr_broken_transitions);
	print_count(text, "reordered", quality->nr_reordered);
	print_count(text, "reordered-ns", (uint64_t)quality->reordered_ns);
	print_count(text, "late", quality->nr_late_ends);
	print_count(text, "unmatched-wakes", quality->nr_unmatched_wakes);
	print_count(text, "of-runtime", quality->nr_of_runtime);
	print_count(text, "lower-grades", quality->has_lower_grades);
}

void case_print(struct text *text, const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++)
		print_finding(text, &report->findings[i]);
	if (!report->nr_findings)
		text_add(text, "no findings\n");
	for (i = 0; i < report->nr_remarks; i++)
		text_format(text, "remark %s\n", report->remarks[i]);
	for (i = 0; i < report->nr_standings; i++)
		if (report->standings[i].kind == CT_STANDING_OUTLIVED)
			text_format(text, "outlived %s\n", report->standings[i].text);
	print_quality(text, &report->quality);
}
