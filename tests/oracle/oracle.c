/* SPDX-License-Identifier: MIT */
/*
 * Simulates programs with planted faults, and compares the findings of the detectors with the truth.
 *
 * oracle [--seed SEED] [--programs COUNT] [--json PATH]    judges so many programs, from that seed on; prints a table
 * oracle --explain SEED [--parts COUNT]                   one program: what was found, and whether it is true
 * oracle --trace SEED [--parts COUNT]                     its trace, as text
 *
 * Exits 1 if a proven finding is not true, or if times do not add up; it then prints the seed, and the smallest number
 * of parts with which it still happens.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rules/rules.h"
#include "groups.h"
#include "lives.h"
#include "record.h"
#include "sparing.h"
#include "tally.h"
#include "base/text.h"
#include "textrace/textrace.h"
#include "truth.h"

#define ALL_PARTS UINT32_MAX
/* programs for which the report must be the same if no records are released */
#define SPARING_ONE_IN 8

/* One program: made, run, recorded, judged. */
struct trial {
	struct world world;
	struct record *record;
	const struct ct_report *report;
};

static void trial_init(struct trial *trial, uint64_t seed, uint32_t parts)
{
	struct ct_error error;

	world_init(&trial->world, seed);
	make_program(&trial->world, parts);
	world_run(&trial->world);
	truth_note(&trial->world);
	trial->record = record_new(&trial->world);
	world_go_on(&trial->world);
	if (rules_judge(record_source(trial->record), NULL, NULL, &trial->report, &error) == CT_OK)
		return;
	fprintf(stderr, "seed %" PRIu64 ": %s\n", seed, error.text);
	exit(1);
}

static void trial_fini(struct trial *trial)
{
	analyze_report_free(trial->report);
	record_free(trial->record);
	world_fini(&trial->world);
}

/* The times of coroutines and workers must add up to the time for which they were observed. */
static bool do_times_add_up(struct trial *trial)
{
	struct ct_source *source = record_source(trial->record);
	const struct ct_event *event;
	struct lives lives = {0};
	struct model *model;
	bool is_right;

	if (source_reset(source, NULL) || model_new(source->tables, &model, NULL))
		return false;
	while (source_next(source, &event, NULL) == CT_OK) {
		if (model_apply(model, event, NULL))
			return false;
		lives_note(&lives, model, event);
	}
	is_right = model_finish(model, NULL) == CT_OK && lives_check(&lives, model);
	model_free(model);
	return is_right;
}

/* With fewer parts of the same seed: is a false claim still called proven? */
static void shrink(uint64_t seed)
{
	uint32_t parts;

	for (parts = 1;; parts++) {
		struct tally tally = {0};
		struct trial trial;
		bool is_wrong, is_all;

		trial_init(&trial, seed, parts);
		is_wrong = tally_add(&tally, &trial.world, trial.report) > 0;
		is_all = trial.world.groups.count < parts;
		if (is_wrong)
			tally_explain(&trial.world, trial.report, stderr);
		trial_fini(&trial);
		if (is_wrong || is_all)
			break;
	}
	fprintf(stderr, "look at it with: oracle --explain %" PRIu64 " --parts %u\n", seed, parts);
}

static bool try_seed(struct tally *tally, uint64_t seed)
{
	struct trial trial;
	bool is_proven_wrong, is_right;

	trial_init(&trial, seed, ALL_PARTS);
	is_proven_wrong = tally_add(tally, &trial.world, trial.report) > 0;
	is_right = do_times_add_up(&trial) &&
		   (seed % SPARING_ONE_IN || sparing_check(record_source(trial.record), NULL));
	if (!is_right)
		fprintf(stderr, "seed %" PRIu64 ": times do not add up, or reports differ\n", seed);
	trial_fini(&trial);
	if (is_proven_wrong) {
		fprintf(stderr, "seed %" PRIu64 ": called proven, and not true\n", seed);
		shrink(seed);
	}
	return is_right && !is_proven_wrong;
}

static void explain(uint64_t seed, uint32_t parts)
{
	struct trial trial;

	trial_init(&trial, seed, parts);
	tally_explain(&trial.world, trial.report, stdout);
	trial_fini(&trial);
}

static void print_trace(uint64_t seed, uint32_t parts)
{
	const struct ct_event *event;
	struct text text = {0};
	struct ct_source *source;
	struct trial trial;

	trial_init(&trial, seed, parts);
	source = record_source(trial.record);
	source_reset(source, NULL);
	textrace_print_tables(&text, source->tables);
	while (source_next(source, &event, NULL) == CT_OK) {
		textrace_print_event(&text, source->tables, event, false);
		text_char(&text, '\n');
	}
	fputs(text_peek(&text), stdout);
	text_fini(&text);
	trial_fini(&trial);
}

struct arguments {
	uint64_t seed;
	uint64_t programs;
	uint32_t parts;
	const char *json; /* path; NULL: none */
	bool is_explain;
	bool is_trace;
};

static bool parse(int argc, char **argv, struct arguments *arguments)
{
	int i;

	/* Each option has a value. */
	for (i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : NULL;

		if (!value)
			return false;
		if (strcmp(argv[i], "--seed") == 0 || strcmp(argv[i], "--explain") == 0 ||
			strcmp(argv[i], "--trace") == 0)
			arguments->seed = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--programs") == 0)
			arguments->programs = strtoull(value, NULL, 10);
		else if (strcmp(argv[i], "--json") == 0)
			arguments->json = value;
		else if (strcmp(argv[i], "--parts") == 0)
			arguments->parts = (uint32_t)strtoul(value, NULL, 10);
		else
			return false;
		arguments->is_explain |= strcmp(argv[i], "--explain") == 0;
		arguments->is_trace |= strcmp(argv[i], "--trace") == 0;
	}
	return true;
}

static bool write_json(const struct tally *tally, const struct arguments *arguments)
{
	FILE *out = fopen(arguments->json, "w");

	if (out)
		tally_print_json(tally, arguments->seed, out);
	if (out && fclose(out) == 0)
		return true;
	perror(arguments->json);
	return false;
}

int main(int argc, char **argv)
{
	struct arguments arguments = {.seed = 1, .programs = 300, .parts = ALL_PARTS};
	struct tally tally = {0};
	bool is_right = true;
	uint64_t i;

	if (!parse(argc, argv, &arguments)) {
		fprintf(stderr, "usage: oracle [--seed SEED] [--programs COUNT] [--json PATH]\n"
				"       oracle --explain SEED [--parts COUNT]\n"
				"       oracle --trace SEED [--parts COUNT]\n");
		return 2;
	}
	if (arguments.is_explain)
		explain(arguments.seed, arguments.parts);
	if (arguments.is_trace)
		print_trace(arguments.seed, arguments.parts);
	if (arguments.is_explain || arguments.is_trace)
		return 0;
	for (i = 0; i < arguments.programs; i++)
		is_right &= try_seed(&tally, arguments.seed + i);
	printf("SEED=%" PRIu64 "\n", arguments.seed);
	tally_print(&tally, stdout);
	if (arguments.json)
		is_right &= write_json(&tally, &arguments);
	return is_right ? 0 : 1;
}
