/* SPDX-License-Identifier: MIT */
/*
 * Odd ones, among all coroutines of a kind (odd_ones.h).
 */
#include <inttypes.h>

#include "analyze/kin_circle.h"
#include "analyze/odd_ones.h"
#include "analyze/parts.h"
#include "analyze/provenance.h"
#include "analyze/stillness.h"
#include "analyze/successors.h"
#include "analyze/wakers.h"

#define LEAST_DONE 2u

/* Those of one kind: how many are done and wait for the one that begins the next round, and how many are not. */
struct kind {
	uint32_t next; /* the one that begins the next round; 0: none yet */
	uint32_t site; /* where those that are done wait */
	uint32_t nr_done;
	uint32_t nr_odd;
};

/* False: one of the kind may go on by itself, or they wait for several coroutines, or at several places. */
static bool add(const struct analysis *analysis, struct kind *kind, uint32_t index)
{
	const struct model_coro *coro = coro_at(analysis, index);
	uint32_t next;

	if (!analyze_wakers_is_bound(analysis, coro) ||
		!analyze_stillness_lasts(analysis, coro->process, coro->suspended))
		return false;
	next = analyze_kin_circle_of(analysis, coro);
	if (!next) {
		kind->nr_odd++;
		return true;
	}
	if (kind->nr_done++ && (kind->next != next || kind->site != coro->wait_site))
		return false;
	kind->next = next;
	kind->site = coro->wait_site;
	return true;
}

/* The kind of this coroutine, which is an odd one of it; next is 0 if it is none. */
static struct kind kind_of(const struct analysis *analysis, uint32_t index)
{
	struct kind kind = {0};
	uint32_t i;

	for (i = 1; i < analysis->model->coros.count; i++)
		if (coro_at(analysis, i)->state < CT_STATE_DONE &&
			analyze_successors_are_kin(analysis, index, i) && !add(analysis, &kind, i))
			return (struct kind){0};
	return kind.nr_done >= LEAST_DONE && kind.nr_done > kind.nr_odd &&
			       kind.site != coro_at(analysis, index)->wait_site
		       ? kind
		       : (struct kind){0};
}

uint32_t analyze_odd_ones_before(const struct analysis *analysis, const struct group *group)
{
	const struct candidate *first = analyze_group_first(analysis, group);
	const struct model_coro *coro = coro_at(analysis, first->coro);
	const struct provenance_relay *relay;
	struct kind kind;

	if (first->rule != CT_RULE_LOST_WAKEUP || !first->is_bare || !first->coro ||
		coro->state != CT_STATE_WAITING || analyze_kin_circle_of(analysis, coro))
		return 0;
	kind = kind_of(analysis, first->coro);
	if (!kind.next)
		return 0;
	relay = analyze_provenance_relay(analysis, coro_at(analysis, kind.next));
	return relay && relay->last.time <= coro->suspended ? kind.next : 0;
}

const char *analyze_odd_ones_words(struct analysis *analysis, const struct group *group)
{
	struct kind kind;
	uint64_t id = coro_at(analysis, group->lacked_by)->id;

	if (!group->lacked_by)
		return "";
	kind = kind_of(analysis, analyze_group_first(analysis, group)->coro);
	return analyze_say(analysis,
		"; coroutine %" PRIu64 " may wait for %s: %" PRIu32 " others of %s kind, at %s, "
		"wait for coroutine %" PRIu64,
		id, group->count == 1 ? "it" : "them", kind.nr_done,
		group->count == 1 ? "its" : "their", analyze_words_place(analysis, kind.site), id);
}
