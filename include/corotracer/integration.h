/* SPDX-License-Identifier: MIT */
/* Which facts about its coroutines a program records, and which it does not: a part of a report (report.h). */
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
 * A fact that programs can record (def/integration.def). The fact is not needed if each wait states what it is for, and
 * no wait was for one of the resources that the fact is about. Names of rules are separated by one space.
 */
struct ct_fact {
	const char *what;   /* in words */
	uint64_t nr_events; /* events that recorded the fact */
	bool is_needed;
	uint32_t waited; /* the resources, one bit 1 << enum ctp_resource each; 0: always needed */
	const char *silent; /* the rules that find nothing without the fact; "": none */
	const char *less;   /* the rules that can say less without it */
};

/* A place some of whose waits do not state what they are for. */
struct ct_unnamed {
	uint32_t site;     /* 0: not known */
	uint64_t nr_waits; /* waits that do not state it */
};

#define CT_INTEGRATION_KINDS 64

/* Which facts about its coroutines the program records. */
struct ct_integration {
	uint64_t nr_waits;
	const struct ct_fact *facts; /* by enum ct_fact_name */
	uint32_t nr_facts;
	const struct ct_unnamed *unnamed; /* the place with the most such waits first */
	uint32_t nr_unnamed;
	uint64_t nr_by_kind[CT_INTEGRATION_KINDS]; /* events, by enum ctp_kind */
	uint64_t nr_parked_runs; /* resumes on threads that had parked and not woken up */
};

#endif
