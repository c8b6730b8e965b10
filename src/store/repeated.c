/* SPDX-License-Identifier: MIT */
/* Definitions kept as the bytes in which they are written again. */
#include "store/definitions.h"
#include "store/repeated.h"

#define BLOCK_BYTES (256u << 10)
#define BLOCKS 256u /* 64 MiB of definitions: further ones are dropped, and counted */
#define HASH_SEED UINT64_C(0xcbf29ce484222325)
#define HASH_PRIME UINT64_C(0x100000001b3)

static uint64_t hash_of(const struct text *bytes)
{
	uint64_t hash = HASH_SEED;
	size_t i;

	for (i = 0; i < bytes->length; i++)
		hash = (hash ^ (uint8_t)bytes->at[i]) * HASH_PRIME;
	return hash;
}

static struct text *block_with_room(struct store_repeated *repeated, size_t nr_bytes)
{
	struct text *last =
		repeated->blocks.count ? &repeated->blocks.at[repeated->blocks.count - 1] : NULL;
	struct text fresh = {0};

	if (last && last->length + nr_bytes <= BLOCK_BYTES)
		return last;
	store_block_start(&fresh);
	if (fresh.is_broken || !vec_push(&repeated->blocks, fresh)) {
		text_fini(&fresh);
		return NULL;
	}
	return &repeated->blocks.at[repeated->blocks.count - 1];
}

/*
 * The key by which definitions are repeated once. Equal bytes have the same key; if a later definition replaces an
 * earlier one (F-33), both have the same key, and the later one counts.
 */
static uint64_t key_of(const struct ct_definition *definition, uint64_t hash)
{
	switch (definition->type) {
	case CT_DEFINE_PROCESS:
		return ((uint64_t)definition->type << 32 | definition->process.process) *
		       HASH_PRIME;
	case CT_DEFINE_THREAD:
		return ((uint64_t)definition->type << 32 | definition->thread.thread) * HASH_PRIME;
	default:
		return hash;
	}
}

static bool keep_bytes(struct store_repeated *repeated, const struct ct_definition *definition)
{
	struct text bytes = {0}, *block;
	uint32_t known;
	uint64_t hash, key;
	bool is_kept;

	store_definition_add(&bytes, definition);
	if (bytes.is_broken) {
		text_fini(&bytes);
		return false;
	}
	hash = hash_of(&bytes);
	key = key_of(definition, hash);
	is_kept = map_get(&repeated->seen, key, &known) && known == (uint32_t)hash;
	if (!is_kept && repeated->blocks.count == BLOCKS) {
		repeated->nr_forgotten++;
		is_kept = true;
	} else if (!is_kept) {
		block = block_with_room(repeated, bytes.length);
		if (block)
			text_append(block, bytes.at, bytes.length);
		is_kept =
			block && !block->is_broken && map_put(&repeated->seen, key, (uint32_t)hash);
	}
	text_fini(&bytes);
	return is_kept;
}

static bool keep_clock(struct store_repeated *repeated, const struct ct_define_clock *clock)
{
	if (!repeated->epoch.clock)
		repeated->epoch = *clock;
	if (clock->clock < STORE_CLOCKS)
		repeated->clocks[clock->clock] = *clock;
	return true;
}

static bool is_earlier(uint64_t a, uint64_t b)
{
	return b != STORE_NOT_KNOWN && (a == STORE_NOT_KNOWN || (int64_t)(a - b) < 0);
}

static bool keep_loss(struct store_repeated *repeated, const struct ct_define_loss *loss)
{
	uint64_t key = (uint64_t)loss->process << 48 ^ (uint64_t)loss->thread << 16 ^ loss->reason ^
		       loss->coro * HASH_PRIME;
	struct ct_define_loss *known;
	uint32_t at;

	if (!map_get(&repeated->loss_at, key, &at)) {
		at = (uint32_t)repeated->losses.count;
		return vec_push(&repeated->losses, *loss) && map_put(&repeated->loss_at, key, at);
	}
	known = &repeated->losses.at[at];
	known->count += loss->count;
	/* If it is not known when this loss began, it is not known when the sum began. */
	if (loss->first_monotonic_ns == STORE_NOT_KNOWN ||
		is_earlier(loss->first_monotonic_ns, known->first_monotonic_ns))
		known->first_monotonic_ns = loss->first_monotonic_ns;
	if (loss->last_monotonic_ns == STORE_NOT_KNOWN ||
		is_earlier(known->last_monotonic_ns, loss->last_monotonic_ns))
		known->last_monotonic_ns = loss->last_monotonic_ns;
	return true;
}

bool store_repeated_keep(struct store_repeated *repeated, const struct ct_definition *definition)
{
	switch (definition->type) {
	case CT_DEFINE_CLOCK:
		return keep_clock(repeated, &definition->clock);
	case CT_DEFINE_LOSS:
		return keep_loss(repeated, &definition->loss);
	case CT_DEFINE_HEARTBEAT:
	case CT_DEFINE_END:
	case CT_DEFINE_GENERATION:
	case CT_DEFINE_GENERATION_END:
	case CT_DEFINE_REASON:
		return true;
	default:
		return keep_bytes(repeated, definition);
	}
}

static void add_clock(struct text *block, const struct ct_define_clock *clock)
{
	struct ct_definition definition = {.type = CT_DEFINE_CLOCK, .clock = *clock};

	if (clock->clock)
		store_definition_add(block, &definition);
}

/*
 * Definitions that change all the time are written from their present values. The first reading sets the epoch (F-36).
 */
static enum ct_status write_changing(
	const struct store_repeated *repeated, struct store_output *output, struct ct_error *reterr)
{
	struct ct_definition definition = {.type = CT_DEFINE_LOSS};
	struct text block = {0};
	enum ct_status status;
	size_t i;

	store_block_start(&block);
	add_clock(&block, &repeated->epoch);
	for (i = 0; i < STORE_CLOCKS; i++)
		if (i != repeated->epoch.clock || repeated->clocks[i].raw != repeated->epoch.raw)
			add_clock(&block, &repeated->clocks[i]);
	for (i = 0; i < repeated->losses.count; i++) {
		definition.loss = repeated->losses.at[i];
		store_definition_add(&block, &definition);
	}
	status = store_output_text(output, STORE_BLOCK_REPEATED, &block, reterr);
	text_fini(&block);
	return status;
}

enum ct_status store_repeated_write(
	struct store_repeated *repeated, struct store_output *output, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	size_t i;

	for (i = 0; status == CT_OK && i < repeated->blocks.count; i++)
		status = store_output_text(
			output, STORE_BLOCK_REPEATED, &repeated->blocks.at[i], reterr);
	return status ? status : write_changing(repeated, output, reterr);
}

void store_repeated_fini(struct store_repeated *repeated)
{
	size_t i;

	for (i = 0; i < repeated->blocks.count; i++)
		text_fini(&repeated->blocks.at[i]);
	vec_fini(&repeated->blocks);
	map_fini(&repeated->seen);
	vec_fini(&repeated->losses);
	map_fini(&repeated->loss_at);
}
