/* SPDX-License-Identifier: MIT */
/* Follows memory from what can run to what wakes coroutines (follow.h). */
#include <stdlib.h>
#include <string.h>

#include "frames/blocks.h"
#include "frames/follow.h"
#include "frames/shared.h"

#define WORD sizeof(uint64_t)
#define NONE UINT32_MAX
#define ENTRY_WORDS 4u
#define NESTED_MAX 8u
#define OBJECT_WORDS 4u
#define DEQUE_WORDS 7u
#define DEQUE_ITEMS 64u
#define COLLECTOR_FLAGS UINT64_C(3)
#define LOWEST 0x10000u /* of all addresses of a program */

/* Memory of a coroutine that waits. */
struct own {
	uint64_t start;
	uint64_t end;
	uint32_t coroutine; /* NONE: no one's, and not in use */
	uint32_t next;      /* of the same coroutine */
};

/* Memory that is still to be followed. */
struct stretch {
	uint64_t start;
	uint64_t end;
	bool is_stack;
};

/* Words of one. */
struct row {
	const uint64_t *words;
	size_t count;
	uint64_t address; /* of the first one */
	bool is_stack;
};

struct follow {
	struct found *found;
	const struct image *image;
	struct blocks blocks;
	bool *is_marked;      /* by block */
	bool *is_live;        /* by coroutine */
	VEC(struct own) owns; /* by address */
	uint32_t *first;      /* by coroutine */
	struct map by_object; /* the first knot with this address; `after` has the next one */
	uint32_t *after;
	VEC(struct stretch) ahead;
	bool is_out_of_memory;
};

/* ---------------------------------------------------------------- coroutines that wait */

/* The handle of a coroutine of C++ is often held by the kernel alone, which gives it back with an event. */
static bool is_judged(const struct follow *follow, const struct found_coroutine *coroutine)
{
	return coroutine->state == FRAME_WAITS && !coroutine->is_initial &&
	       coroutine->knot != KNOT_UNKNOWN &&
	       !(coroutine->knot == KNOT_FRAME && follow->image->lacks_held);
}

static int compare_owns(const void *left, const void *right)
{
	const struct own *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void add_own(struct follow *follow, uint64_t start, uint64_t end, uint32_t coroutine)
{
	struct own own = {.start = start, .end = end, .coroutine = coroutine};

	if (start < end && !vec_push(&follow->owns, own))
		follow->is_out_of_memory = true;
}

/* A frame whose size is not known ends with its block. */
static void add_frame(struct follow *follow, uint32_t index)
{
	const struct found_coroutine *coroutine = &follow->found->coroutines.at[index];
	uint64_t end = coroutine->address + coroutine->bytes;
	uint32_t block;

	if (coroutine->bytes == 0 && blocks_at(&follow->blocks, coroutine->address, &block))
		end = follow->blocks.blocks.at[block].end;
	add_own(follow, coroutine->address, end, index);
}

static void add_parts(struct follow *follow)
{
	size_t i;
	uint32_t index, block;

	for (i = 0; i < follow->found->parts.count; i++) {
		const struct found_part *part = &follow->found->parts.at[i];

		if (map_get(&follow->found->by_address, part->coroutine, &index) &&
			is_judged(follow, &follow->found->coroutines.at[index]) &&
			blocks_at(&follow->blocks, part->address, &block))
			add_own(follow, follow->blocks.blocks.at[block].start,
				follow->blocks.blocks.at[block].end, index);
	}
}

static void link_owns(struct follow *follow)
{
	uint32_t i;

	if (follow->owns.count > 0)
		qsort(follow->owns.at, follow->owns.count, sizeof(*follow->owns.at), compare_owns);
	for (i = 0; i < follow->found->coroutines.count; i++)
		follow->first[i] = NONE;
	for (i = 0; i < follow->owns.count; i++) {
		if (follow->owns.at[i].coroutine == NONE)
			continue;
		follow->owns.at[i].next = follow->first[follow->owns.at[i].coroutine];
		follow->first[follow->owns.at[i].coroutine] = i;
	}
}

static void add_knots(struct follow *follow)
{
	uint32_t i, other;

	for (i = 0; i < follow->found->knots.count; i++) {
		uint64_t object = follow->found->knots.at[i].address;

		follow->after[i] = map_get(&follow->by_object, object, &other) ? other : NONE;
		if (!map_put(&follow->by_object, object, i))
			follow->is_out_of_memory = true;
	}
}

static void add_waits(struct follow *follow)
{
	const struct found *found = follow->found;
	uint32_t i;

	for (i = 0; i < found->coroutines.count; i++)
		if (is_judged(follow, &found->coroutines.at[i]) &&
			found->coroutines.at[i].knot != KNOT_OBJECT)
			add_frame(follow, i);
	for (i = 0; i < found->python.stacks.count; i++)
		add_own(follow, found->python.stacks.at[i].top, found->python.stacks.at[i].end,
			NONE);
	add_parts(follow);
	add_knots(follow);
	link_owns(follow);
}

/* ---------------------------------------------------------------- following */

static void push(struct follow *follow, uint64_t start, uint64_t end, bool is_stack)
{
	struct stretch stretch = {.start = start, .end = end, .is_stack = is_stack};

	if (!vec_push(&follow->ahead, stretch))
		follow->is_out_of_memory = true;
}

static void revive(struct follow *follow, uint32_t coroutine)
{
	uint32_t i;

	if (follow->is_live[coroutine])
		return;
	follow->is_live[coroutine] = true;
	for (i = follow->first[coroutine]; i != NONE; i = follow->owns.at[i].next)
		push(follow, follow->owns.at[i].start, follow->owns.at[i].end, false);
}

static bool is_open(const struct follow *follow, const struct own *own)
{
	return own->coroutine != NONE && follow->is_live[own->coroutine];
}

/* Compilers put frames into those of their callers: the innermost one counts. NULL: the address is no coroutine's. */
static const struct own *own_at(const struct follow *follow, uint64_t address)
{
	size_t nr = vec_count_while(follow->owns.count, i, follow->owns.at[i].start <= address);
	unsigned steps;

	for (steps = 0; steps < NESTED_MAX && nr > 0; steps++)
		if (address < follow->owns.at[--nr].end)
			return &follow->owns.at[nr];
	return NULL;
}

static bool is_waker_table(const struct found *found, uint64_t word)
{
	uint32_t other;

	return map_get(&found->waker_tables, word, &other);
}

/*
 * Does the word at `i` wake the coroutine into whose memory it leads? Functions that polled a task leave such addresses
 * on stacks; while it waits, only lists lead into it.
 */
static bool is_knot(const struct follow *follow, uint32_t index, const struct row *row, size_t i)
{
	const struct found_coroutine *coroutine = &follow->found->coroutines.at[index];
	const uint64_t *words = row->words;

	if (coroutine->knot == KNOT_OBJECT)
		return false;
	if (coroutine->knot == KNOT_FRAME)
		return true;
	if (words[i] != coroutine->address)
		return !row->is_stack;
	return (i > 0 && is_waker_table(follow->found, words[i - 1])) ||
	       (i + 1 < row->count && is_waker_table(follow->found, words[i + 1]));
}

static void meet_object(struct follow *follow, uint64_t object)
{
	uint32_t knot, index;

	if (!map_get(&follow->by_object, object, &knot))
		return;
	for (; knot != NONE; knot = follow->after[knot])
		if (map_get(&follow->found->by_address, follow->found->knots.at[knot].coroutine,
			    &index))
			revive(follow, index);
}

static const uint64_t *words_at(const struct follow *follow, uint64_t address, size_t wanted)
{
	size_t count;
	const uint64_t *words =
		blocks_words(&follow->blocks, address, address + wanted * WORD, &count);

	return count == wanted ? words : NULL;
}

/*
 * All objects of Python that hold others are in lists of the collector, by an entry in front of each, which leads to
 * the one behind it and, with flags in two bits, to the one before it. Are the word and the address one end each of
 * such a link? In front of an object whose type is known there is nothing else, either.
 */
static bool is_of_collector(
	const struct follow *follow, const struct block *block, uint64_t at, uint64_t word)
{
	const uint64_t *entry;
	uint32_t type;

	if (follow->found->python.types.count == 0)
		return false;
	entry = words_at(follow, word & ~COLLECTOR_FLAGS, ENTRY_WORDS);
	if (!entry)
		return false;
	return (entry[1] & ~COLLECTOR_FLAGS) == at || entry[0] == at - WORD ||
	       (word + ENTRY_WORDS * WORD <= block->end && entry[2] != 0 &&
		       entry[2] <= UINT32_MAX &&
		       map_get(&follow->found->python.types, entry[3], &type));
}

/* A list has room behind its last item, where items lie that were taken out. */
static void take_items(struct follow *follow, const uint64_t *list)
{
	uint32_t block;

	if (!blocks_at(&follow->blocks, list[3], &block) || follow->is_marked[block] ||
		list[2] > (follow->blocks.blocks.at[block].end - list[3]) / WORD)
		return;
	follow->is_marked[block] = true;
	push(follow, list[3], list[3] + list[2] * WORD, false);
}

/*
 * Blocks of 64 items, with a link to the next one behind them. Items that were taken out stay there, and in the blocks
 * that the deque keeps for later, of which it has a list.
 */
static void take_deque(struct follow *follow, const uint64_t *deque)
{
	uint64_t left = deque[5], address = deque[3], steps;
	const uint64_t *words;
	uint32_t block;

	for (steps = 0; steps <= deque[2] / DEQUE_ITEMS + 1 && left <= DEQUE_ITEMS; steps++) {
		uint64_t right = address == deque[4] ? deque[6] + 1 : DEQUE_ITEMS;

		words = words_at(follow, address, DEQUE_ITEMS + 2);
		if (!words || !blocks_at(&follow->blocks, address, &block) ||
			follow->is_marked[block] || right > DEQUE_ITEMS)
			return;
		follow->is_marked[block] = true;
		push(follow, address + (1 + left) * WORD, address + (1 + right) * WORD, false);
		if (address == deque[4])
			return;
		address = words[DEQUE_ITEMS + 1];
		left = 0;
	}
}

/* The locals of a coroutine that has ended stay where they were, and so do values that were computed with. */
static void take_coroutine(struct follow *follow, const struct block *block, uint64_t object)
{
	const struct found_python *python = &follow->found->python;
	const uint64_t *words = words_at(follow, object, python->frame / WORD + 1);
	uint64_t first = object + python->frame + python->locals, end = first;
	int8_t state;

	if (!words)
		return;
	memcpy(&state, (const uint8_t *)words + python->state, sizeof(state));
	words = words_at(follow, object + python->frame + python->height, 1);
	if (state > 0)
		end = object + python->frame;
	else if (words && python->has_address)
		end = words[0] >= first ? words[0] : block->end;
	else if (words)
		end = first + (words[0] & UINT16_MAX) * WORD;
	push(follow, object, end < block->end ? end : block->end, false);
}

/*
 * Takes an object of Python of which not all memory counts: one that was freed, and lies in a list for the next one of
 * its type; a weak reference, but for whom it calls; and those above. False: it is none.
 */
static bool take_object(struct follow *follow, const struct block *block, uint64_t address)
{
	const uint64_t *object =
		follow->found->python.types.count ? words_at(follow, address, OBJECT_WORDS) : NULL;
	uint32_t type;

	if (!object || !map_get(&follow->found->python.types, object[1], &type))
		return false;
	if ((object[0] & UINT32_MAX) == 0)
		return true;
	switch ((enum found_python_type)type) {
	case FOUND_LIST:
		take_items(follow, object);
		return false;
	case FOUND_DEQUE:
		object = words_at(follow, address, DEQUE_WORDS);
		if (object)
			take_deque(follow, object);
		return true;
	case FOUND_WEAK:
		push(follow, address + 3 * WORD, address + 4 * WORD, false);
		return true;
	case FOUND_COROUTINE:
		take_coroutine(follow, block, address);
		return true;
	case FOUND_OTHER:
		break;
	}
	return false;
}

static void meet(struct follow *follow, const struct row *row, size_t i)
{
	uint64_t word = row->words[i];
	const struct own *own = own_at(follow, word);
	uint32_t block;

	if (own && own->coroutine == NONE)
		return;
	if (own && !follow->is_live[own->coroutine]) {
		if (is_knot(follow, own->coroutine, row, i))
			revive(follow, own->coroutine);
		return;
	}
	if (!blocks_at(&follow->blocks, word, &block) ||
		is_of_collector(
			follow, &follow->blocks.blocks.at[block], row->address + i * WORD, word))
		return;
	meet_object(follow, word);
	if (follow->is_marked[block])
		return;
	follow->is_marked[block] = true;
	if (!take_object(follow, &follow->blocks.blocks.at[block], word))
		push(follow, follow->blocks.blocks.at[block].start,
			follow->blocks.blocks.at[block].end, false);
}

/*
 * Where memory begins, from the address on, that is not followed, as nothing has led to the coroutine whose it is, and
 * where it ends; `end`: there is none before.
 */
static uint64_t next_own(
	const struct follow *follow, uint64_t address, uint64_t end, uint64_t *ret_behind)
{
	const struct own *own = own_at(follow, address);
	size_t i = vec_count_while(follow->owns.count, k, follow->owns.at[k].start <= address);

	*ret_behind = end;
	if (own && !is_open(follow, own)) {
		*ret_behind = own->end < end ? own->end : end;
		return address;
	}
	while (i < follow->owns.count && follow->owns.at[i].start < end &&
		is_open(follow, &follow->owns.at[i]))
		i++;
	if (i == follow->owns.count || follow->owns.at[i].start >= end)
		return end;
	*ret_behind = follow->owns.at[i].end < end ? follow->owns.at[i].end : end;
	return follow->owns.at[i].start;
}

static void meet_all(struct follow *follow, const struct row *row)
{
	size_t i;

	for (i = 0; i < row->count; i++)
		if (row->words[i] >= LOWEST)
			meet(follow, row, i);
}

static void follow_words(struct follow *follow, uint64_t address, uint64_t end, bool is_stack)
{
	struct row row = {.address = address, .is_stack = is_stack};

	row.words = blocks_words(&follow->blocks, address, end, &row.count);
	meet_all(follow, &row);
}

static void go_on(struct follow *follow)
{
	struct stretch stretch;
	uint64_t address, stop, behind;

	while (follow->ahead.count > 0 && !follow->is_out_of_memory) {
		stretch = follow->ahead.at[--follow->ahead.count];
		for (address = stretch.start; address < stretch.end; address = behind) {
			stop = next_own(follow, address, stretch.end, &behind);
			follow_words(follow, address, stop, stretch.is_stack);
		}
	}
}

/* Roots may lie in several pieces, of which those between are not in use. */
static void follow_roots(struct follow *follow)
{
	size_t i, j;

	for (i = 0; i < follow->blocks.roots.count; i++) {
		const struct block *root = &follow->blocks.roots.at[i];

		for (j = 0; j < follow->blocks.pieces.count; j++) {
			const struct blocks_piece *piece = &follow->blocks.pieces.at[j];
			uint64_t start = piece->start, end = piece->start + piece->count * WORD;

			if (start < root->start)
				start = root->start;
			if (end > root->end)
				end = root->end;
			if (start < end)
				push(follow, start, end, piece->is_stack);
		}
		go_on(follow);
	}
}

/* What lies in no memory: registers, as far as they are known, and what the kernel gives back. */
static void follow_held(struct follow *follow)
{
	const struct image *image = follow->image;
	struct row row = {.words = image->held.at, .count = image->held.count, .is_stack = true};
	size_t i;

	meet_all(follow, &row);
	for (i = 0; i < image->threads.count; i++) {
		row.words = image->threads.at[i].registers;
		row.count = IMAGE_REGISTERS;
		meet_all(follow, &row);
	}
	go_on(follow);
}

static void follow_busy(struct follow *follow)
{
	uint32_t i, block;

	for (i = 0; i < follow->found->coroutines.count; i++) {
		const struct found_coroutine *coroutine = &follow->found->coroutines.at[i];

		if (coroutine->state == FRAME_HAS_END || is_judged(follow, coroutine) ||
			!blocks_at(&follow->blocks, coroutine->address, &block))
			continue;
		follow->is_marked[block] = true;
		push(follow, follow->blocks.blocks.at[block].start,
			follow->blocks.blocks.at[block].end, false);
		go_on(follow);
	}
}

/* ---------------------------------------------------------------- the whole */

static bool has_any(const struct follow *follow)
{
	size_t i;

	for (i = 0; i < follow->found->coroutines.count; i++)
		if (is_judged(follow, &follow->found->coroutines.at[i]))
			return true;
	return false;
}

/*
 * A coroutine that can be woken, by a timer for example, may give up what it awaits, and end that: what it awaits is
 * not lost, nor is what that awaits.
 */
static void spare_awaited(struct follow *follow, uint32_t from)
{
	struct found *found = follow->found;
	uint32_t next = from;

	while (found->coroutines.at[next].awaited &&
		map_get(&found->by_address, found->coroutines.at[next].awaited, &next) &&
		found->coroutines.at[next].is_unreached)
		found->coroutines.at[next].is_unreached = false;
}

static void judge(struct follow *follow)
{
	uint32_t i;

	add_waits(follow);
	follow_roots(follow);
	follow_held(follow);
	follow_busy(follow);
	for (i = 0; i < follow->found->coroutines.count && !follow->is_out_of_memory; i++) {
		struct found_coroutine *coroutine = &follow->found->coroutines.at[i];

		coroutine->is_unreached = is_judged(follow, coroutine) && !follow->is_live[i];
	}
	for (i = 0; i < follow->found->coroutines.count; i++)
		if (follow->is_live[i])
			spare_awaited(follow, i);
}

bool follow_judge(struct found *found, const struct image *image)
{
	struct follow follow = {.found = found, .image = image};
	bool is_well = true;

	if (!has_any(&follow))
		return true;
	is_well = blocks_take(&follow.blocks, image);
	follow.is_marked = calloc(follow.blocks.blocks.count + 1, sizeof(*follow.is_marked));
	follow.is_live = calloc(found->coroutines.count + 1, sizeof(*follow.is_live));
	follow.after = calloc(found->knots.count + 1, sizeof(*follow.after));
	follow.first = calloc(found->coroutines.count + 1, sizeof(*follow.first));
	is_well = is_well && follow.is_marked && follow.is_live && follow.after && follow.first;
	if (is_well && follow.blocks.blocks.count > 0) {
		judge(&follow);
		shared_tell(found, &follow.blocks);
	}
	blocks_fini(&follow.blocks);
	vec_fini(&follow.owns);
	vec_fini(&follow.ahead);
	map_fini(&follow.by_object);
	free(follow.is_marked);
	free(follow.is_live);
	free(follow.after);
	free(follow.first);
	return is_well && !follow.is_out_of_memory;
}
