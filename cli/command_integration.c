/* SPDX-License-Identifier: MIT */
/*
 * corotracer integration: prints what a program records about its coroutines, which rules can use it, and what in it
 * cannot be true. The program itself is not judged; that is done by `report`.
 */
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"

#define EXIT_CONTRADICTORY 1
#define PLACES_SHOWN 5u
#define PLACE_BYTES 512

/* The languages of a program, in the order of the table's calls. */
static const char *const languages[] = {"C", "C++", "Rust", "Zig", "Python", "Lua"};
#define NR_LANGUAGES (sizeof(languages) / sizeof(languages[0]))

#define LEDGER "none: the ledger records it"
#define CALLS(...)          \
	{                   \
		__VA_ARGS__ \
	}
static const char *const calls[][NR_LANGUAGES] = {
#define X(name, what, kinds, waited, calls, needed, more) calls,
#include "corotracer/def/integration.def"
#undef X
};

/* Events that make sense only if other events follow. A resume, too, takes a coroutine out of its queue. */
static const struct {
	enum ctp_kind first, then;
	const char *wrong;
} pairs[] = {
	{CTP_KIND_CREATE, CTP_KIND_RESUME,
		"coroutines are made, and none ever runs: is `resume` recorded?"},
	{CTP_KIND_PARK, CTP_KIND_UNPARK,
		"workers run coroutines while they are parked: is `unpark` recorded?"},
	{CTP_KIND_UNPARK, CTP_KIND_PARK, "workers wake up, and never park: is `park` recorded?"},
	{CTP_KIND_DEQUEUE, CTP_KIND_ENQUEUE,
		"coroutines are taken out of queues that they never entered: is `enqueue` "
		"recorded?"},
	{CTP_KIND_RELEASE, CTP_KIND_ACQUIRE,
		"locks are released that nobody took: is `acquire` recorded?"},
	{CTP_KIND_AWAIT_DONE, CTP_KIND_AWAIT, "awaits end that never began: is `await` recorded?"},
};

/* What a program records, and in which languages. */
struct told {
	const struct ct_integration *integration;
	const struct ct_tables *tables;
	bool is_in[NR_LANGUAGES];
	/* Go's runtime writes the trace, so there is no call by which a program could record more or less */
	bool is_of_go;
};

static bool is_of_go(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 1; i < tables->nr_sites; i++)
		if (strcmp(ct_site_language(tables, i), "Go") == 0)
			return true;
	return false;
}

/* Finds the languages by the places at which coroutines wait. */
static void find_languages(struct told *told, const struct ct_statistics *statistics)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < statistics->nr_places; i++)
		for (k = 0; k < NR_LANGUAGES; k++)
			told->is_in[k] |= !strcmp(languages[k],
				ct_site_language(told->tables, statistics->places[i].site));
}

static void print_told(const struct told *told)
{
	const struct ct_integration *integration = told->integration;
	uint32_t i;

	puts("Recorded");
	for (i = 0; i < integration->nr_facts; i++) {
		const struct ct_fact *fact = &integration->facts[i];

		if (!fact->nr_events)
			continue;
		printf("  %14s  %s", said_count(fact->nr_events, "", "").text, fact->what);
		if (i == CT_FACT_RESOURCE)
			printf(", of %s", said_count(integration->nr_waits, "wait", "waits").text);
		putchar('\n');
	}
}

static void print_rules(const char *words, const char *rules)
{
	if (*rules)
		printf("    %-12s%s\n", words, rules);
}

static unsigned nr_languages_of(const struct told *told)
{
	unsigned count = 0;
	size_t i;

	for (i = 0; i < NR_LANGUAGES; i++)
		count += told->is_in[i];
	return count;
}

static void print_call(const char *language, const char *call, bool is_only)
{
	if (!call)
		printf("    %-12snone in %s\n", "call", language);
	else if (is_only)
		printf("    %-12s%s\n", "call", call);
	else
		printf("    %-12sin %s: %s\n", "call", language, call);
}

/* Prints the calls in the languages in which the program waits; if no place is known, in C and C++. */
static void print_calls(const struct told *told, uint32_t fact)
{
	unsigned nr_languages = nr_languages_of(told);
	size_t i;

	for (i = 0; i < NR_LANGUAGES; i++)
		if (told->is_in[i] || (!nr_languages && i < 2))
			print_call(languages[i], calls[fact][i], nr_languages == 1);
}

static void print_heading(bool *is_first, const char *heading)
{
	if (*is_first)
		printf("\n%s\n", heading);
	*is_first = false;
}

static void print_not_told(const struct told *told)
{
	bool is_first = true;
	uint32_t i;

	for (i = 0; i < told->integration->nr_facts; i++) {
		const struct ct_fact *fact = &told->integration->facts[i];

		if (fact->nr_events || !fact->is_needed)
			continue;
		print_heading(&is_first,
			told->is_of_go
				? "Not recorded, and no call of a program in Go could record it"
				: "Not recorded");
		printf("  %s\n", fact->what);
		if (!told->is_of_go)
			print_calls(told, i);
		print_rules("silent", fact->silent);
		print_rules("say less", fact->less);
	}
}

static void print_not_needed(const struct told *told)
{
	bool is_first = true;
	uint32_t i;

	for (i = 0; i < told->integration->nr_facts; i++) {
		const struct ct_fact *fact = &told->integration->facts[i];
		const char *between = ": no wait was for a ";
		unsigned resource;

		if (fact->nr_events || fact->is_needed)
			continue;
		print_heading(&is_first, "Not needed in this run");
		printf("  %s", fact->what);
		for (resource = 0; resource < 32; resource++) {
			if (!(fact->waited >> resource & 1))
				continue;
			printf("%s%s", between, ct_resource_name(resource));
			between = ", ";
		}
		putchar('\n');
	}
}

static void print_unnamed(const struct told *told)
{
	const struct ct_integration *integration = told->integration;
	bool is_first = true;
	uint32_t i;

	for (i = 0; i < integration->nr_unnamed && i < PLACES_SHOWN; i++) {
		const struct ct_unnamed *place = &integration->unnamed[i];
		char words[PLACE_BYTES];

		print_heading(&is_first, "Waits that do not record what for");
		ct_site_words(told->tables, place->site, words, sizeof(words));
		printf("  %14s  ", said_count(place->nr_waits, "", "").text);
		print_safe(stdout, words);
		putchar('\n');
	}
}

/* Prints and counts a contradiction in the events themselves, which a correct program cannot have. */
static void print_wrong(unsigned *nr_wrong, const char *text)
{
	if ((*nr_wrong)++ == 0)
		puts("\nContradictory");
	fputs("  ", stdout);
	print_safe(stdout, text);
	putchar('\n');
}

/*
 * A switch also shows that a coroutine runs. A coroutine whose first run begins with itself has run if it has waited
 * once.
 */
static bool has_run(const struct ct_integration *integration)
{
	return integration->nr_by_kind[CTP_KIND_SWITCH] ||
	       (integration->nr_waits &&
		       integration->nr_waits <= integration->nr_by_kind[CTP_KIND_CREATE]);
}

/*
 * Does one of the pair's kinds occur where the other one had to? A worker that parked and was still asleep at the end
 * did not wake up.
 */
static bool is_contradicted(const struct ct_integration *integration, size_t pair)
{
	if (!integration->nr_by_kind[pairs[pair].first] ||
		integration->nr_by_kind[pairs[pair].then])
		return false;
	if (pairs[pair].then == CTP_KIND_UNPARK)
		return integration->nr_parked_runs > 0;
	return pairs[pair].then != CTP_KIND_RESUME || !has_run(integration);
}

static unsigned print_contradictions(const struct told *told, const struct ct_report *report)
{
	unsigned nr_wrong = 0;
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && !told->is_of_go; i++)
		if (is_contradicted(told->integration, i))
			print_wrong(&nr_wrong, pairs[i].wrong);
	for (i = 0; i < report->nr_findings; i++)
		if (report->findings[i].rule == CT_RULE_BROKEN_STATE ||
			report->findings[i].rule == CT_RULE_DOUBLE_RESUME)
			print_wrong(&nr_wrong, report->findings[i].title);
	return nr_wrong;
}

static void print_advice(const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->nr_advice; i++) {
		if (i == 0)
			puts("\nWaits that cannot be judged");
		fputs("  ", stdout);
		print_safe(stdout, report->advice[i].text);
		putchar('\n');
	}
}

/* Returns the exit status. */
static int print_integration(const struct ct_report *report)
{
	struct told told = {.integration = &report->integration, .tables = report->tables};
	unsigned nr_wrong;
	int exit_status;

	told.is_of_go = is_of_go(told.tables);
	find_languages(&told, &report->statistics);
	print_told(&told);
	print_not_told(&told);
	print_not_needed(&told);
	if (!told.is_of_go)
		print_unnamed(&told);
	print_advice(report);
	nr_wrong = print_contradictions(&told, report);
	exit_status = flush_output();
	return exit_status == 0 && nr_wrong ? EXIT_CONTRADICTORY : exit_status;
}

int command_integration(const struct arguments *arguments)
{
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status;
	int exit_status;

	status = judgement_open(arguments->operands[0], NULL, NULL, &judgement, &error);
	if (status)
		return say_failure(status, &error);
	damage_note(judgement.trace, arguments->operands[0]);
	exit_status = print_integration(judgement.report);
	judgement_fini(&judgement);
	return exit_status;
}
