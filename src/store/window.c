/* SPDX-License-Identifier: MIT */
/* The output that is a window: one buffer for each generation, of which the oldest is freed first. */
#include <stdlib.h>
#include <string.h>

#include "store/window.h"
#include "store/writer.h"

#define WINDOW_NS UINT64_C(10000000000)
#define WINDOW_BYTES (UINT64_C(64) << 20)
#define GENERATIONS_PER_WINDOW 8u

struct kept {
	uint32_t number;
	uint64_t began_ns;
	uint8_t *bytes;
	size_t nr_bytes;
	size_t capacity;
};

struct window {
	struct store_output output;
	struct store_window_options options;
	VEC(struct kept) kept; /* oldest first; the last one is being written */
	uint64_t nr_bytes;     /* bytes of all generations */
	bool is_short_of_bytes;
};

static struct kept *present(struct window *window)
{
	return &window->kept.at[window->kept.count - 1];
}

static void let_go_oldest(struct window *window)
{
	window->nr_bytes -= window->kept.at[0].nr_bytes;
	free(window->kept.at[0].bytes);
	window->kept.count--;
	memmove(window->kept.at, window->kept.at + 1,
		window->kept.count * sizeof(*window->kept.at));
}

static void keep_bytes_bounded(struct window *window)
{
	while (window->nr_bytes > window->options.bytes && window->kept.count > 1) {
		let_go_oldest(window);
		window->is_short_of_bytes = true;
	}
}

static enum ct_status window_write(
	struct store_output *output, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	struct window *window = (struct window *)output;
	struct kept *kept;

	if (window->kept.count == 0)
		return CT_OK; /* the file's header: each dump has a header of its own */
	kept = present(window);
	if (!vec_grow(&kept->bytes, &kept->capacity, kept->nr_bytes + nr_bytes, 1))
		return ct_fail_memory(reterr);
	memcpy(kept->bytes + kept->nr_bytes, bytes, nr_bytes);
	kept->nr_bytes += nr_bytes;
	window->nr_bytes += nr_bytes;
	keep_bytes_bounded(window);
	return CT_OK;
}

/* Extents count from the beginning; freed generations cannot be restored, but are never asked for. */
static bool window_cut_back(struct store_output *output, uint64_t nr_bytes)
{
	struct window *window = (struct window *)output;
	uint64_t too_many = output->written.nr_bytes - nr_bytes;
	struct kept *kept;

	if (window->kept.count == 0)
		return false;
	kept = present(window);
	if (too_many > kept->nr_bytes)
		return false;
	kept->nr_bytes -= (size_t)too_many;
	window->nr_bytes -= too_many;
	return true;
}

/* Shrinks a complete generation's buffer, which grew by doubling, to its contents. */
static void trim(struct kept *kept)
{
	uint8_t *bytes = kept->nr_bytes ? realloc(kept->bytes, kept->nr_bytes) : NULL;

	if (!bytes)
		return;
	kept->bytes = bytes;
	kept->capacity = kept->nr_bytes;
}

/* The oldest generation may be freed if the generations after it reach far enough back. */
static enum ct_status window_begin(
	struct store_output *output, uint32_t generation, uint64_t now_ns, struct ct_error *reterr)
{
	struct window *window = (struct window *)output;
	struct kept fresh = {.number = generation, .began_ns = now_ns};

	while (window->kept.count > 1 &&
		(int64_t)(now_ns - window->kept.at[1].began_ns) >= (int64_t)window->options.ns) {
		let_go_oldest(window);
		window->is_short_of_bytes = false;
	}
	if (window->kept.count)
		trim(present(window));
	return vec_push(&window->kept, fresh) ? CT_OK : ct_fail_memory(reterr);
}

static enum ct_status window_close(
	struct store_output *output, bool is_wanted, struct ct_error *reterr)
{
	struct window *window = (struct window *)output;
	size_t i;

	(void)is_wanted, (void)reterr;
	for (i = 0; i < window->kept.count; i++)
		free(window->kept.at[i].bytes);
	vec_fini(&window->kept);
	free(window);
	return CT_OK;
}

static const struct store_output_ops window_ops = {
	.write = window_write,
	.cut_back = window_cut_back,
	.begin = window_begin,
	.close = window_close,
};

enum ct_status store_window_open(const struct store_window_options *options,
	struct ct_sink **ret_sink, struct ct_error *reterr)
{
	struct window *window = calloc(1, sizeof(*window));
	struct store_options store = {0};

	if (!window)
		return ct_fail_memory(reterr);
	window->output.ops = &window_ops;
	window->options = *options;
	if (!window->options.ns)
		window->options.ns = WINDOW_NS;
	if (!window->options.bytes)
		window->options.bytes = WINDOW_BYTES;
	/* Whole generations are freed: they should be small compared with the window. */
	store.generation_ns = window->options.ns / GENERATIONS_PER_WINDOW;
	store.generation_bytes = window->options.bytes / GENERATIONS_PER_WINDOW;
	return store_sink_open_output(&window->output, &store, ret_sink, reterr);
}

/* ---------------------------------------------------------------- dumps */

/*
 * Writes each definition in a block of its own, so that code that copies blocks can leave out the END block and keep
 * the others.
 */
static enum ct_status write_ending(struct store_output *file, const struct store_sink *store,
	const char *reason, uint64_t now_ns, struct ct_error *reterr)
{
	struct ct_definition definition = {.type = CT_DEFINE_REASON};
	enum ct_status status;

	definition.reason = (struct ct_define_reason){.monotonic_ns = now_ns, .text = reason};
	status = *reason ? store_output_definitions(file, &definition, 1, reterr) : CT_OK;
	if (status)
		return status;
	definition = (struct ct_definition){.type = CT_DEFINE_END};
	definition.end = (struct ct_define_end){
		.monotonic_ns = now_ns,
		.nr_events = store->nr_taken,
		.nr_lost = store->nr_lost_within,
		.is_cut = true,
	};
	return store_output_definitions(file, &definition, 1, reterr);
}

static enum ct_status write_dump(struct store_sink *store, struct store_output *file,
	const char *reason, uint64_t now_ns, struct ct_error *reterr)
{
	const struct window *window = (const struct window *)store->output;
	enum ct_status status = store_output_start(file, reterr);
	size_t i;

	for (i = 0; status == CT_OK && i < window->kept.count; i++)
		status = file->ops->write(
			file, window->kept.at[i].bytes, window->kept.at[i].nr_bytes, reterr);
	file->generation = store->output->generation;
	file->written.nr_blocks = store->output->written.nr_blocks;
	return status ? status : write_ending(file, store, reason, now_ns, reterr);
}

enum ct_status store_window_dump(struct ct_sink *sink, const char *path, const char *reason,
	uint64_t now_ns, struct ct_error *reterr)
{
	struct store_sink *store = (struct store_sink *)sink;
	enum ct_status status = sink_flush(sink, reterr), closed;
	struct store_output *file;

	if (status == CT_OK)
		status = store_file_open(path, false, &file, reterr);
	if (status)
		return status;
	status = write_dump(store, file, reason, now_ns, reterr);
	closed = store_output_close(file, status == CT_OK, status ? NULL : reterr);
	return status ? status : closed;
}

enum ct_status store_window_copy(
	struct ct_sink *sink, int descriptor, uint64_t now_ns, struct ct_error *reterr)
{
	enum ct_status status = sink_flush(sink, reterr);
	struct store_output *file;

	if (status == CT_OK)
		status = store_descriptor_open(descriptor, &file, reterr);
	if (status)
		return status;
	status = write_dump((struct store_sink *)sink, file, "", now_ns, reterr);
	store_output_close(file, true, NULL);
	return status;
}

void store_window_look(
	const struct ct_sink *sink, uint64_t now_ns, struct store_window_state *ret_state)
{
	const struct store_sink *store = (const struct store_sink *)sink;
	const struct window *window = (const struct window *)store->output;
	const struct kept *oldest = &window->kept.at[0];
	uint64_t began_ns = oldest->number == 1 ? store->first_beat_ns : oldest->began_ns;

	*ret_state = (struct store_window_state){
		.ns = store->generation.is_told && now_ns > began_ns ? now_ns - began_ns : 0,
		.bytes = window->nr_bytes,
		.nr_generations = (uint32_t)window->kept.count,
		.is_short_of_bytes = window->is_short_of_bytes,
	};
}
