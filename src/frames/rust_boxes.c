/* SPDX-License-Identifier: MIT */
/* Finds async functions in boxes (rust_boxes.h). */
#include <stdlib.h>
#include <string.h>

#include "frames/blocks.h"
#include "frames/rust_boxes.h"
#include "frames/walk.h"
#include "symbol/debug_entry.h"

#define WORD sizeof(uint64_t)
#define TABLE_WORDS 4u
#define TABLE_POLL 3u
#define BYTES_MAX (UINT64_C(1) << 24)
#define LARGER_MAX 32u /* by how much a block is larger than what was asked for */

/* A block that is an async function, by the address at which it begins. */
struct box {
	uint64_t address;
	uint64_t held_at; /* where the pointer to it lies */
	uint32_t kind;
};

struct boxes {
	const struct rust_boxes *kinds;
	struct image *image;
	struct blocks blocks;
	VEC(struct box) boxes;
	struct map by_block; /* index of a block, to one in `boxes` */
};

/* ---------------------------------------------------------------- tables */

/* An async function has the name of a closure, in both manglings; others that poll futures have them in themselves. */
static bool may_poll(const char *symbol)
{
	if (!rust_kinds_is_mangled(symbol))
		return false;
	return strncmp(symbol, "_RNC", 4) == 0 || strstr(symbol, "closure$u7d$$u7d$17h") ||
	       strstr(symbol, symbol[1] == 'R' ? "4poll" : "4poll17h");
}

static bool take_module(struct rust_boxes *boxes, const struct module *module)
{
	const struct function_table *table =
		module->debug ? symbol_debug_info_functions(module->debug) : NULL;
	size_t i;

	for (i = 0; table && i < table->functions.count; i++) {
		const struct function_entry *entry = &table->functions.at[i];

		if (may_poll(entry->name) &&
			!map_put(&boxes->by_poll, entry->address + module->bias, 0))
			return false;
	}
	return true;
}

/* A table of a type begins with what drops such a value, its size, and its alignment; then comes the only method. */
static bool take_table(struct rust_boxes *boxes, const struct image *image,
	const struct modules *modules, uint64_t address)
{
	struct rust_box_kind kind = {.table = address};
	struct rust_value value = {.address = 0};
	uint64_t words[TABLE_WORDS];

	if (image_read(image, address, words, sizeof(words)) != sizeof(words) || words[1] == 0 ||
		words[1] > BYTES_MAX || words[2] == 0 || (words[2] & (words[2] - 1)) != 0 ||
		!rust_kinds_polled(image, modules, words[TABLE_POLL], &kind.future))
		return true;
	value.type = kind.future;
	kind.bytes = rust_bytes(&value);
	if (kind.bytes != words[1] || !strstr(rust_type_name(&value), "{async_"))
		return true;
	if (address < boxes->lowest)
		boxes->lowest = address;
	if (address > boxes->highest)
		boxes->highest = address;
	return map_put(&boxes->by_table, address, (uint32_t)boxes->kinds.count) &&
	       vec_push(&boxes->kinds, kind);
}

struct finding {
	struct rust_boxes *boxes;
	const struct image *image;
	const struct modules *modules;
};

static bool take_word(void *context, uint64_t word, uint64_t address)
{
	const struct finding *finding = context;
	uint32_t other;

	return !map_get(&finding->boxes->by_poll, word, &other) ||
	       take_table(finding->boxes, finding->image, finding->modules,
		       address - TABLE_POLL * WORD);
}

enum ct_status rust_boxes_find(struct rust_boxes *boxes, const struct image *image,
	const struct modules *modules, struct ct_error *reterr)
{
	struct finding finding = {boxes, image, modules};
	size_t i;

	boxes->lowest = UINT64_MAX;
	for (i = 0; i < modules->count; i++)
		if (!take_module(boxes, &modules->at[i]))
			return ct_fail_memory(reterr);
	if (boxes->by_poll.count > 0 && !walk_constants(image, take_word, &finding))
		return ct_fail_memory(reterr);
	return CT_OK;
}

void rust_boxes_fini(struct rust_boxes *boxes)
{
	vec_fini(&boxes->kinds);
	map_fini(&boxes->by_table);
	map_fini(&boxes->by_poll);
}

/* ---------------------------------------------------------------- memory */

/* A box is a block of its own, of the size of what is in it. */
static bool is_box(const struct boxes *boxes, const struct box *box, uint32_t *ret_block)
{
	const struct block *block;
	uint64_t bytes = boxes->kinds->kinds.at[box->kind].bytes, room;

	if (!blocks_at(&boxes->blocks, box->address, ret_block))
		return false;
	block = &boxes->blocks.blocks.at[*ret_block];
	room = block->end - block->start;
	return block->start == box->address && room >= bytes && room - bytes <= LARGER_MAX;
}

static bool look_at_piece(struct boxes *boxes, const struct blocks_piece *piece)
{
	const uint64_t *words = &boxes->blocks.words.at[piece->first];
	struct box box;
	uint32_t block, other;
	size_t i;

	for (i = 1; i < piece->count; i++) {
		if (words[i] < boxes->kinds->lowest || words[i] > boxes->kinds->highest ||
			!map_get(&boxes->kinds->by_table, words[i], &box.kind))
			continue;
		box.address = words[i - 1];
		box.held_at = piece->start + (i - 1) * WORD;
		if (!is_box(boxes, &box, &block) || map_get(&boxes->by_block, block, &other) ||
			!blocks_at(&boxes->blocks, box.held_at, &other))
			continue;
		if (!map_put(&boxes->by_block, block, (uint32_t)boxes->boxes.count) ||
			!vec_push(&boxes->boxes, box))
			return false;
	}
	return true;
}

/* A box that another async function has belongs to that one. */
static bool is_inner(const struct boxes *boxes, const struct box *box)
{
	uint32_t block, other;

	return blocks_at(&boxes->blocks, box->held_at, &block) &&
	       map_get(&boxes->by_block, block, &other);
}

static void take_box(struct boxes *boxes, const struct box *box, const struct modules *modules,
	struct found *found, struct rust_objects *objects)
{
	const struct rust_box_kind *kind = &boxes->kinds->kinds.at[box->kind];
	struct rust_value future = {.type = kind->future, .address = box->address};
	struct found_coroutine coroutine = {.address = box->address,
		.bytes = kind->bytes,
		.name = "",
		.state = FRAME_WAITS,
		.thread = FOUND_NO_THREAD};

	rust_chain_tell(found, boxes->image, modules, &future, &coroutine, objects);
	/* Nothing is known of what is over, and of other things that have an async function in them. */
	if (coroutine.function)
		found_coroutine(found, &coroutine);
}

bool rust_boxes_look(const struct rust_boxes *kinds, struct image *image,
	const struct modules *modules, struct found *found, struct rust_objects *objects)
{
	struct boxes boxes = {.kinds = kinds, .image = image};
	bool is_well = blocks_take(&boxes.blocks, image);
	size_t i;

	for (i = 0; is_well && i < boxes.blocks.pieces.count; i++)
		if (!boxes.blocks.pieces.at[i].is_stack)
			is_well = look_at_piece(&boxes, &boxes.blocks.pieces.at[i]);
	for (i = 0; is_well && i < boxes.boxes.count && !found->is_out_of_memory; i++)
		if (!is_inner(&boxes, &boxes.boxes.at[i]))
			take_box(&boxes, &boxes.boxes.at[i], modules, found, objects);
	blocks_fini(&boxes.blocks);
	vec_fini(&boxes.boxes);
	map_fini(&boxes.by_block);
	return is_well;
}
