/* SPDX-License-Identifier: MIT */
/*
 * Stacks and names of a Go trace as sites and stacks of ours, which outlive their generation.
 *
 * The site of a stack is the innermost call that is no part of Go's runtime, nor of what stands between it and
 * programs: where a program called what made it wait. The whole stack goes with it.
 */
#ifndef GOTRACE_SITES_H
#define GOTRACE_SITES_H

#include "gotrace/gotrace.h"
#include "gotrace/texts.h"
#include "stream/lists.h"

/* What a stack of the present generation became. */
struct gotrace_place {
	uint32_t row;       /* of lists.stacks */
	uint32_t site;      /* of lists.sites: the place, without a reason */
	uint32_t function;  /* of lists.sites: the outermost call; 0: the stack is cut before it */
	const char *reason; /* of a wait there, in Go's word, where the stack tells; else "" */
	uint8_t resource;   /* enum ctp_resource: what it is for, likewise; else 0 */
	bool is_known;      /* else it was not asked for yet */
	uint32_t text;      /* that it was told with last */
	uint32_t site_with_text; /* which that is; 0: it was told with none yet */
};

struct gotrace_sites {
	struct lists *lists;        /* the caller's, which grow */
	struct gotrace_texts texts; /* which the sites name */
	struct map function_of;     /* (function, file) to a number */
	struct map frame_of;        /* (that number, line) to a site */
	struct map row_of;          /* (site, caller) to a stack */
	struct map site_of;         /* (stack, reason) to a site */
	uint32_t nr_functions;
	uint64_t generation;              /* that the places are of: its offset in the file */
	VEC(struct gotrace_place) places; /* by index of the stack */
	VEC(uint32_t)
	text_of_name; /* numbers of the reader's names, from 1; 0: not asked for yet */
};

/* gotrace_sites_init: false: out of memory. The lists were begun. */
bool gotrace_sites_init(struct gotrace_sites *sites, struct lists *lists);
void gotrace_sites_fini(struct gotrace_sites *sites);

/* gotrace_sites_restart: another reader follows, whose generations and names begin anew. */
void gotrace_sites_restart(struct gotrace_sites *sites);

/*
 * gotrace_sites_find: the site of a stack of the reader's generation, told with a name of the reader's, which may be 0;
 * 0 where both are. False: out of memory.
 */
bool gotrace_sites_find(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t name, uint32_t *ret_site);

/*
 * gotrace_sites_waiting: the site of a stack of the reader's generation whose goroutine waits for what Go did
 * not tell with it: told with the one that the stack shows. False: out of memory.
 */
bool gotrace_sites_waiting(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t *ret_site, const char **ret_reason);

/* gotrace_sites_resource: what a wait at a stack that was found before is for (enum ctp_resource); 0: not told. */
static inline unsigned gotrace_sites_resource(const struct gotrace_sites *sites, uint32_t stack)
{
	return stack ? sites->places.at[stack].resource : CTP_RESOURCE_NONE;
}

/*
 * gotrace_sites_function: the site of the outermost call of a stack of the reader's generation, where the goroutine
 * began; 0: the stack is 0, or Go has cut it before that. False: out of memory.
 */
bool gotrace_sites_function(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t *ret_site);

/* gotrace_sites_is_runtime: is this the function of a goroutine that the runtime started for itself? */
bool gotrace_sites_is_runtime(const struct gotrace_sites *sites, uint32_t site);

/* gotrace_sites_named: a site that is only a name. */
bool gotrace_sites_named(struct gotrace_sites *sites, const char *name, uint32_t *ret_site);

#endif
