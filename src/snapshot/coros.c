/* SPDX-License-Identifier: MIT */
/*
 * Coroutines, found by segment and id, each with a chain of facts.
 */
#include "snapshot/known.h"

/* ---------------------------------------------------------------- pages */

uint32_t snapshot_page_find(struct snapshot *snapshot, uint64_t key)
{
	uint32_t page = 0;

	if (map_get(&snapshot->page_at, key, &page))
		snapshot->recent[key % SNAPSHOT_RECENT] = page;
	return page;
}

static uint32_t take_page(struct snapshot *snapshot)
{
	uint32_t page = snapshot->free_page;

	if (page) {
		snapshot->free_page = snapshot->pages.at[page].coro[0];
		return page;
	}
	if (!snapshot_has_room(snapshot, sizeof(*snapshot->pages.at)) ||
		!vec_push(&snapshot->pages, (struct snapshot_page){.key = SNAPSHOT_NO_PAGE}))
		return 0;
	return (uint32_t)(snapshot->pages.count - 1);
}

static void give_page(struct snapshot *snapshot, uint32_t page)
{
	snapshot->pages.at[page] =
		(struct snapshot_page){.key = SNAPSHOT_NO_PAGE, .coro = {snapshot->free_page}};
	snapshot->free_page = page;
}

/* Returns the page with this key; makes it if necessary. */
static uint32_t get_page(struct snapshot *snapshot, uint64_t key)
{
	uint32_t page = snapshot_page_find(snapshot, key);

	if (page)
		return page;
	page = take_page(snapshot);
	if (!page)
		return 0;
	if (!snapshot_has_room(snapshot, snapshot_put_bytes(&snapshot->page_at)) ||
		!map_put(&snapshot->page_at, key, page)) {
		give_page(snapshot, page);
		return 0;
	}
	snapshot->pages.at[page] = (struct snapshot_page){.key = key};
	return page;
}

static bool is_empty(const struct snapshot_page *page)
{
	uint32_t all = 0;
	size_t i;

	for (i = 0; i < SNAPSHOT_PAGE; i++)
		all |= page->coro[i];
	return all == 0;
}

static void leave_page(struct snapshot *snapshot, uint64_t coro_key)
{
	uint64_t key = coro_key / SNAPSHOT_PAGE;
	uint32_t page = snapshot_page_find(snapshot, key);

	snapshot->pages.at[page].coro[coro_key % SNAPSHOT_PAGE] = 0;
	if (!is_empty(&snapshot->pages.at[page]))
		return;
	map_remove(&snapshot->page_at, key);
	give_page(snapshot, page);
}

/* ---------------------------------------------------------------- coroutines */

static uint32_t take_place(struct snapshot *snapshot)
{
	uint32_t coro = snapshot->free_coro;

	if (coro) {
		snapshot->free_coro = snapshot->coros.at[coro].facts;
		return coro;
	}
	if (snapshot->coros.count > snapshot->max_coros ||
		!snapshot_has_room(
			snapshot, sizeof(*snapshot->coros.at) + sizeof(*snapshot->births.at)) ||
		!vec_reserve(&snapshot->coros, snapshot->coros.count + 1) ||
		!vec_push(&snapshot->births, (struct snapshot_birth){0}))
		return 0;
	return (uint32_t)snapshot->coros.count++;
}

static void give_place(struct snapshot *snapshot, uint32_t coro)
{
	snapshot->coros.at[coro] = (struct snapshot_coro){.facts = snapshot->free_coro};
	snapshot->free_coro = coro;
}

uint32_t snapshot_coro_make(struct snapshot *snapshot, uint32_t segment, uint64_t id)
{
	uint64_t key = snapshot_key(segment, id);
	uint32_t coro, page;

	if (id >> SNAPSHOT_ID_BITS || segment >= SNAPSHOT_SEGMENTS)
		return 0;
	coro = take_place(snapshot);
	if (!coro)
		return 0;
	page = get_page(snapshot, key / SNAPSHOT_PAGE);
	if (!page) {
		give_place(snapshot, coro);
		return 0;
	}
	snapshot->pages.at[page].coro[key % SNAPSHOT_PAGE] = coro;
	snapshot->coros.at[coro] = (struct snapshot_coro){.key = key};
	snapshot->births.at[coro].frame_after = SNAPSHOT_NO_FRAME;
	snapshot->nr_coros++;
	snapshot->nr_live++;
	if (snapshot->nr_live > snapshot->most_live)
		snapshot->most_live = snapshot->nr_live;
	return coro;
}

void snapshot_coro_forget(struct snapshot *snapshot, uint32_t index)
{
	struct snapshot_coro *coro = &snapshot->coros.at[index];
	uint32_t fact = coro->facts, next;

	for (; fact; fact = next) {
		next = snapshot->facts.at[fact].next;
		snapshot_fact_free(snapshot, fact);
	}
	snapshot_fact_free(snapshot, coro->wake);
	snapshot_fact_free(snapshot, coro->queue);
	leave_page(snapshot, coro->key);
	give_place(snapshot, index);
	snapshot->nr_coros--;
}

/* ---------------------------------------------------------------- looking ahead */

/*
 * Returns the coroutine that a record is most likely about. The kind of the next record cannot be predicted, so there
 * is no branch.
 */
static inline uint64_t likely_id(const struct ctp_record *record)
{
	uint64_t kind = SNAPSHOT_KIND(CTP_TAIL_KIND(record->tail) % 64);
	uint64_t object = CTP_HANDLE_IDENTITY(record->object);

	return kind & (SNAPSHOT_KIND(CTP_KIND_WAKE) | SNAPSHOT_KIND(CTP_KIND_SWITCH))
		       ? object
		       : record->coro;
}

/*
 * Prefetches the pages of these coroutines first: if there are very many coroutines, their pages, too, lie far from the
 * processor.
 */
static void look_far_ahead(
	struct snapshot *snapshot, uint32_t segment, const struct ctp_record *records, size_t count)
{
	uint64_t keys[SNAPSHOT_ROW];
	size_t i;

	for (i = 0; i < count; i++) {
		keys[i] = snapshot_key(segment, likely_id(&records[i])) / SNAPSHOT_PAGE;
		map_prefetch(&snapshot->page_at, keys[i]);
	}
	for (i = 0; i < count; i++)
		__builtin_prefetch(&snapshot->pages.at[snapshot_page_find(snapshot, keys[i])].coro);
}

void snapshot_look_ahead(struct snapshot *snapshot, uint32_t segment,
	const struct ctp_record *records, size_t count, uint32_t *ret_coros)
{
	size_t i;

	if (snapshot->pages.count > SNAPSHOT_FAR)
		look_far_ahead(snapshot, segment, records, count);
	for (i = 0; i < count; i++) {
		ret_coros[i] = snapshot_coro_find(snapshot, segment, likely_id(&records[i]));
		__builtin_prefetch(&snapshot->coros.at[ret_coros[i]], 1);
	}
}

/* ---------------------------------------------------------------- chains */

static bool may_be_several(unsigned holds)
{
	return holds & ~(unsigned)SNAPSHOT_HOLDS_OTHER;
}

bool snapshot_coro_add(
	struct snapshot *snapshot, uint32_t index, uint32_t origin, const struct ctp_record *record)
{
	struct snapshot_coro *coro = &snapshot->coros.at[index];
	unsigned kind = CTP_TAIL_KIND(record->tail);
	unsigned holds = kind < 64 ? snapshot_holds(SNAPSHOT_KIND(kind)) : SNAPSHOT_HOLDS_OTHER;
	uint32_t fact;

	if (coro->nr_facts >= SNAPSHOT_CHAIN)
		return false;
	fact = snapshot_fact_new(snapshot, origin, record);
	if (!fact)
		return false;
	snapshot->facts.at[fact].next = coro->facts;
	coro->facts = fact;
	coro->nr_facts++;
	if (may_be_several(coro->holds & holds))
		holds |= SNAPSHOT_HOLDS_SEVERAL;
	coro->holds |= holds & SNAPSHOT_HOLDS_ALL;
	snapshot_fact_remember(snapshot, origin, fact);
	return true;
}

void snapshot_coro_unlink(struct snapshot *snapshot, uint32_t coro, uint32_t *link)
{
	uint32_t fact = *link;

	*link = snapshot->facts.at[fact].next;
	snapshot_fact_free(snapshot, fact);
	snapshot->coros.at[coro].nr_facts--;
}

static bool is_of(const struct snapshot_fact *fact, uint64_t kinds, uint64_t object, uint64_t until)
{
	return kinds >> (snapshot_kind(fact) & 63) & 1 &&
	       (!object || fact->record.object == object) && fact->record.time <= until;
}

/*
 * All kinds in a chain are below 64. A fact to be dropped was mostly added recently, and stands in front: if there is
 * at most one fact of each kind, the search ends after the last one that is wanted.
 */
void snapshot_coro_drop_any(
	struct snapshot *snapshot, uint32_t index, uint64_t kinds, uint64_t object, uint64_t until)
{
	struct snapshot_coro *coro = &snapshot->coros.at[index];
	unsigned asked = snapshot_holds(kinds), nr_wanted = SNAPSHOT_CHAIN + 1;
	uint32_t *link = &coro->facts;
	uint64_t left = 0, twice = 0;

	if (!((coro->holds & SNAPSHOT_HOLDS_SEVERAL) | (asked & SNAPSHOT_HOLDS_OTHER)))
		nr_wanted = (unsigned)__builtin_popcount(coro->holds & asked);
	while (*link && nr_wanted) {
		struct snapshot_fact *fact = &snapshot->facts.at[*link];

		if (is_of(fact, kinds, object, until)) {
			snapshot_coro_unlink(snapshot, index, link);
			nr_wanted--;
			continue;
		}
		twice |= left & SNAPSHOT_KIND(snapshot_kind(fact));
		left |= SNAPSHOT_KIND(snapshot_kind(fact));
		link = &fact->next;
	}
	if (nr_wanted)
		coro->holds = snapshot_holds(left) |
			      (may_be_several(snapshot_holds(twice)) ? SNAPSHOT_HOLDS_SEVERAL : 0);
	else
		coro->holds &= ~asked & SNAPSHOT_HOLDS_ALL;
}

uint32_t snapshot_coro_pair(const struct snapshot *snapshot, uint32_t coro, unsigned begin,
	unsigned end, uint64_t object)
{
	uint32_t fact = snapshot->coros.at[coro].facts;

	for (; fact; fact = snapshot->facts.at[fact].next) {
		const struct snapshot_fact *known = &snapshot->facts.at[fact];
		unsigned kind = snapshot_kind(known);

		if ((kind == begin || kind == end) && known->record.object == object)
			return fact;
	}
	return 0;
}

bool snapshot_coro_has(
	const struct snapshot *snapshot, const struct snapshot_coro *coro, unsigned kind)
{
	uint32_t fact;

	for (fact = coro->facts; fact; fact = snapshot->facts.at[fact].next)
		if (snapshot_kind(&snapshot->facts.at[fact]) == kind)
			return true;
	return false;
}

static bool makes_ready(const struct ctp_record *record)
{
	unsigned outcome = CTP_TAIL_ARGUMENT(record->tail);

	return CTP_TAIL_KIND(record->tail) == CTP_KIND_ENQUEUE || outcome == CTP_OUTCOME_QUEUED ||
	       outcome == CTP_OUTCOME_ALREADY_QUEUED || outcome == CTP_OUTCOME_RESUMED;
}

bool snapshot_coro_frame(
	const struct snapshot *snapshot, uint32_t index, struct ctp_record *ret_record)
{
	const struct snapshot_coro *coro = &snapshot->coros.at[index];
	const struct snapshot_birth *birth = &snapshot->births.at[index];

	if (birth->frame_after == SNAPSHOT_NO_FRAME)
		return false;
	*ret_record = (struct ctp_record){
		.time = birth->time + birth->frame_after,
		.coro = snapshot_id(coro),
		.object = birth->frame,
		.tail = CTP_TAIL(birth->frame_site, CTP_KIND_FRAME, 0, 0),
	};
	return true;
}

/* Finds the last frame that the coroutine is known to have had. */
static bool find_frame(const struct snapshot *snapshot, uint32_t index, uint64_t *ret_frame)
{
	uint32_t fact = snapshot->coros.at[index].facts;
	struct ctp_record record;

	for (; fact; fact = snapshot->facts.at[fact].next) {
		if (snapshot_kind(&snapshot->facts.at[fact]) != CTP_KIND_FRAME)
			continue;
		*ret_frame = snapshot->facts.at[fact].record.object;
		return true;
	}
	if (!snapshot_coro_frame(snapshot, index, &record))
		return false;
	*ret_frame = record.object;
	return true;
}

/* Finds a wake by the address of the frame, which may have belonged to another coroutine before. */
static uint32_t wake_of_frame(const struct snapshot *snapshot, uint32_t index)
{
	const struct snapshot_coro *coro = &snapshot->coros.at[index];
	uint32_t segment = (uint32_t)(coro->key >> SNAPSHOT_ID_BITS), fact;
	uint64_t frame, handle;

	if (!find_frame(snapshot, index, &frame))
		return 0;
	handle = CTP_HANDLE(CTP_RESOURCE_FRAME, frame);
	fact = snapshot_fact_at(snapshot, snapshot_fact_key(segment, CTP_KIND_WAKE, handle));
	return snapshot->facts.at[fact].record.time >= coro->since ? fact : 0;
}

/*
 * The first wake counts, because later ones found the coroutine ready. A yielding coroutine is queued before it
 * suspends.
 */
bool snapshot_coro_woken(const struct snapshot *snapshot, uint32_t index, uint64_t *ret_time)
{
	const struct snapshot_coro *coro = &snapshot->coros.at[index];
	const uint32_t facts[] = {coro->wake, coro->queue, wake_of_frame(snapshot, index)};
	const struct ctp_record *record, *first = NULL;
	size_t i;

	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		record = &snapshot->facts.at[facts[i]].record;
		if (facts[i] && makes_ready(record) && (!first || record->time < first->time))
			first = record;
	}
	if (!first)
		return false;
	*ret_time = first->time > coro->since ? first->time : coro->since;
	return true;
}

/* The holder of a lock is kept, because readers ask for it after its end, too. */
static void leave_grave(struct snapshot *snapshot, uint32_t coro)
{
	if (!snapshot_coro_has(snapshot, &snapshot->coros.at[coro], CTP_KIND_ACQUIRE))
		snapshot_coro_forget(snapshot, coro);
}

bool snapshot_coro_bury(struct snapshot *snapshot, uint32_t coro)
{
	uint32_t *grave;

	if (!snapshot->graves)
		snapshot->graves = calloc(SNAPSHOT_GRAVES, sizeof(*snapshot->graves));
	if (!snapshot->graves)
		return false;
	grave = &snapshot->graves[snapshot->nr_graves++ % SNAPSHOT_GRAVES];
	if (*grave)
		leave_grave(snapshot, *grave);
	*grave = coro;
	snapshot->nr_live--;
	return true;
}
