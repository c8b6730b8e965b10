/* SPDX-License-Identifier: MIT */
/*
 * The detectors' findings, compared with the truth, rule by rule over many programs.
 */
#ifndef ORACLE_TALLY_H
#define ORACLE_TALLY_H

#include <stdio.h>

#include "corotracer/report.h"
#include "world.h"

struct tally_line {
	uint32_t planted; /* faults that happened */
	/* of these: with a finding of this rule, of any grade, about one of its coroutines */
	uint32_t found;
	uint32_t planted_whole; /* of these: in traces without losses, */
	uint32_t found_whole;
	uint32_t claims[4]; /* by grade: coroutines named in findings */
	uint32_t wrong[4];  /* of these: those of which the finding is not true */
};

struct tally {
	uint32_t nr_runs;
	uint64_t nr_events;
	uint32_t nr_healthy; /* programs without a fault */
	uint32_t nr_alarmed; /* of these: those with a false claim above Suspect */
	struct tally_line lines[CT_NR_RULES];
};

/*
 * tally_add: adds one program that has gone on after the observation, and the report of its trace. Returns how many
 * false claims were called proven.
 */
uint32_t tally_add(struct tally *tally, const struct world *world, const struct ct_report *report);

/* tally_explain: prints each false claim. */
void tally_explain(const struct world *world, const struct ct_report *report, FILE *out);

void tally_print(const struct tally *tally, FILE *out);
void tally_print_json(const struct tally *tally, uint64_t seed, FILE *out);

#endif
