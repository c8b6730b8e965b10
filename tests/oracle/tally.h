/* SPDX-License-Identifier: MIT */
/*
 * What detectors found, against what was true, rule by rule over many programs.
 */
#ifndef ORACLE_TALLY_H
#define ORACLE_TALLY_H

#include <stdio.h>

#include "corotracer/report.h"
#include "world.h"

struct tally_line {
	uint32_t planted;       /* faults that came to pass */
	uint32_t found;         /* with a finding of this rule, in any grade, about one of theirs */
	uint32_t planted_whole; /* of these: in traces with nothing missing, */
	uint32_t found_whole;
	uint32_t claims[4]; /* by grade: coroutines that findings named */
	uint32_t wrong[4];  /* of these: of whom it is not true */
};

struct tally {
	uint32_t nr_runs;
	uint64_t nr_events;
	uint32_t nr_healthy; /* programs without a fault */
	uint32_t nr_alarmed; /* of these: with a claim above Suspect that is not true */
	struct tally_line lines[CT_NR_RULES];
};

/* tally_add: one program that has gone on, and the report of its trace. Returns how many were wrongly called proven. */
uint32_t tally_add(struct tally *tally, const struct world *world, const struct ct_report *report);

/* tally_explain: each claim that is not true. */
void tally_explain(const struct world *world, const struct ct_report *report, FILE *out);

void tally_print(const struct tally *tally, FILE *out);
void tally_print_json(const struct tally *tally, uint64_t seed, FILE *out);

#endif
