/* SPDX-License-Identifier: MIT */
/*
 * The verdict of a report in one or two sentences: how many findings, or why there can be none.
 */
#include <inttypes.h>

#include "event/attaching.h"
#include "render/facts.h"
#include "say/say.h"

#define MAX_PLACES 8u /* places named at which coroutines wait */

void render_facts_rest(struct text *text, const struct ct_report *report, uint32_t nr_printed)
{
	uint32_t nr_by_rule[CT_NR_RULES] = {0};
	const char *separator = ": ";
	unsigned rule;
	uint32_t i;

	for (i = nr_printed; i < report->nr_findings; i++)
		nr_by_rule[report->findings[i].rule < CT_NR_RULES ? report->findings[i].rule
								  : CT_RULE_NONE]++;
	text_count(text, report->nr_findings - nr_printed);
	text_add(text, " more");
	for (rule = 0; rule < CT_NR_RULES; rule++) {
		if (!nr_by_rule[rule])
			continue;
		text_add(text, separator);
		text_count(text, nr_by_rule[rule]);
		text_format(text, " %s", ct_rule_name((enum ct_rule)rule));
		separator = ", ";
	}
}

static bool is_listed(const char *names, const char *name)
{
	size_t length = strlen(name);

	while (*names) {
		size_t next = strcspn(names, " ");

		if (next == length && memcmp(names, name, length) == 0)
			return true;
		names += next + (names[next] == ' ');
	}
	return false;
}

/* The missing fact without which the rule cannot find anything; NULL: none is missing. */
static const struct ct_fact *lacking(const struct ct_report *report, enum ct_rule rule)
{
	uint32_t i;

	for (i = 0; i < report->integration.nr_facts; i++) {
		const struct ct_fact *fact = &report->integration.facts[i];

		if (!fact->nr_events && fact->is_needed &&
			is_listed(fact->silent, ct_rule_name(rule)))
			return fact;
	}
	return NULL;
}

/* The number of rules that lack this fact; NULL: the number of rules that lack none. */
static unsigned nr_lacking(const struct ct_report *report, const struct ct_fact *lack)
{
	unsigned rule, count = 0;

	for (rule = CT_RULE_NONE + 1; rule < CT_NR_RULES; rule++)
		count += lacking(report, (enum ct_rule)rule) == lack;
	return count;
}

static void rules_judging(struct text *text, const struct ct_report *report)
{
	text_format(text, "%u of %u rules could judge", nr_lacking(report, NULL),
		CT_NR_RULES - CT_RULE_NONE - 1);
}

/* How many rules lack each fact; `corotracer integration` names them. */
static void rules_lacking(
	struct text *text, const struct ct_report *report, const char *first, const char *words)
{
	bool has_any = false;
	uint32_t i;

	for (i = 0; i < report->integration.nr_facts; i++) {
		const struct ct_fact *fact = &report->integration.facts[i];
		unsigned count = nr_lacking(report, fact);

		if (!count)
			continue;
		text_add(text, has_any ? "; " : first);
		say_count(text, count, "rule", "rules");
		text_format(text, "%s, because the program does not record %s", words, fact->what);
		has_any = true;
	}
	if (has_any)
		text_add(text, "; 'corotracer integration' names them");
}

void render_facts_judging(struct text *text, const struct ct_report *report)
{
	if (report->tables->is_from_memory)
		return;
	rules_judging(text, report);
	rules_lacking(text, report, "; ", " could not");
}

static void not_judged(struct text *rows, const struct ct_report *report)
{
	if (nr_lacking(report, NULL) == CT_NR_RULES - CT_RULE_NONE - 1)
		return;
	render_facts_begin(rows, "not judged");
	rules_lacking(rows, report, "", "");
	render_facts_end(rows);
}

/* That a wait lasts far longer than any there took is no finding by itself, but the reader may know better. */
static void longer_than_others(struct text *rows, const struct ct_waiting *waiting)
{
	/* What a look at memory finds ready has waited, and for how long is not known: no time is between both. */
	if (!waiting->longest_ns ||
		(uint64_t)(waiting->until - waiting->since) / CT_TIMES_UNUSUAL <=
			waiting->longest_ns)
		return;
	text_add(rows, "; the ");
	say_count(rows, waiting->nr_ended, "wait there that has ended took ",
		"waits there that have ended took at most ");
	text_duration(rows, (int64_t)waiting->longest_ns);
}

static void longer_than_before(struct text *rows, const struct ct_waiting *waiting)
{
	if (!waiting->is_unusual || waiting->nr_ended)
		return;
	text_add(rows, "; no wait there has ended, and its earlier waits took ");
	text_duration(rows, waiting->mean_before_ns);
	text_add(rows, " on average");
}

static void one_place(
	struct text *rows, const struct ct_report *report, const struct ct_waiting *waiting)
{
	render_facts_begin(rows, "where");
	text_count(rows, waiting->nr_coros);
	text_add(rows, " at ");
	say_place(rows, report->tables, waiting->site);
	text_format(rows,
		waiting->nr_coros == 1 ? "; coroutine %" PRIu64 ", since "
				       : "; longest: coroutine %" PRIu64 ", since ",
		waiting->coro);
	say_time(rows, waiting->since);
	longer_than_others(rows, waiting);
	longer_than_before(rows, waiting);
	if (waiting->frame_bytes) {
		text_add(rows, "; frames of ");
		say_count(rows, waiting->frame_bytes, "byte", "bytes");
	}
	render_facts_end(rows);
}

/* Names places up to `MAX_PLACES` in all. Returns how many coroutines wait at those that are left. */
static uint64_t places_that(
	struct text *rows, const struct ct_report *report, bool are_unusual, unsigned *nr_named)
{
	uint64_t nr_left = 0;
	uint32_t i;

	for (i = 0; i < report->nr_waiting; i++) {
		if (report->waiting[i].is_unusual != are_unusual)
			continue;
		if (*nr_named < MAX_PLACES) {
			one_place(rows, report, &report->waiting[i]);
			++*nr_named;
		} else {
			nr_left += report->waiting[i].nr_coros;
		}
	}
	return nr_left;
}

/* The places with an unusual wait, and then those at which most coroutines wait; JSON has all places. */
static void waiting_places(struct text *rows, const struct ct_report *report)
{
	unsigned nr_named = 0;
	uint64_t nr_elsewhere = places_that(rows, report, true, &nr_named);

	nr_elsewhere += places_that(rows, report, false, &nr_named);
	if (!nr_elsewhere)
		return;
	render_facts_begin(rows, "where");
	text_count(rows, nr_elsewhere);
	text_add(rows, " more at ");
	say_count(rows, report->nr_waiting - nr_named, "other place", "other places");
	render_facts_end(rows);
}

/* The number of coroutines that still waited when their program ended by itself. */
static uint64_t nr_left_waiting(const struct ct_report *report)
{
	const struct ct_tables *tables = report->tables;
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < report->nr_waiting; i++) {
		const struct ct_waiting *waiting = &report->waiting[i];

		if (waiting->process < tables->nr_processes &&
			tables->processes[waiting->process].ending == CT_ENDING_EXITED)
			count += waiting->nr_coros;
	}
	return count;
}

static void may_be_woken(struct text *rows, uint64_t nr_waiting, uint64_t nr_left)
{
	if (nr_left < nr_waiting)
		text_format(rows, "as far as the trace shows, %s may still be woken%s",
			nr_waiting == 1 ? "it" : "they", nr_left ? "; " : "");
	if (nr_left == 0)
		return;
	if (nr_left < nr_waiting)
		text_format(rows, "of %" PRIu64 " the program ended", nr_left);
	else
		text_format(rows, "the program ended with %s", nr_left == 1 ? "it" : "them");
	text_add(rows, ", and a wait may be meant to last that long: it is judged only if what it "
		       "waits for had been given, or was closed, or if most that were started "
		       "with it have ended");
}

/* A look into a program's memory is to say who waits where, whatever else was found. */
static void waiting_in_memory(struct text *rows, const struct ct_report *report)
{
	if (!report->nr_findings) {
		render_facts_begin(rows, "not judged");
		text_add(rows,
			"most rules take a history, and there is none: a program with a probe "
			"records who should have woken whom");
		render_facts_end(rows);
	}
	waiting_places(rows, report);
}

/* The number of waiting coroutines that kept no waker, as the advice says. */
static uint64_t nr_without_waker(const struct ct_report *report)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < report->nr_advice; i++)
		if (report->advice[i].lack == CT_LACK_WAKER)
			count += report->advice[i].nr_coros;
	return count;
}

/* A crash that no other finding explains: who waited then is all that there is to look at. */
static bool is_only_crash(const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->nr_findings; i++)
		if (report->findings[i].rule != CT_RULE_CRASH)
			return false;
	return report->nr_findings > 0;
}

/* The waits that are listed: if none is left at the end, those of the moment that was judged. */
static uint64_t nr_listed(const struct ct_report *report)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < report->nr_waiting; i++)
		count += report->waiting[i].nr_coros;
	return count;
}

/*
 * Coroutines at allowed places were not judged; coroutines whose events were left out could not be judged. A signal
 * may have cancelled all that waited.
 */
static void still_waiting(struct text *rows, const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;
	uint64_t nr_waiting = quality->nr_by_state[CT_STATE_WAITING] - quality->nr_yielding;
	bool has_ended_since = nr_waiting == 0;

	if (has_ended_since)
		nr_waiting = nr_listed(report);
	if (nr_waiting == 0)
		return;
	render_facts_begin(rows, has_ended_since ? "waited" : "still waiting");
	if (has_ended_since) {
		say_count(rows, nr_waiting, "coroutine", "coroutines");
		text_add(rows, ", before the program ended; ");
	} else {
		say_count(rows, nr_waiting, "coroutine waits", "coroutines wait");
		text_add(rows, " at the end; ");
	}
	if (quality->nr_allowed)
		text_add(rows, "those at allowed places are not judged");
	else if (quality->nr_left_out)
		text_add(rows, "the events that were left out may show why");
	else if (has_ended_since || is_only_crash(report))
		text_format(rows, "no finding is about %s", nr_waiting == 1 ? "it" : "them");
	else
		may_be_woken(rows, nr_waiting, nr_left_waiting(report));
	if (nr_without_waker(report))
		text_format(rows, ", except %" PRIu64 ", which kept no waker",
			nr_without_waker(report));
	render_facts_end(rows);
	waiting_places(rows, report);
}

static bool has_loss(const struct ct_report *report, enum ctp_loss reason)
{
	uint32_t i;

	for (i = 0; i < report->quality.nr_losses; i++)
		if (report->quality.losses[i].reason == reason)
			return true;
	return false;
}

/*
 * A program that hangs does nothing while it is recorded: that nothing was found then means little. Where a process
 * was examined, whose memory may show more, the row about it says so.
 */
static void not_recorded(struct text *rows, const struct ct_report *report)
{
	if (!has_loss(report, CTP_LOSS_BEFORE) || report->live.pid)
		return;
	render_facts_begin(rows, "not recorded");
	text_add(rows,
		"coroutines that have done nothing since recording began: they are not listed, and "
		"who was to wake them is not known. 'corotracer run -- COMMAND' records everything "
		"from the start, and with COROTRACER_FLIGHT=,64M in its environment a program "
		"keeps it for 'corotracer report PID'");
	render_facts_end(rows);
}

static void no_finding(struct text *rows, const struct ct_report *report)
{
	render_facts_begin(rows, "verdict");
	render_facts_sum(rows, report);
	text_add(rows, "; ");
	rules_judging(rows, report);
	render_facts_end(rows);
	if (report->tables->is_from_memory)
		return;
	not_recorded(rows, report);
	not_judged(rows, report);
	still_waiting(rows, report);
}

static bool has_attached(const struct ct_tables *tables, bool is_ledger)
{
	uint32_t i;

	for (i = 1; i < tables->nr_processes; i++) {
		if (is_ledger ? tables->processes[i].has_ledger : tables->processes[i].has_probe)
			return true;
	}
	return false;
}

static void advise(struct text *rows, const char *label, const char *advice)
{
	render_facts_begin(rows, label);
	text_add(rows, advice);
	render_facts_end(rows);
}

static const struct ct_attaching *attaching_of(const struct ct_tables *tables)
{
	uint32_t process = attaching_find_process(tables);

	return ct_attaching(process ? tables->processes[process].program : NULL);
}

static void advise_to_link(struct text *rows, const struct ct_attaching *attaching)
{
	render_facts_begin(rows, "is it linked");
	if (*attaching->language)
		text_format(rows,
			"does the program create its coroutines after %s, which records no "
			"earlier ones?",
			attaching->calls);
	else
		text_add(rows, "does the program record its coroutines: in C++ by a promise type "
			       "that inherits "
			       "from corotracer::PromiseMixin, or is wrapped in "
			       "corotracer::traced, in C by calls "
			       "such as ctp_create, in Rust by traced() around a future?");
	render_facts_end(rows);
}

/* The reason why a program with a probe recorded no coroutine depends on how it was recorded. */
static void silent_probe(struct text *rows, const struct ct_report *report)
{
	if (has_loss(report, CTP_LOSS_PAUSED))
		advise(rows, "was it started",
			"recording was stopped for a time, as asked: did the moment come that "
			"recording waited for (--start-after, --wait-for-start and ctp_start)?");
	else if (has_loss(report, CTP_LOSS_BEFORE))
		advise(rows, "is it idle",
			"recording began while the program ran: did any coroutine do something "
			"since then? A coroutine that only waits records nothing");
	else if (report->quality.nr_left_out)
		advise(rows, "was it wanted",
			"events were left out as asked: are all coroutines among them (--sample, "
			"--leave-out-site, --leave-out-name, --leave-out-task)?");
	advise_to_link(rows, attaching_of(report->tables));
}

/* Without a heartbeat after them, the last events are not known to be complete. */
static bool is_cut_at_once(const struct ct_report *report)
{
	const struct ct_quality *quality = &report->quality;

	return say_lacks_its_end(report->tables) && quality->nr_events &&
	       quality->observed_until <= quality->observed_from;
}

const char *render_facts_unseen(const struct ct_report *report)
{
	if (report->quality.nr_coros)
		return NULL;
	if (report->tables->is_from_memory)
		return "no coroutine is alive in the program's memory: what its threads are in "
		       "stands above";
	if (is_cut_at_once(report))
		return "the trace was cut before its first heartbeat, and nothing in it can be "
		       "judged";
	if (report->tables->nr_processes <= 1)
		return "no coroutine was seen: the trace has no program";
	if (has_attached(report->tables, false))
		return "the probe attached, and no coroutine was seen";
	if (report->tables->nr_sights)
		return "no coroutine was recorded, because no probe attached; what a look into "
		       "memory saw stands beside the findings";
	return "no coroutine was seen, because no probe attached";
}

/* No coroutine was recorded: lists the likely reasons, the likeliest first. */
static void reasons(struct text *rows, const struct ct_report *report)
{
	if (is_cut_at_once(report)) {
		advise(rows, "is it whole",
			"a recording has a heartbeat every 200 ms; 'corotracer dump' shows the "
			"events before the first one");
		return;
	}
	if (report->tables->nr_processes <= 1) {
		advise(rows, "is it whole",
			"a recording that was cut short at once holds nothing else; record it "
			"again");
	} else if (has_attached(report->tables, false)) {
		silent_probe(rows, report);
	} else {
		render_facts_begin(rows, "is it attached");
		text_add(rows, attaching_of(report->tables)->question);
		text_add(rows, " Does it keep the environment that 'corotracer run' gives it?");
		render_facts_end(rows);
	}
	if (has_attached(report->tables, true) && report->quality.nr_events) {
		render_facts_begin(rows, "all the same");
		text_add(rows, "the descriptor ledger saw ");
		say_count(rows, report->quality.nr_events, "event", "events");
		text_add(rows, "; 'corotracer dump' shows them");
		render_facts_end(rows);
	}
}

static void no_coroutine(struct text *rows, const struct ct_report *report)
{
	advise(rows, "verdict", render_facts_unseen(report));
	reasons(rows, report);
}

void render_facts_why_unseen(struct text *text, const struct ct_report *report)
{
	struct text rows = {0};
	const char *first;

	if (report->quality.nr_coros)
		return;
	reasons(&rows, report);
	first = strchr(text_peek(&rows), '\t');
	if (first)
		text_format(text, "%.*s", (int)strcspn(first + 1, "\n"), first + 1);
	text->is_broken |= rows.is_broken;
	text_fini(&rows);
}

static void integration(struct text *rows, const struct ct_report *report)
{
	uint32_t i;

	for (i = 0; i < report->nr_advice && i < FACTS_MAX_LIST; i++)
		render_facts_safe(rows,
			report->advice[i].lack == CT_LACK_WAKER ? "no waker" : "to judge it",
			report->advice[i].text);
}

static void tell_sum(struct text *rows, const struct ct_report *report)
{
	render_facts_begin(rows, "verdict");
	render_facts_sum(rows, report);
	render_facts_end(rows);
}

void render_facts_verdict(struct text *rows, const struct ct_report *report)
{
	if (report->nr_findings)
		tell_sum(rows, report);
	if (is_only_crash(report) && !report->tables->is_from_memory)
		still_waiting(rows, report);
	else if (!report->nr_findings && report->quality.nr_coros)
		no_finding(rows, report);
	/* Both are printed: a crash is also found in a program without coroutines. */
	if (report->quality.nr_coros == 0)
		no_coroutine(rows, report);
	if (report->tables->is_from_memory)
		waiting_in_memory(rows, report);
	else
		integration(rows, report);
}
