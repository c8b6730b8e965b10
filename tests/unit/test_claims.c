/* SPDX-License-Identifier: MIT */
/*
 * Claims against events: each kind of claim holds if the events show it, and fails if one of them differs. A finding
 * whose rule claims something false is lowered, whatever the rule says.
 */
#include <string.h>

#include "analyze/proof.h"
#include "check.h"
#include "claim/checker.h"
#include "rules/rules.h"
#include "text_form.h"

#define HEAD                                                    \
	"trace from=0 until=2s reach=5us\n"                     \
	"process 1 pid=100 program=/bin/service probe ledger\n" \
	"thread 1 tid=101 name=worker-0\n"                      \
	"thread 2 tid=102 name=worker-1\n"                      \
	"site 1 kind=source file=/src/service.c line=10\n"

/* Events 0 to 4, then the events that differ, then both threads park. */
#define WAITS                               \
	"1ms t1 create c1 0x11010 @1\n"     \
	"1ms t1 resume c1\n"                \
	"2ms t1 acquire c1 lock:0x70 @1\n"  \
	"3ms t1 suspend c1 event:0x90 @1\n" \
	"4ms t2 wake c0 coroutine:2\n"
#define PARKS            \
	"20ms t1 park\n" \
	"20ms t2 park\n"

#define SUSPEND 3u

static bool does_hold(const char *text, struct claim claim)
{
	struct ct_source *source = open_text(text);
	struct claims claims = {0};
	bool holds;

	claim.process = 1;
	claim_add(&claims, &claim);
	CHECK_EQUAL(claim_check(source, &claims, NULL), CT_OK);
	holds = claims.list.at[0].holds;
	claim_fini(&claims);
	source_close(source);
	return holds;
}

static void test_told(void)
{
	struct claim claim = {.kind = CLAIM_TOLD,
		.after = SUSPEND,
		.kinds = CLAIM_KIND(SUSPEND),
		.subject = claim_coro(1)};

	CHECK(does_hold(HEAD WAITS PARKS, claim));
	claim.subject = claim_coro(2);
	CHECK(!does_hold(HEAD WAITS PARKS, claim));
	claim.subject = 0;
	claim.kinds = CLAIM_KIND(RESUME);
	CHECK(!does_hold(HEAD WAITS PARKS, claim));
	claim.kinds = CLAIM_KIND(SUSPEND);
	claim.after = 99;
	CHECK(!does_hold(HEAD WAITS PARKS, claim));
}

static void test_at_switch(void)
{
	struct claim claim = {.kind = CLAIM_AT_SWITCH, .after = 1};

	CHECK(does_hold(HEAD "1ms t1 create c1 0x11010 @1\n1ms t1 resume c1\n", claim));
	CHECK(!does_hold(HEAD "1ms t1 create c1 0x11010 @1\n1ms t1 resume c1 flags=1\n", claim));
}

/* Another coroutine's resume, and a wake without a target, do not matter; the coroutine's own events do. */
static void test_nothing(void)
{
	struct claim claim = {.kind = CLAIM_NOTHING,
		.subject = claim_coro(1),
		.frames = {0x11010},
		.kinds = CLAIM_RUNS | CLAIM_KIND(WAKE),
		.after = SUSPEND,
		.before = CLAIM_NO_EVENT};

	CHECK(does_hold(HEAD WAITS PARKS, claim));
	CHECK(does_hold(HEAD WAITS "5ms t2 resume c2\n" PARKS, claim));
	CHECK(does_hold(HEAD WAITS "5ms t2 wake c0 coroutine:1 outcome=no-target\n" PARKS, claim));
	CHECK(!does_hold(HEAD WAITS "5ms t2 wake c0 coroutine:1 outcome=queued\n" PARKS, claim));
	CHECK(!does_hold(HEAD WAITS "5ms t2 wake c0 frame:0x11010 outcome=queued\n" PARKS, claim));
	CHECK(!does_hold(HEAD WAITS "5ms t2 resume c1\n" PARKS, claim));
	CHECK(!does_hold(HEAD WAITS "5ms t2 switch c2 c1\n" PARKS, claim));
	CHECK(!does_hold(HEAD WAITS "5ms t2 destroy c1\n" PARKS, claim));
	/* An impossible time proves nothing. */
	CHECK(does_hold(HEAD WAITS "100000s t2 resume c1\n" PARKS, claim));
	/* Up to an event: later events do not matter, and the event must exist. */
	claim.before = 5;
	CHECK(does_hold(HEAD WAITS "5ms t2 park\n6ms t2 resume c1\n", claim));
	CHECK(!does_hold(HEAD WAITS, claim));
}

static void test_lock_kept(void)
{
	struct claim claim = {.kind = CLAIM_NOTHING,
		.subject = CTP_HANDLE(CTP_RESOURCE_LOCK, 0x70),
		.kinds = CLAIM_KIND(RELEASE) | CLAIM_KIND(HAND_OVER),
		.after = 2,
		.before = CLAIM_NO_EVENT};

	CHECK(does_hold(HEAD WAITS "5ms t2 release c1 lock:0x71 @1\n" PARKS, claim));
	CHECK(!does_hold(HEAD WAITS "5ms t2 release c1 lock:0x70 @1\n" PARKS, claim));
}

static void test_order(void)
{
	struct claim claim = {.kind = CLAIM_ORDER, .after = 0, .before = 1};

	CHECK(does_hold(HEAD "1ms t1 park\n1006us t2 park\n", claim));
	CHECK(!does_hold(HEAD "1ms t1 park\n1005us t2 park\n", claim));
	/* The clock of a single thread cannot disagree. */
	CHECK(does_hold(HEAD "1ms t1 park\n1000us t1 unpark\n", claim));
}

/* Runs of one coroutine on two threads. */
static void test_overlap(void)
{
	struct claim claim = {.kind = CLAIM_OVERLAP,
		.subject = claim_coro(1),
		.kinds = CLAIM_LEAVES,
		.after = 0,
		.before = 1};

	CHECK(does_hold(HEAD "1ms t1 resume c1\n2ms t2 resume c1\n", claim));
	CHECK(does_hold(HEAD "1ms t1 resume c1\n2ms t2 resume c1\n2006us t1 suspend c1\n", claim));
	CHECK(!does_hold(HEAD "1ms t1 resume c1\n2ms t2 resume c1\n2005us t1 suspend c1\n", claim));
	CHECK(!does_hold(
		HEAD "1ms t1 resume c1\n1001us t2 resume c1\n1005us t2 suspend c1\n", claim));
}

static void test_whole(void)
{
	struct claim claim = {.kind = CLAIM_WHOLE, .thread = 1, .from = 2000000, .until = 3000000};

	CHECK(does_hold(HEAD "1ms t1 park\n", claim));
	CHECK(!does_hold(HEAD "loss thread=1 count=3 first=2500us last=9ms\n1ms t1 park\n", claim));
	CHECK(does_hold(HEAD "loss thread=2 count=3 first=2500us last=9ms\n1ms t1 park\n", claim));
	CHECK(does_hold(HEAD "loss thread=1 count=3 first=4ms last=9ms\n1ms t1 park\n", claim));
	claim.thread = 0;
	CHECK(!does_hold(HEAD "loss thread=2 count=3 first=2500us last=9ms\n1ms t1 park\n", claim));
}

static void test_asleep(void)
{
	struct claim claim = {.kind = CLAIM_ASLEEP};

	CHECK(does_hold(HEAD WAITS PARKS, claim));
	CHECK(!does_hold(HEAD WAITS "20ms t1 park\n", claim));
	CHECK(!does_hold(HEAD WAITS PARKS "21ms t2 unpark\n", claim));
	CHECK(does_hold(HEAD WAITS "20ms t1 park\n20ms t2 thread-stop\n", claim));
}

/* The wait of the finding ends without a wake; another wait there shows that wakes are not recorded. */
static void test_wakes(void)
{
	static const char one[] = HEAD "1ms t1 suspend c1 event:0x90 @1\n2ms t1 resume c1\n";
	static const char two[] = HEAD "1ms t1 suspend c1 event:0x90 @1\n2ms t1 resume c1\n"
				       "3ms t1 suspend c2 event:0x90 @1\n4ms t1 resume c2\n";
	static const char woken[] = HEAD "1ms t1 suspend c1 event:0x90 @1\n2ms t1 resume c1\n"
					 "3ms t1 suspend c2 event:0x90 @1\n"
					 "4ms t2 wake c0 coroutine:2 outcome=queued\n"
					 "5ms t1 resume c2\n";
	struct claim claim = {.kind = CLAIM_WAKES, .site = 1};

	CHECK(does_hold(one, claim));
	CHECK(!does_hold(two, claim));
	CHECK(does_hold(woken, claim));
}

/* ---------------------------------------------------------------- a rule that is wrong */

static uint64_t claimed; /* the event that the rule claims to be a suspend */

static void find_one(struct analysis *analysis)
{
	struct candidate candidate = {.rule = CT_RULE_LOST_WAKEUP,
		.grade = CT_GRADE_PROVEN,
		.process = 1,
		.coro = model_find(analysis->model, 1, 1)};

	analyze_candidate_add(analysis, &candidate);
}

static void certify_one(
	struct analysis *analysis, const struct candidate *candidate, struct claims *claims)
{
	(void)analysis;
	(void)candidate;
	if (claimed != CLAIM_NO_EVENT)
		claim_told(claims, claimed, CLAIM_KIND(SUSPEND), 0);
}

static void describe_one(struct analysis *analysis, const struct group *group, struct story *story,
	struct ct_finding *finding)
{
	(void)analysis;
	(void)group;
	(void)story;
	finding->title = "it is so";
}

static const struct ct_finding *judge_one(uint64_t event, const struct ct_report **ret_report)
{
	static const struct rule rule = {
		.find = find_one, .certify = certify_one, .describe = describe_one};
	static const struct rule *const in_order[] = {&rule, NULL};
	static const struct rule *by_number[CT_NR_RULES];
	static const struct rules rules = {.in_order = in_order, .by_number = by_number};
	struct analyze_terms terms = {.rules = &rules};
	struct ct_source *source = open_text(HEAD WAITS PARKS);

	by_number[CT_RULE_LOST_WAKEUP] = &rule;
	claimed = event;
	CHECK_EQUAL(analyze_source(source, NULL, &terms, ret_report, NULL), CT_OK);
	CHECK_EQUAL((*ret_report)->nr_findings, 1);
	source_close(source);
	return &(*ret_report)->findings[0];
}

static void test_wrong_rule(void)
{
	const struct ct_report *report;
	const struct ct_finding *finding = judge_one(SUSPEND, &report);

	CHECK_EQUAL(finding->grade, CT_GRADE_PROVEN);
	CHECK_EQUAL(finding->nr_claims, 1);
	CHECK(finding->claims[0].holds);
	CHECK_TEXT(finding->claims[0].text, "event 3 is a suspend");
	analyze_report_free(report);

	finding = judge_one(1, &report);
	CHECK_EQUAL(finding->grade, CT_GRADE_LIKELY);
	CHECK(!finding->claims[0].holds);
	CHECK_EQUAL(finding->claims[0].against, 1);
	CHECK_EQUAL(finding->nr_lowered, 1);
	CHECK(strstr(finding->lowered[0], "is not in the trace as the rule has it"));
	analyze_report_free(report);

	/* A rule that names no events proves nothing. */
	finding = judge_one(CLAIM_NO_EVENT, &report);
	CHECK_EQUAL(finding->grade, CT_GRADE_LIKELY);
	CHECK_EQUAL(finding->nr_claims, 0);
	CHECK(strstr(finding->lowered[0], "names no events"));
	analyze_report_free(report);
}

int main(void)
{
	test_told();
	test_at_switch();
	test_nothing();
	test_lock_kept();
	test_order();
	test_overlap();
	test_whole();
	test_asleep();
	test_wakes();
	test_wrong_rule();
	return 0;
}
