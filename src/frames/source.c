/* SPDX-License-Identifier: MIT */
/* Finds the coroutines of an image, and has them told as events (frames.h). */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/failure.h"
#include "base/hash.h"
#include "frames/frames.h"
#include "frames/narrate.h"
#include "frames/follow.h"
#include "frames/see.h"
#include "say/say.h"

static const struct found_reader_ops *const kinds[] = {
	&found_threads, &found_stackful, &found_cpp, &found_rust, &found_python};
#define NR_KINDS (sizeof(kinds) / sizeof(*kinds))

_Static_assert(NR_KINDS == NARRATE_READERS, "a reader for each");

/* ---------------------------------------------------------------- the whole */

static void note_lasting(struct telling *telling)
{
	size_t i;

	for (i = 0; i < telling->found.coroutines.count; i++) {
		struct found_coroutine *coroutine = &telling->found.coroutines.at[i];

		if (coroutine->state == FRAME_RUNS && coroutine->thread != FOUND_NO_THREAD)
			coroutine->is_lasting = found_thread_holds(
				&telling->image->threads.at[coroutine->thread], coroutine->address);
	}
}

static enum ct_status look(struct telling *telling, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	size_t i;

	found_init(&telling->found, &telling->source->arena);
	telling->found.is_moving = telling->image->is_moving;
	telling->found.is_by_probe = telling->is_by_probe;
	for (i = 0; status == CT_OK && i < NR_KINDS; i++)
		status = kinds[i]->look(
			telling->readers[i], telling->image, &telling->found, reterr);
	note_lasting(telling);
	if (status == CT_OK && telling->found.is_out_of_memory)
		status = ct_fail_memory(reterr);
	return status;
}

static void use_image(struct telling *telling, enum ct_status status, struct image *image)
{
	if (status == CT_OK)
		telling->image = telling->images[telling->nr_images++] = image;
}

static bool has_ended(const struct frames_again *again)
{
	return again && again->has_ended && again->has_ended(again->context);
}

static void use_before(struct telling *telling)
{
	telling->found = telling->before;
	memset(&telling->before, 0, sizeof(telling->before));
	telling->between = 0;
}

static enum ct_status look_again(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	uint64_t first_ns = clock_monotonic_ns();
	struct image *image = NULL, *former = telling->image;
	enum ct_status status;

	telling->before = telling->found;
	memset(&telling->found, 0, sizeof(telling->found));
	again->pause(again->context);
	status = again->open(again->context, &image, reterr);
	use_image(telling, status, image);
	if (status == CT_END) {
		use_before(telling);
		return CT_OK;
	}
	if (status)
		return status;
	telling->between = (ct_time)(clock_monotonic_ns() - first_ns);
	status = look(telling, reterr);
	if (!has_ended(again))
		return status;
	found_fini(&telling->found);
	use_before(telling);
	telling->image = former;
	return CT_OK;
}

static enum ct_status open_readers(struct telling *telling, struct ct_error *reterr)
{
	enum ct_status status = modules_open(&telling->modules, telling->image, reterr);
	size_t i;

	for (i = 0; status == CT_OK && i < NR_KINDS; i++)
		status = kinds[i]->open(
			telling->image, &telling->modules, &telling->readers[i], reterr);
	return status;
}

static enum ct_status find(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	const struct frames_seeing *seeing = telling->seeing;
	enum ct_status status = open_readers(telling, reterr);
	struct image *image = NULL;

	/* Stacks of threads, and what the kernel holds, are as of when an image is opened. */
	if (status == CT_OK && seeing) {
		status = seeing->fresh(seeing->context, &image, reterr);
		use_image(telling, status, image);
	}
	if (status == CT_OK)
		status = look(telling, reterr);
	/* Without any coroutine there is nothing to compare. */
	if (status || !again || telling->found.coroutines.count == 0)
		return status;
	return look_again(telling, again, reterr);
}

static enum ct_status refuse(const struct telling *telling, struct ct_error *reterr)
{
	const char *cut =
		telling->image->is_cut ? "; the core dump ends before its memory does" : "";
	char words[PATH_MAX + 256];
	enum ct_status status;
	size_t i;

	/* A runtime of its own says more of a program than the language that it is written in. */
	for (i = NR_KINDS; i-- > 0;) {
		status = kinds[i]->why_not(telling->readers[i], words, sizeof(words));
		if (status)
			return ct_fail(reterr, status, "no coroutine was found: %s%s", words, cut);
	}
	return ct_fail(reterr, CT_ERR_NOT_FOUND,
		"no coroutine was found: the symbols of the program name none of C++20, or were "
		"stripped; it switches no stacks, and runs no tasks of tokio, async-task or "
		"asyncio%s",
		cut);
}

static void close_readers(struct telling *telling)
{
	size_t i;

	for (i = 0; i < NR_KINDS; i++)
		if (telling->readers[i])
			kinds[i]->close(telling->readers[i]);
	modules_close(&telling->modules);
}

/* Without coroutines the past remains; a core dump's with a note that says why nothing joins it. */
static enum ct_status refuse_unless(
	struct telling *telling, const struct frames_past *past, struct ct_error *reterr)
{
	struct ct_error why;
	enum ct_status status = refuse(telling, &why);

	if (!past || !past->source) {
		if (reterr)
			*reterr = why;
		return status;
	}
	found_note(&telling->found, !telling->image->is_moving, false, why.text);
	return telling->found.is_out_of_memory ? ct_fail_memory(reterr) : CT_OK;
}

/* From here on the joined source has the past. */
static enum ct_status join_past(struct telling *telling, const struct frames_past *past,
	struct ct_source **ret_source, struct ct_error *reterr)
{
	struct frames_source *source = telling->source;

	telling->source = NULL;
	return join_open(past->source, source, &telling->found, ret_source, reterr);
}

/* Where one is that runs, by the stack of its thread if that is known. */
static const struct found_place *place_of_running(
	const struct found *found, const struct found_coroutine *coroutine)
{
	const struct found_thread *thread = found_thread_at(found, coroutine->thread);

	return &found->places.at[coroutine->is_here || !thread || !thread->place ? coroutine->place
										 : thread->place];
}

/*
 * Where the coroutines are that run, by the stacks of their threads: a core dump has one, and no samples. A dump of a
 * debugger has threads without a name.
 */
static void tell_running(struct telling *telling)
{
	const struct found *found = &telling->found;
	char words[1024];
	size_t i;

	for (i = 0; i < found->coroutines.count && !telling->image->is_moving; i++) {
		const struct found_coroutine *coroutine = &found->coroutines.at[i];
		const struct found_thread *thread = found_thread_at(found, coroutine->thread);
		const struct found_place *place, *own;

		if (coroutine->state != FRAME_RUNS || !thread || !thread->place)
			continue;
		place = &found->places.at[thread->place];
		own = &found->places.at[coroutine->function];
		snprintf(words, sizeof(words),
			"coroutine %zu (%s) runs on thread %" PRIu64 ", in %s (%s:%" PRIu32 ")",
			i + 1, own->function, thread->tid, place->function, place->file,
			place->line);
		found_sight(&telling->found, words);
	}
}

/* A coroutine that has its thread wait has all others of that thread wait, and no samples say where. */
static void tell_blocking(struct telling *telling)
{
	const struct found *found = &telling->found, *before = &telling->before;
	char who[FOUND_WHO_BYTES];
	struct text words = {0};
	uint32_t i, former;

	for (i = 0; i < found->coroutines.count && telling->between; i++) {
		const struct found_coroutine *coroutine = &found->coroutines.at[i];
		const struct found_place *place;

		if (coroutine->state != FRAME_RUNS ||
			!map_get(&before->by_address, coroutine->address, &former) ||
			before->coroutines.at[former].state != FRAME_RUNS ||
			!found_thread_rested(before, before->coroutines.at[former].thread, found,
				coroutine->thread))
			continue;
		place = place_of_running(found, coroutine);
		if (!place->file || !place->file[0])
			continue;
		text_format(&words,
			"%s (%s) has kept its thread (%" PRIu64
			") since the first look, and the thread has slept since: it is in ",
			found_who(found, i, who), found->places.at[coroutine->function].function,
			found->threads.at[coroutine->thread].tid);
		if (coroutine->callees)
			text_format(&words, "%s, called by ", coroutine->callees);
		text_add(&words, place->function);
		text_add(&words, " (");
		found_place_say(&words, place);
		text_add(&words, ")");
		found_words_sight(&telling->found, &words, 0);
	}
}

/* With two looks, those that were ready at both: they spin, or nobody runs them. */
static bool is_kept_ready(const struct telling *telling, const struct found_coroutine *coroutine)
{
	const struct found *before = &telling->before;
	uint32_t former;

	if (coroutine->state != FRAME_IS_READY)
		return false;
	return !telling->between || (map_get(&before->by_address, coroutine->address, &former) &&
					    before->coroutines.at[former].state == FRAME_IS_READY);
}

struct ready_place {
	uint32_t place;
	uint64_t count;
};

#define READY_PLACES 4u

static int by_count(const void *one, const void *other)
{
	uint64_t first = ((const struct ready_place *)one)->count;
	uint64_t second = ((const struct ready_place *)other)->count;

	return (first < second) - (first > second);
}

static void say_ready(struct found *found, const struct telling *telling,
	const struct ready_place *places, size_t nr_places, uint64_t nr_ready)
{
	struct text words = {0};
	size_t i;

	say_count(&words, nr_ready, "coroutine is ready to run", "coroutines are ready to run");
	text_add(&words, telling->between ? " at both looks, last" : "");
	for (i = 0; i < nr_places && i < READY_PLACES && places[i].count; i++) {
		const struct found_place *place = &found->places.at[places[i].place];

		text_format(&words, "%s %" PRIu64 " at %s (", i || !telling->between ? "," : "",
			places[i].count, place->function);
		found_place_say(&words, place);
		text_add(&words, ")");
	}
	found_words_sight(found, &words, 0);
}

/* Places differ by their stacks, too: returns the first at the same line. */
static uint32_t first_alike(struct found *found, struct map *lines, uint32_t at)
{
	const struct found_place *place = &found->places.at[at];
	bool has_line = place->file[0] || !place->module;
	const char *file = has_line ? place->file : place->module;
	uint64_t key = hash_bytes(has_line ? place->line : place->module_offset, place->function,
		strlen(place->function));
	uint32_t first = at;

	key = hash_bytes(key, file, strlen(file));
	if (!map_get(lines, key, &first) && !map_put(lines, key, at))
		found->is_out_of_memory = true;
	return first;
}

static void tell_ready_places(struct telling *telling)
{
	struct found *found = &telling->found;
	struct map lines = {0};
	struct ready_place *places = calloc(found->places.count + 1, sizeof(*places));
	uint64_t nr_ready = 0;
	uint32_t at;
	size_t i;

	if (!places) {
		found->is_out_of_memory = true;
		return;
	}
	for (i = 0; i < found->coroutines.count; i++) {
		const struct found_coroutine *coroutine = &found->coroutines.at[i];

		if (coroutine->is_initial || !is_kept_ready(telling, coroutine))
			continue;
		nr_ready++;
		/* Nothing can be said of an unknown place. */
		if (!coroutine->place)
			continue;
		at = first_alike(found, &lines, coroutine->place);
		places[at].place = at;
		places[at].count++;
	}
	qsort(places, found->places.count, sizeof(*places), by_count);
	if (nr_ready && places[0].count)
		say_ready(found, telling, places, found->places.count, nr_ready);
	map_fini(&lines);
	free(places);
}

/* What can no longer be read leads to nothing: that says nothing of who could be woken. */
static enum ct_status judge_followed(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	struct found *found = &telling->found;
	size_t i, nr_sights = found->sights.count;

	if (has_ended(again))
		return CT_OK;
	if (!follow_judge(found, telling->image))
		return ct_fail_memory(reterr);
	if (!has_ended(again))
		return CT_OK;
	found->sights.count = nr_sights;
	for (i = 0; i < found->coroutines.count; i++)
		found->coroutines.at[i].is_unreached = false;
	return CT_OK;
}

static enum ct_status find_all(
	struct telling *telling, const struct frames_again *again, struct ct_error *reterr)
{
	enum ct_status status = find(telling, again, reterr);

	if (status == CT_OK) {
		tell_blocking(telling);
		if (!telling->is_by_probe)
			tell_ready_places(telling);
	}
	return status ? status : judge_followed(telling, again, reterr);
}

static enum ct_status find_and_tell(struct telling *telling, const struct frames_again *again,
	const struct frames_past *past, struct ct_error *reterr)
{
	enum ct_status status = find_all(telling, again, reterr);

	if (status == CT_OK && telling->found.coroutines.count == 0 && !telling->found.has_stacks)
		status = refuse_unless(telling, past, reterr);
	if (status)
		return status;
	if (past && past->trouble[0])
		found_note(&telling->found, 1, true, past->trouble);
	tell_running(telling);
	narrate_found(telling);
	return telling->is_out_of_memory || telling->found.is_out_of_memory ? ct_fail_memory(reterr)
									    : CT_OK;
}

static void close_telling(struct telling *telling)
{
	size_t i;

	close_readers(telling);
	found_fini(&telling->found);
	found_fini(&telling->before);
	for (i = 0; i < telling->nr_images; i++)
		image_close(telling->images[i]);
}

static void give_source(struct telling *telling, struct ct_source **ret_source)
{
	if (telling->found.coroutines.count == 0)
		return;
	narrate_found(telling);
	if (telling->is_out_of_memory || telling->found.is_out_of_memory)
		return;
	*ret_source = &telling->source->source;
	telling->source = NULL;
}

enum ct_status frames_see(
	struct image *image, const struct frames_seeing *seeing, struct ct_error *reterr)
{
	struct telling telling = {.source = calloc(1, sizeof(*telling.source)),
		.is_by_probe = !seeing->ret_source,
		.seeing = seeing};
	enum ct_status status = CT_ERR_NO_MEMORY;

	if (seeing->ret_source)
		*seeing->ret_source = NULL;
	use_image(&telling, CT_OK, image);
	if (telling.source) {
		arena_init(&telling.source->arena);
		status = find_all(&telling, seeing->again, reterr);
	} else {
		ct_fail_memory(reterr);
	}
	if (status == CT_OK)
		see_found(&telling.found, &telling.before, seeing);
	if (status == CT_OK && seeing->ret_source)
		give_source(&telling, seeing->ret_source);
	close_telling(&telling);
	if (telling.source)
		narrate_close(telling.source);
	return status;
}

enum ct_status frames_source_open(struct image *image, const struct frames_again *again,
	const struct frames_past *past, struct ct_source **ret_source, struct ct_error *reterr)
{
	struct telling telling = {.source = calloc(1, sizeof(*telling.source))};
	enum ct_status status = CT_ERR_NO_MEMORY;

	use_image(&telling, CT_OK, image);
	if (telling.source) {
		arena_init(&telling.source->arena);
		status = find_and_tell(&telling, again, past, reterr);
	} else {
		ct_fail_memory(reterr);
	}
	if (status == CT_OK && past && past->source)
		status = join_past(&telling, past, ret_source, reterr);
	else if (past)
		source_close(past->source);
	close_telling(&telling);
	if (status && telling.source)
		narrate_close(telling.source);
	else if (telling.source)
		*ret_source = &telling.source->source;
	return status;
}
