/* SPDX-License-Identifier: MIT */
/*
 * Turns stacks and names of a Go trace into our sites and stacks, which outlive their generation.
 *
 * The site of a stack is its innermost call that belongs neither to Go's runtime nor to the packages between the
 * runtime and programs: the place where the program called the function that made it wait. The whole stack is kept with
 * the site.
 */
#ifndef GOTRACE_SITES_H
#define GOTRACE_SITES_H

#include "gotrace/gotrace.h"
#include "gotrace/texts.h"
#include "stream/lists.h"

/* The site and stack that a stack of the present generation became. */
struct gotrace_place {
	uint32_t row;  /* index in lists.stacks */
	uint32_t site; /* index in lists.sites: the place, without a reason */
	/* index in lists.sites: the outermost call; 0: the stack was cut before it */
	uint32_t function;
	/* Go's word for the reason of a wait there, if the stack shows it; else "" */
	const char *reason;
	/* enum ctp_resource: the kind of resource that the stack shows; else 0 */
	uint8_t resource;
	bool is_known;           /* false: the stack was not looked up yet */
	uint32_t text;           /* the reason that the last look-up combined with the place */
	uint32_t site_with_text; /* the site of that combination; 0: none was looked up yet */
};

struct gotrace_sites {
	struct lists *lists;        /* the caller's lists, to which rows are added */
	struct gotrace_texts texts; /* the texts that the sites refer to */
	struct map function_of;     /* (function, file) to a number */
	struct map frame_of;        /* (that number, line) to a site */
	struct map row_of;          /* (site, caller) to a stack */
	struct map site_of;         /* (stack, reason) to a site */
	uint32_t nr_functions;
	/* the generation that `places` belongs to: its offset in the file */
	uint64_t generation;
	VEC(struct gotrace_place) places; /* indexed by stack */
	VEC(uint32_t)
	text_of_name; /* Numbers of the reader's names, from 1; 0: not looked up yet. */
};

/* gotrace_sites_init: takes lists that were begun. False: out of memory. */
bool gotrace_sites_init(struct gotrace_sites *sites, struct lists *lists);
void gotrace_sites_fini(struct gotrace_sites *sites);

/* gotrace_sites_restart: prepares for another reader, whose generations and names are numbered from the start. */
void gotrace_sites_restart(struct gotrace_sites *sites);

/*
 * gotrace_sites_find: the site of a stack of the reader's generation, combined with one of the reader's names; either
 * may be 0. The site is 0 if both are. False: out of memory.
 */
bool gotrace_sites_find(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t name, uint32_t *ret_site);

/*
 * gotrace_sites_waiting: the site of a stack whose goroutine waits for a reason that Go did not record: the site has
 * the reason that the stack shows. False: out of memory.
 */
bool gotrace_sites_waiting(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t *ret_site, const char **ret_reason);

/*
 * gotrace_sites_resource: the kind of resource (enum ctp_resource) that a wait at this stack is for; 0: unknown. The
 * stack must have been looked up before.
 */
static inline unsigned gotrace_sites_resource(const struct gotrace_sites *sites, uint32_t stack)
{
	return stack ? sites->places.at[stack].resource : CTP_RESOURCE_NONE;
}

/*
 * gotrace_sites_function: the site of the outermost call of a stack of the reader's generation, where the goroutine
 * began; 0: the stack is 0, or Go cut the stack before that call. False: out of memory.
 */
bool gotrace_sites_function(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t *ret_site);

/* gotrace_sites_is_runtime: is the site the first function of a goroutine that the runtime started for itself? */
bool gotrace_sites_is_runtime(const struct gotrace_sites *sites, uint32_t site);

/* gotrace_sites_named: a site that has only a name. */
bool gotrace_sites_named(struct gotrace_sites *sites, const char *name, uint32_t *ret_site);

#endif
