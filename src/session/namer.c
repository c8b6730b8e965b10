/* SPDX-License-Identifier: MIT */
/* A thread for each batch of sites. While the thread works, only it uses the batch; one flag says that it is done. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/failure.h"
#include "base/thread.h"
#include "session/caller.h"
#include "session/namer.h"
#include "stages/naming.h"
#include "base/vec.h"

#define PAUSE_MS 1000
#define LOOK_MS 50 /* interval for checking whether a batch is done */
#define NICE 10    /* lower priority than the traced program */

/* Sites, with everything that is needed to look them up. */
struct batch {
	struct arena arena;
	size_t first; /* index of the first one among the collector's sites */
	size_t count;
	struct collect_site *sites;
	struct symbol_place *places;
	struct ct_mapping *mappings;
	uint32_t nr_mappings;
	struct symbol_resolver *resolver; /* owns the texts of `places` */
	pthread_t thread;
	atomic_bool is_done;
};

struct namer {
	struct batch *batch; /* NULL: nothing is being looked up */
	size_t nr_taken;     /* of the collector's sites: those that have been in a batch */
	VEC(bool) is_named;  /* of these sites */
	uint64_t taken_ns;
};

struct namer *namer_new(uint64_t now_ns)
{
	struct namer *namer = calloc(1, sizeof(*namer));

	if (namer)
		namer->taken_ns = now_ns;
	return namer;
}

/* ---------------------------------------------------------------- one site */

static enum ct_status resolve(struct symbol_resolver *resolver, const struct ct_mapping *mappings,
	uint32_t nr_mappings, const struct collect_site *site, struct symbol_place *ret_place,
	struct ct_error *reterr)
{
	if (site->kind == CTP_SITE_CALLER && site->inside)
		return caller_resolve(resolver, mappings, nr_mappings, site, ret_place, reterr);
	return symbol_resolve(resolver, mappings, nr_mappings, site->process, site->address,
		site->kind, ret_place, reterr);
}

static enum ct_status define(struct ct_sink *sink, const struct collect_site *site,
	const struct symbol_place *place, struct ct_error *reterr)
{
	const struct ct_define_site definition = {
		.segment = site->segment,
		.id = site->id,
		.kind = site->kind,
		.reason = "",
		.address = site->address,
	};

	return naming_define_site(sink, &definition, place, reterr);
}

/* ---------------------------------------------------------------- the thread */

static void *look_up(void *argument)
{
	struct batch *batch = argument;
	enum ct_status status = CT_OK;
	size_t i;

	setpriority(PRIO_PROCESS, (id_t)gettid(), NICE);
	for (i = 0; i < batch->count && status == CT_OK; i++)
		status = resolve(batch->resolver, batch->mappings, batch->nr_mappings,
			&batch->sites[i], &batch->places[i], NULL);
	/* Sites that were not reached have no name yet. */
	atomic_store_explicit(&batch->is_done, true, memory_order_release);
	return NULL;
}

/* ---------------------------------------------------------------- batches */

static void free_batch(struct batch *batch)
{
	arena_fini(&batch->arena);
	symbol_free(batch->resolver);
	free(batch);
}

/* Copies the collector's sites, which belong to the collector and may move. */
static bool fill(struct batch *batch, const struct collect *collect, const struct ct_sink *sink,
	size_t first)
{
	size_t nr_sites;
	const struct collect_site *sites = collect_sites(collect, &nr_sites);

	batch->first = first;
	batch->count = nr_sites - first;
	batch->sites = arena_array(&batch->arena, batch->count, sizeof(*batch->sites));
	batch->places = arena_array(&batch->arena, batch->count, sizeof(*batch->places));
	batch->mappings = naming_copy_mappings(sink, &batch->arena, &batch->nr_mappings);
	batch->resolver = symbol_new();
	if (!batch->sites || !batch->places || !batch->mappings || !batch->resolver ||
		!naming_see_roots(sink, batch->resolver))
		return false;
	if (batch->count)
		memcpy(batch->sites, sites + first, batch->count * sizeof(*sites));
	return true;
}

static bool note_taken(struct namer *namer, size_t count)
{
	if (!vec_reserve(&namer->is_named, count))
		return false;
	while (namer->is_named.count < count)
		namer->is_named.at[namer->is_named.count++] = false;
	return true;
}

/* If a batch cannot be looked up now, its sites are looked up at the end. */
static void take_new(struct namer *namer, const struct collect *collect, const struct ct_sink *sink)
{
	struct batch *batch = calloc(1, sizeof(*batch));

	if (!batch)
		return;
	arena_init(&batch->arena);
	if (!fill(batch, collect, sink, namer->nr_taken) ||
		!note_taken(namer, namer->nr_taken + batch->count) ||
		thread_start(&batch->thread, look_up, batch)) {
		free_batch(batch);
		return;
	}
	namer->batch = batch;
	namer->nr_taken += batch->count;
}

static void define_found(struct namer *namer, struct ct_sink *sink)
{
	struct batch *batch = namer->batch;
	size_t i;

	pthread_join(batch->thread, NULL);
	for (i = 0; i < batch->count; i++) {
		if (batch->places[i].extent == SYMBOL_NOTHING)
			continue;
		namer->is_named.at[batch->first + i] =
			define(sink, &batch->sites[i], &batch->places[i], NULL) == CT_OK;
	}
	free_batch(batch);
	namer->batch = NULL;
}

void namer_look(
	struct namer *namer, const struct collect *collect, struct ct_sink *sink, uint64_t now_ns)
{
	size_t nr_sites;

	if (namer->batch) {
		if (!atomic_load_explicit(&namer->batch->is_done, memory_order_acquire))
			return;
		define_found(namer, sink);
	}
	if (now_ns - namer->taken_ns < PAUSE_MS * UINT64_C(1000000))
		return;
	collect_sites(collect, &nr_sites);
	if (nr_sites == namer->nr_taken)
		return;
	namer->taken_ns = now_ns;
	take_new(namer, collect, sink);
}

int namer_wait_ms(const struct namer *namer, const struct collect *collect, int wait_ms)
{
	int longest = namer->batch ? LOOK_MS : PAUSE_MS;
	size_t nr_sites;

	collect_sites(collect, &nr_sites);
	if (!namer->batch && nr_sites == namer->nr_taken)
		return wait_ms;
	return wait_ms < 0 || wait_ms > longest ? longest : wait_ms;
}

/* ---------------------------------------------------------------- the end of the recording */

static enum ct_status name_rest(
	struct namer *namer, const struct batch *all, struct ct_sink *sink, struct ct_error *reterr)
{
	struct symbol_place place;
	enum ct_status status = note_taken(namer, all->count) ? CT_OK : ct_fail_memory(reterr);
	size_t i;

	for (i = 0; i < all->count && status == CT_OK; i++) {
		if (namer->is_named.at[i])
			continue;
		status = resolve(all->resolver, all->mappings, all->nr_mappings, &all->sites[i],
			&place, reterr);
		if (status || place.extent == SYMBOL_NOTHING)
			continue;
		status = define(sink, &all->sites[i], &place, reterr);
		namer->is_named.at[i] = status == CT_OK;
	}
	return status;
}

enum ct_status namer_finish(struct namer *namer, const struct collect *collect,
	struct ct_sink *sink, struct ct_error *reterr)
{
	struct batch *all;
	enum ct_status status;

	if (namer->batch)
		define_found(namer, sink);
	all = calloc(1, sizeof(*all));
	if (!all)
		return ct_fail_memory(reterr);
	arena_init(&all->arena);
	status = fill(all, collect, sink, 0) ? name_rest(namer, all, sink, reterr)
					     : ct_fail_memory(reterr);
	free_batch(all);
	return status;
}

void namer_free(struct namer *namer)
{
	if (!namer)
		return;
	if (namer->batch) {
		pthread_join(namer->batch->thread, NULL);
		free_batch(namer->batch);
	}
	vec_fini(&namer->is_named);
	free(namer);
}
