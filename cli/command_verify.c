/* SPDX-License-Identifier: MIT */
/*
 * corotracer verify: prints the claims on which each proof rests, and whether the events confirm them.
 */
#include <inttypes.h>
#include <stdio.h>

#include "command.h"
#include "corotracer/ct.h"
#include "judge.h"
#include "say.h"

#define EXIT_LOWERED 1

static void print_claim(const struct ct_claim *claim)
{
	printf("  %-6s ", claim->holds ? "holds" : "FAILS");
	print_safe(stdout, claim->text);
	if (!claim->holds && claim->against != UINT64_MAX)
		printf(": event %" PRIu64 " speaks against it", claim->against);
	putchar('\n');
}

/* False: a claim does not hold. */
static bool print_finding(const struct ct_finding *finding)
{
	bool do_hold = true;
	uint32_t i;

	printf("%s  %s: ", ct_grade_name(finding->grade), ct_rule_name(finding->rule));
	print_safe(stdout, finding->title);
	putchar('\n');
	for (i = 0; i < finding->nr_claims; i++) {
		print_claim(&finding->claims[i]);
		do_hold &= finding->claims[i].holds;
	}
	putchar('\n');
	return do_hold;
}

static void print_sum(uint32_t nr_proven, uint32_t nr_lowered)
{
	if (!nr_proven && !nr_lowered) {
		puts("no rule calls anything in this trace Proven");
		return;
	}
	printf("%s", said_count(nr_proven, "finding is Proven", "findings are Proven").text);
	printf(", each by claims that hold; %s\n",
		nr_lowered ? said_count(nr_lowered, "was lowered, since a claim does not hold",
				     "were lowered, since a claim does not hold")
				     .text
			   : "none was lowered");
}

static int print_all(const struct ct_report *report)
{
	uint32_t nr_proven = 0, nr_lowered = 0, i;
	int exit_status;

	for (i = 0; i < report->nr_findings; i++) {
		if (!report->findings[i].nr_claims)
			continue;
		if (print_finding(&report->findings[i]))
			nr_proven++;
		else
			nr_lowered++;
	}
	print_sum(nr_proven, nr_lowered);
	exit_status = flush_output();
	return exit_status || !nr_lowered ? exit_status : EXIT_LOWERED;
}

int command_verify(const struct arguments *arguments)
{
	struct subject subject = {
		.operand = arguments->operands[0],
		.no_symbols = arguments->value[OPTION_VERIFY_NO_SYMBOLS] != NULL,
		.duration = OPTION_NONE,
	};
	struct ct_analyze_options options = {.size = sizeof(options)};
	struct judgement judgement;
	int exit_status = judgement_read(arguments, &subject, &options, &judgement);

	if (exit_status)
		return exit_status;
	judgement_tell_without_room(judgement.report);
	exit_status = print_all(judgement.report);
	judgement_fini(&judgement);
	return exit_status;
}
