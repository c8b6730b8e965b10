/* SPDX-License-Identifier: MIT */
/*
 * corotracer integration: what a program tells of its coroutines, which rules can judge by it, and what in it cannot be
 * true. Nothing is said of the program itself: that is the report's.
 */
#include <inttypes.h>
#include <string.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "output.h"
#include "say.h"

#define EXIT_CONTRADICTORY 1
#define NR_KINDS 64

enum fact {
#define X(name, what, kinds, c, cpp, needed, more) FACT_##name,
#include "integration.def"
#undef X
	NR_FACTS,
};

#define TELLS(kind) (UINT64_C(1) << CTP_KIND_##kind)
static const struct {
	const char *what;
	uint64_t kinds; /* a bit each; 0: counted otherwise */
	const char *in_c;
	const char *in_cpp;
	const char *needed_by;
	const char *used_by;
} facts[NR_FACTS] = {
#define X(name, what, kinds, c, cpp, needed, more) {what, kinds, c, cpp, needed, more},
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
	bool is_named;
};

struct told {
	struct wait latest[NR_LATEST];
	uint64_t nr_by_kind[NR_KINDS];
	uint64_t nr_by_fact[NR_FACTS];
	uint64_t nr_waits;
	bool is_of_go; /* its runtime writes the trace: there is no call by which a program could tell more, or less */
};

static struct wait *wait_of(struct told *told, uint64_t coro)
{
	return &told->latest[coro % NR_LATEST];
}

static void count_wait(struct told *told, const struct ct_event *event)
{
	bool is_named = event->kind == CTP_KIND_SUSPEND && event->object;

	if (event->argument != CTP_POINT_AWAIT || !event->coro)
		return;
	told->nr_waits++;
	told->nr_by_fact[FACT_RESOURCE] += is_named;
	*wait_of(told, event->coro) = (struct wait){event->coro, is_named};
}

/* The coroutine's latest wait did not take place. */
static void uncount_wait(struct told *told, uint64_t coro)
{
	struct wait *wait = wait_of(told, coro);

	if (!coro || wait->coro != coro)
		return;
	told->nr_waits--;
	told->nr_by_fact[FACT_RESOURCE] -= wait->is_named;
	wait->coro = 0;
}

static void count_detail(struct told *told, const struct ct_event *event)
{
	if (event->argument == CTP_DETAIL_DEADLINE)
		told->nr_by_fact[FACT_DEADLINE]++;
	if (event->argument == CTP_DETAIL_RESOURCE && event->object)
		told->nr_by_fact[FACT_RESOURCE]++;
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

static enum ct_status count_events(
	struct ct_trace *trace, struct told *ret_told, struct ct_error *reterr)
{
	enum ct_status status = ct_trace_rewind(trace, reterr);
	const struct ct_event *event;

	memset(ret_told, 0, sizeof(*ret_told));
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

static void print_not_told(const struct told *told)
{
	bool is_first = true;
	unsigned fact;

	for (fact = 0; fact < NR_FACTS; fact++) {
		if (told->nr_by_fact[fact])
			continue;
		if (is_first)
			puts(told->is_of_go
					? "\nNot told, and no call of a program in Go could tell it"
					: "\nNot told");
		is_first = false;
		printf("  %s\n", facts[fact].what);
		if (!told->is_of_go)
			printf("    %-12s%s; in C++ %s\n", "call", facts[fact].in_c,
				facts[fact].in_cpp);
		print_rules("silent", facts[fact].needed_by);
		print_rules("say less", facts[fact].used_by);
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
static int print_integration(const struct told *told, const struct ct_report *report)
{
	unsigned nr_wrong;
	int exit_status;

	print_told(told);
	print_not_told(told);
	print_advice(report);
	nr_wrong = print_contradictions(told, report);
	exit_status = flush_output();
	return exit_status == 0 && nr_wrong ? EXIT_CONTRADICTORY : exit_status;
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
	status = count_events(judgement.trace, &told, &error);
	told.is_of_go = is_of_go(judgement.report->tables);
	exit_status =
		status ? say_failure(status, &error) : print_integration(&told, judgement.report);
	judgement_fini(&judgement);
	return exit_status;
}
