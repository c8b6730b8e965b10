/* SPDX-License-Identifier: MIT */
/* The reader of C++20 (found.h): code, scan and link, told as what was found. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "corotracer/ctp.h"
#include "frames/awaited.h"
#include "frames/given.h"
#include "frames/locals.h"
#include "frames/awaited_objects.h"
#include "frames/scan.h"
#include "frames/stores.h"

#define WORDS_MAX 400

struct found_reader {
	struct image *image; /* the first one */
	struct code code;
};

/* What is being told of one look. */
struct telling {
	struct scan scan;
	struct found *found;
	struct awaited_objects objects;
};

/* ---------------------------------------------------------------- places */

/* Places that the compiler merged: "AsyncRead, or line 40, or line 52". */
static const char *reason_of(struct found *found, const struct code_point *point)
{
	char text[WORDS_MAX + 112];
	const char *type;
	size_t i, length = 0;
	int nr_chars;

	if (!point || point->is_initial)
		return "";
	type = point->awaiter;
	nr_chars = awaited_name(&type, WORDS_MAX);
	length = (size_t)snprintf(text, sizeof(text), "%.*s", nr_chars, type);
	for (i = 0; i < sizeof(point->others) / sizeof(*point->others) && point->others[i]; i++)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
			"%sor line %" PRIu32, length ? ", " : "", point->others[i]);
	return found_text(found, text);
}

static struct found_place place_of(
	struct found *found, const struct code_function *function, const struct code_point *point)
{
	struct found_place place = {.reason = reason_of(found, point)};

	place.function = found_text(found, function->name);
	place.file = found_text(found, point && point->line ? point->file : function->file);
	place.line = point && point->line ? point->line : function->line;
	if (place.reason[0])
		place.form = CTP_FORM_CO_AWAIT;
	return place;
}

/* The place of a suspended frame, or with is_function the function itself. */
static uint32_t take_place(
	const struct telling *telling, const struct frame *frame, bool is_function)
{
	const struct code_function *function = scan_function(&telling->scan, frame);
	const struct code_point *point = is_function ? NULL : code_point_of(function, frame->index);
	uint64_t words[] = {
		frame->function, point ? (uint64_t)(point - function->shape.points.at) + 1 : 0};
	uint64_t key = hash_bytes(HASH_START, words, sizeof(words));
	struct found_place place;
	uint32_t index;

	if (found_has_place(telling->found, key, &index))
		return index;
	place = place_of(telling->found, function, point);
	return found_place(telling->found, key, &place);
}

/* ---------------------------------------------------------------- coroutines */

static void take_wait(
	const struct telling *telling, const struct frame *frame, struct found_coroutine *coroutine)
{
	const struct code_point *point =
		code_point_of(scan_function(&telling->scan, frame), frame->index);

	coroutine->place = take_place(telling, frame, false);
	coroutine->is_initial = point && point->is_initial;
	if (frame->has_awaited)
		coroutine->awaited = telling->scan.frames.at[frame->awaited].address;
	else if (frame->has_descriptor)
		coroutine->object =
			CTP_HANDLE(CTP_RESOURCE_DESCRIPTOR, (uint32_t)frame->descriptor);
}

/* The number that a probe gave it, if its promise has room for one. */
static uint64_t identity_of(const struct telling *telling, const struct frame *frame)
{
	const struct code_shape *shape = &scan_function(&telling->scan, frame)->shape;
	uint64_t identity = 0;

	if (shape->identity_offset == 0 ||
		!image_read_word(
			telling->scan.image, frame->address + shape->identity_offset, &identity))
		return 0;
	return identity;
}

/* Values of arguments and local variables; NULL: none is known. */
static const char *words_of_values(const struct telling *telling, const struct frame *frame)
{
	struct text text = {0};
	const struct code_function *function = scan_function(&telling->scan, frame);

	given_tell(function, telling->scan.image, frame->address, &text);
	locals_tell(function, code_point_of(function, frame->index), telling->scan.image,
		frame->address, &text);
	return found_words(telling->found, &text, 0);
}

static void take_frames(struct telling *telling)
{
	size_t i;

	for (i = 0; i < telling->scan.frames.count && !telling->found->is_out_of_memory; i++) {
		const struct frame *frame = &telling->scan.frames.at[i];
		uint64_t content[] = {frame->function, frame->index, frame->content};
		struct found_coroutine coroutine = {.address = frame->address,
			.state = frame->state,
			.name = "",
			.thread = frame->thread,
			.bytes = scan_function(&telling->scan, frame)->shape.bytes,
			.identity = identity_of(telling, frame),
			.has_probe =
				scan_function(&telling->scan, frame)->shape.identity_offset != 0,
			.is_frame = true,
			.knot = KNOT_FRAME,
			.content = hash_bytes(HASH_START, content, sizeof(content))};

		coroutine.function = take_place(telling, frame, true);
		if (frame->state == FRAME_WAITS || frame->state == FRAME_RUNS)
			take_wait(telling, frame, &coroutine);
		if (frame->state == FRAME_WAITS && i < FOUND_TOLD) {
			coroutine.variables = words_of_values(telling, frame);
			if (!frame->has_awaited)
				coroutine.awaits = awaited_objects_take(&telling->objects, i);
		}
		found_coroutine(telling->found, &coroutine);
	}
}

/* ---------------------------------------------------------------- notes */

static void take_modules(const struct telling *telling)
{
	const struct code *code = telling->scan.code;
	char text[PATH_MAX + 256];
	size_t i;

	for (i = 0; i < code->modules->count; i++) {
		const struct module *module = &code->modules->at[i];

		snprintf(text, sizeof(text), "the coroutines of '%s' are not known: %s",
			module->path, module->remark);
		found_note(telling->found, module->remark[0] != '\0', true, text);
	}
}

static uint64_t count_without_shape(const struct telling *telling)
{
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < telling->scan.frames.count; i++)
		count += scan_function(&telling->scan, &telling->scan.frames.at[i])->shape.bytes ==
			 0;
	return count;
}

/* A program that has none of these coroutines is not told about them. */
static void take_limits(const struct telling *telling)
{
	const struct scan *scan = &telling->scan;

	if (scan->frames.count == 0)
		return;
	found_note(telling->found, scan->nr_unread, true,
		"bytes of writable memory could not be read");
	found_note(telling->found, scan->nr_changed, true,
		"coroutines ended while they were read, and were left out");
	found_note(telling->found, scan->nr_freed, false,
		"frames of coroutines lie in memory that is free again, and were left out");
	found_note(telling->found, count_without_shape(telling), false,
		"coroutines have functions without debug information: their lines are not known; "
		"build with -g, or install the debug symbols");
	take_modules(telling);
}

/* ---------------------------------------------------------------- the reader */

static void close_reader(struct found_reader *reader)
{
	code_close(&reader->code);
	free(reader);
}

/* Without a coroutine function, no code has to be decoded. */
static enum ct_status open_reader(struct image *image, const struct modules *modules,
	struct found_reader **ret_reader, struct ct_error *reterr)
{
	struct found_reader *reader = calloc(1, sizeof(*reader));
	enum ct_status status;

	if (!reader)
		return ct_fail_memory(reterr);
	reader->image = image;
	status = code_open(&reader->code, image, modules, reterr);
	if (status == CT_OK && reader->code.functions.count > 0)
		status = stores_prepare(reterr);
	if (status)
		close_reader(reader);
	else
		*ret_reader = reader;
	return status;
}

static enum ct_status look(struct found_reader *reader, struct image *image, struct found *found,
	struct ct_error *reterr)
{
	struct telling telling = {.found = found};
	enum ct_status status = scan_frames(&telling.scan, image, &reader->code, reterr);

	telling.scan.found = found;
	telling.objects = (struct awaited_objects){.scan = &telling.scan, .found = found};
	if (status == CT_OK)
		status = scan_link(&telling.scan, reterr);
	if (status == CT_OK) {
		take_frames(&telling);
		awaited_objects_tell(&telling.objects);
		take_limits(&telling);
	}
	scan_fini(&telling.scan);
	awaited_objects_fini(&telling.objects);
	return status;
}

static enum ct_status why_not(const struct found_reader *reader, char *words, size_t nr_bytes)
{
	const struct code *code = &reader->code;
	const char *program = reader->image->program;
	size_t i;

	for (i = 0; i < code->modules->count; i++) {
		if (strcmp(code->modules->at[i].path, program) != 0 ||
			!code->modules->at[i].remark[0])
			continue;
		snprintf(words, nr_bytes, "of '%s', %s", program, code->modules->at[i].remark);
		return CT_ERR_NOT_FOUND;
	}
	if (code->functions.count == 0)
		return CT_OK;
	snprintf(words, nr_bytes,
		"the program has %zu coroutine functions, and none of their frames is alive",
		code->functions.count);
	return CT_ERR_NOT_FOUND;
}

const struct found_reader_ops found_cpp = {open_reader, look, why_not, close_reader};
