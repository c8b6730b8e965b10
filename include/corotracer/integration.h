/* SPDX-License-Identifier: MIT */
/*
 * What a program tells of its coroutines, and what it does not: a part of a report (report.h).
 */
#ifndef COROTRACER_INTEGRATION_H
#define COROTRACER_INTEGRATION_H

#include <stdbool.h>
#include <stdint.h>

#pragma push_macro("X")
#undef X
enum ct_fact_name {
#define X(name, what, kinds, waited, calls, needed, more) CT_FACT_##name,
#include "corotracer/def/integration.def"
#undef X
	CT_NR_FACTS,
};
#pragma pop_macro("X")

/*
 * A fact that programs tell (def/integration.def). The fact is not needed where each wait tells what for, and none was
 * for the resources that the fact is about. Names of rules stand with a space between two.
 */
struct ct_fact {
	const char *what;   /* in words */
	uint64_t nr_events; /* that told it */
	bool is_needed;
	uint32_t waited; /* the resources, a bit of 1 << enum ctp_resource each; 0: needed always */
	const char *silent; /* the rules that find nothing without it; "": none */
	const char *less;   /* those that say less */
};

/* A place whose waits do not all tell what they are for. */
struct ct_unnamed {
	uint32_t site;     /* 0: not known */
	uint64_t nr_waits; /* those that do not */
};

#define CT_INTEGRATION_KINDS 64

/* What the program tells of its coroutines. */
struct ct_integration {
	uint64_t nr_waits;
	const struct ct_fact *facts; /* by enum ct_fact_name */
	uint32_t nr_facts;
	const struct ct_unnamed *unnamed; /* the most waits first */
	uint32_t nr_unnamed;
	uint64_t nr_by_kind[CT_INTEGRATION_KINDS]; /* events, by enum ctp_kind */
};

#endif
