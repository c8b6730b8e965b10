/* SPDX-License-Identifier: MIT */
/*
 * corotracer integration: what a program tells of its coroutines, which rules can judge by it, and what in it cannot be
 * true. Nothing is said of the program itself: that is the report's.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"

#define EXIT_CONTRADICTORY 1
#define NR_KINDS 64
#define PLACES_SHOWN 5u
#define PLACE_BYTES 512

enum fact {
#define X(name, what, kinds, waited, calls, needed, more) FACT_##name,
#include "integration.def"
#undef X
	NR_FACTS,
};

/* The languages of a program, in the order of the table's calls. */
static const char *const languages[] = {"C", "C++", "Rust", "Zig", "Python", "Lua"};
#define NR_LANGUAGES (sizeof(languages) / sizeof(languages[0]))

#define TELLS(kind) (UINT64_C(1) << CTP_KIND_##kind)
#define WAITED(resource) (1u << CTP_RESOURCE_##resource)
#define LEDGER "none: the ledger tells it"
#define CALLS(...)          \
	{                   \
		__VA_ARGS__ \
	}
static const struct {
	const char *what;
	uint64_t kinds;  /* a bit each; 0: counted otherwise */
	uint32_t waited; /* resources, a bit each */
	const char *calls[NR_LANGUAGES];
	const char *needed_by;
	const char *used_by;
} facts[NR_FACTS] = {
#define X(name, what, kinds, waited, calls, needed, more) \
	{what, kinds, waited, calls, needed, more},
#include "integration.def"
#undef X
};

/* Events that mean something only where others follow. */
static const struct {
	enum ctp_kind first, then;
	const char *wrong;
} pairs[] = {
	{CTP_KIND_CREATE, CTP_KIND_RESUME,
		"coroutines are made, and none ever runs: is `resume` told?"},
	{CTP_KIND_PARK, CTP_KIND_UNPARK,
		"workers park, and never wake up again: is `unpark` told?"},
	{CTP_KIND_UNPARK, CTP_KIND_PARK, "workers wake up, and never park: is `park` told?"},
	{CTP_KIND_ENQUEUE, CTP_KIND_DEQUEUE,
		"coroutines enter queues, and are never taken out: is `dequeue` told?"},
	{CTP_KIND_DEQUEUE, CTP_KIND_ENQUEUE,
		"coroutines are taken out of queues that they never entered: is `enqueue` told?"},
	{CTP_KIND_RELEASE, CTP_KIND_ACQUIRE,
		"locks are given back that nobody took: is `acquire` told?"},
	{CTP_KIND_AWAIT_DONE, CTP_KIND_AWAIT, "awaits end that never began: is `await` told?"},
};

/* The latest wait of a coroutine, which may be taken back. One with the same place takes it over. */
#define NR_LATEST 4096u
struct wait {
	uint64_t coro;
	uint32_t site;
	bool is_named;
};

/* The waits at a place. */
struct place {
	uint64_t nr_waits;
	uint64_t nr_named; /* of them: what for is told */
};

struct told {
	struct wait latest[NR_LATEST];
	uint64_t nr_by_kind[NR_KINDS];
	uint64_t nr_by_fact[NR_FACTS];
	uint64_t nr_waits;
	struct place *places; /* by site, and one for those that are not known */
	uint32_t nr_places;
	uint32_t waited; /* the resources that were waited for, a bit each */
	uint64_t nr_by_language[NR_LANGUAGES];
	bool is_of_go; /* its runtime writes the trace: there is no call by which a program could tell more, or less */
};

static struct wait *wait_of(struct told *told, uint64_t coro)
{
	return &told->latest[coro % NR_LATEST];
}

static void add_wait(struct told *told, const struct wait *wait, int step)
{
	struct place *place = &told->places[wait->site < told->nr_places ? wait->site : 0];

	told->nr_waits += step;
	place->nr_waits += step;
	if (!wait->is_named)
		return;
	told->nr_by_fact[FACT_RESOURCE] += step;
	place->nr_named += step;
}

static void note_resource(struct told *told, uint64_t handle)
{
	if (CTP_HANDLE_RESOURCE(handle) < 32)
		told->waited |= 1u << CTP_HANDLE_RESOURCE(handle);
}

static void count_wait(struct told *told, const struct ct_event *event)
{
	struct wait wait = {
		event->coro, event->site, event->kind == CTP_KIND_SUSPEND && event->object};

	if (event->argument != CTP_POINT_AWAIT || !event->coro)
		return;
	add_wait(told, &wait, 1);
	if (wait.is_named)
		note_resource(told, event->object);
	*wait_of(told, event->coro) = wait;
}

/* The coroutine's latest wait did not take place. */
static void uncount_wait(struct told *told, uint64_t coro)
{
	struct wait *wait = wait_of(told, coro);

	if (!coro || wait->coro != coro)
		return;
	add_wait(told, wait, -1);
	wait->coro = 0;
}

/* What a wait is for may be told behind it: that of a switch is. */
static void name_wait(struct told *told, const struct ct_event *event)
{
	struct wait *wait = wait_of(told, event->coro);

	note_resource(told, event->object);
	if (!event->coro || wait->coro != event->coro || wait->is_named)
		return;
	add_wait(told, wait, -1);
	wait->is_named = true;
	add_wait(told, wait, 1);
}

static void count_detail(struct told *told, const struct ct_event *event)
{
	if (event->argument == CTP_DETAIL_DEADLINE)
		told->nr_by_fact[FACT_DEADLINE]++;
	if (event->argument == CTP_DETAIL_RESOURCE && event->object)
		name_wait(told, event);
}

static void count_event(struct told *told, const struct ct_event *event)
{
	unsigned fact;

	if (event->kind >= NR_KINDS)
		return;
	told->nr_by_kind[event->kind]++;
	for (fact = 0; fact < NR_FACTS; fact++)
		if (facts[fact].kinds >> event->kind & 1)
			told->nr_by_fact[fact]++;
	if (event->kind == CTP_KIND_DETAIL)
		count_detail(told, event);
	else if (event->kind == CTP_KIND_CANCEL)
		uncount_wait(told, event->coro);
	else if (event->kind == CTP_KIND_SUSPEND || event->kind == CTP_KIND_SWITCH)
		count_wait(told, event);
}

static void count_languages(struct told *told, const struct ct_tables *tables)
{
	uint32_t site;
	size_t i;

	for (site = 1; site < told->nr_places; site++)
		for (i = 0; i < NR_LANGUAGES; i++)
			if (strcmp(languages[i], ct_site_language(tables, site)) == 0)
				told->nr_by_language[i] += told->places[site].nr_waits;
}

static enum ct_status count_events(
	struct ct_trace *trace, struct told *ret_told, struct ct_error *reterr)
{
	enum ct_status status = ct_trace_rewind(trace, reterr);
	const struct ct_event *event;

	while (status == CT_OK && (status = ct_trace_next(trace, &event, reterr)) == CT_OK)
		count_event(ret_told, event);
	return status < 0 ? status : CT_OK;
}

static void print_told(const struct told *told)
{
	unsigned fact;

	puts("Told");
	for (fact = 0; fact < NR_FACTS; fact++) {
		if (!told->nr_by_fact[fact])
			continue;
		printf("  %14s  %s", said_count(told->nr_by_fact[fact], "", "").text,
			facts[fact].what);
		if (fact == FACT_RESOURCE)
			printf(", of %s", said_count(told->nr_waits, "wait", "waits").text);
		putchar('\n');
	}
}

static void print_rules(const char *words, const char *rules)
{
	if (*rules)
		printf("    %-12s%s\n", words, rules);
}

static bool is_of_go(const struct ct_tables *tables)
{
	uint32_t i;

	for (i = 1; i < tables->nr_sites; i++) {
		const char *file = tables->sites[i].file;
		size_t length = file ? strlen(file) : 0;

		if (length > 3 && strcmp(file + length - 3, ".go") == 0)
			return true;
	}
	return false;
}

/* All that it could tell of was waited for by nobody, as far as waits tell what they are for, and all do. */
static bool is_not_needed(const struct told *told, unsigned fact)
{
	return facts[fact].waited && !(facts[fact].waited & told->waited) && told->nr_waits &&
	       told->nr_by_fact[FACT_RESOURCE] == told->nr_waits;
}

static unsigned nr_languages_of(const struct told *told)
{
	unsigned count = 0;
	size_t i;

	for (i = 0; i < NR_LANGUAGES; i++)
		count += told->nr_by_language[i] != 0;
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

/* In the languages in which the program waits; where no place is known, in C and in C++. */
static void print_calls(const struct told *told, unsigned fact)
{
	unsigned nr_languages = nr_languages_of(told);
	size_t i;

	for (i = 0; i < NR_LANGUAGES; i++)
		if (told->nr_by_language[i] || (!nr_languages && i < 2))
			print_call(languages[i], facts[fact].calls[i], nr_languages == 1);
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
	unsigned fact;

	for (fact = 0; fact < NR_FACTS; fact++) {
		if (told->nr_by_fact[fact] || is_not_needed(told, fact))
			continue;
		print_heading(&is_first,
			told->is_of_go ? "Not told, and no call of a program in Go could tell it"
				       : "Not told");
		printf("  %s\n", facts[fact].what);
		if (!told->is_of_go)
			print_calls(told, fact);
		print_rules("silent", facts[fact].needed_by);
		print_rules("say less", facts[fact].used_by);
	}
}

static void print_not_needed(const struct told *told)
{
	bool is_first = true;
	unsigned fact, resource;

	for (fact = 0; fact < NR_FACTS; fact++) {
		const char *between = ": no wait was for a ";

		if (told->nr_by_fact[fact] || !is_not_needed(told, fact))
			continue;
		print_heading(&is_first, "Not needed in this run");
		printf("  %s", facts[fact].what);
		for (resource = 0; resource < 32; resource++) {
			if (!(facts[fact].waited >> resource & 1))
				continue;
			printf("%s%s", between, ct_resource_name(resource));
			between = ", ";
		}
		putchar('\n');
	}
}

/* The place at which most waits that do not say what for stand; 0: there is none any more. */
static uint32_t most_unnamed(const struct told *told)
{
	uint32_t site, found = 0;
	uint64_t most = 0;

	for (site = 1; site < told->nr_places; site++) {
		uint64_t nr_unnamed = told->places[site].nr_waits - told->places[site].nr_named;

		if (nr_unnamed > most) {
			most = nr_unnamed;
			found = site;
		}
	}
	return found;
}

static void print_unnamed(struct told *told, const struct ct_tables *tables)
{
	bool is_first = true;
	unsigned shown;
	uint32_t site;

	for (shown = 0; shown < PLACES_SHOWN && (site = most_unnamed(told)); shown++) {
		struct place *place = &told->places[site];
		char words[PLACE_BYTES];

		print_heading(&is_first, "Waits that do not tell what for");
		ct_site_words(tables, site, words, sizeof(words));
		printf("  %14s  ", said_count(place->nr_waits - place->nr_named, "", "").text);
		print_safe(stdout, words);
		putchar('\n');
		place->nr_named = place->nr_waits;
	}
}

/* A contradiction of the events themselves, which a correct program's cannot have; counted. */
static void print_wrong(unsigned *nr_wrong, const char *text)
{
	if ((*nr_wrong)++ == 0)
		puts("\nContradictory");
	fputs("  ", stdout);
	print_safe(stdout, text);
	putchar('\n');
}

/* A switch tells of a run as well; a coroutine whose first run begins with itself has run where it waits for once. */
static bool has_run(const struct told *told)
{
	return told->nr_by_kind[CTP_KIND_SWITCH] ||
	       (told->nr_waits && told->nr_waits <= told->nr_by_kind[CTP_KIND_CREATE]);
}

static unsigned print_contradictions(const struct told *told, const struct ct_report *report)
{
	unsigned nr_wrong = 0;
	size_t i;

	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]) && !told->is_of_go; i++)
		if (told->nr_by_kind[pairs[i].first] && !told->nr_by_kind[pairs[i].then] &&
			!(pairs[i].then == CTP_KIND_RESUME && has_run(told)))
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

/* The exit status. */
static int print_integration(struct told *told, const struct ct_report *report)
{
	unsigned nr_wrong;
	int exit_status;

	print_told(told);
	print_not_told(told);
	print_not_needed(told);
	if (!told->is_of_go)
		print_unnamed(told, report->tables);
	print_advice(report);
	nr_wrong = print_contradictions(told, report);
	exit_status = flush_output();
	return exit_status == 0 && nr_wrong ? EXIT_CONTRADICTORY : exit_status;
}

/* The exit status. */
static int tell(struct judgement *judgement, struct told *told)
{
	const struct ct_tables *tables = judgement->report->tables;
	struct ct_error error;
	enum ct_status status;

	told->nr_places = tables->nr_sites ? tables->nr_sites : 1;
	told->places = calloc(told->nr_places, sizeof(*told->places));
	if (!told->places)
		return say_no_memory();
	status = count_events(judgement->trace, told, &error);
	if (status)
		return say_failure(status, &error);
	told->is_of_go = is_of_go(tables);
	count_languages(told, tables);
	return print_integration(told, judgement->report);
}

int command_integration(const struct arguments *arguments)
{
	struct judgement judgement;
	struct ct_error error;
	enum ct_status status;
	static struct told told; /* too large for a stack */
	int exit_status;

	status = judgement_open(arguments->operands[0], NULL, NULL, &judgement, &error);
	if (status == CT_OK)
		damage_note(judgement.trace, arguments->operands[0]);
	if (status)
		return say_failure(status, &error);
	exit_status = tell(&judgement, &told);
	free(told.places);
	judgement_fini(&judgement);
	return exit_status;
}
