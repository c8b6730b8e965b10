/* SPDX-License-Identifier: MIT */
/*
 * The stacks on which an interpreter's threads have the frames of their functions (python_tasks.h): memory of which a
 * thread's state has the address, how much is in use, and the end, side by side.
 */
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "frames/python_tasks.h"
#include "say/say.h"

#define WORD sizeof(uint64_t)
#define PAGE UINT64_C(4096)
#define LEAST_BYTES UINT64_C(16384)
#define MOST_BYTES (UINT64_C(1) << 30)
#define HEAD_WORDS 3u
#define STATE_WORDS 96u /* of a thread's state, in front of that */

/* A stack begins with the address of the one before it, and with its own size. */
static bool is_stack(const struct image *image, const uint64_t *words)
{
	uint64_t head[HEAD_WORDS], start = words[0], bytes = words[2] - words[0];

	return start && start % PAGE == 0 && bytes >= LEAST_BYTES && bytes <= MOST_BYTES &&
	       bytes % LEAST_BYTES == 0 && words[1] >= start + HEAD_WORDS * WORD &&
	       words[1] <= words[2] && words[1] % WORD == 0 &&
	       image_read(image, start, head, sizeof(head)) == sizeof(head) && head[1] == bytes;
}

static uint32_t thread_at(const struct image *image, uint64_t address)
{
	uint64_t words[STATE_WORDS];
	size_t count, i;
	uint32_t at;

	count = image_read(image, address - sizeof(words), words, sizeof(words)) / WORD;
	for (i = count; i-- > 0;)
		for (at = 0; at < image->threads.count; at++)
			if (words[i] == image->threads.at[at].tid)
				return at;
	return FOUND_NO_THREAD;
}

/* The state of a thread that has ended may still be there, and its stack be another one's now. */
static bool take_stack(struct found_python *python, const struct found_python_stack *stack)
{
	struct found_python_stack *known;
	size_t i;

	for (i = 0; i < python->stacks.count; i++) {
		known = &python->stacks.at[i];
		if (known->start != stack->start)
			continue;
		if (stack->top > known->top)
			*known = *stack;
		return true;
	}
	return vec_push(&python->stacks, *stack);
}

bool python_stacks_look(
	struct python *python, const uint64_t *words, size_t count, uint64_t address)
{
	struct found_python_stack stack;
	size_t i;

	for (i = 0; i + 2 < count; i++) {
		if (words[i] % PAGE || words[i + 1] - words[i] > MOST_BYTES ||
			!is_stack(python->image, words + i))
			continue;
		stack.start = words[i];
		stack.top = words[i + 1];
		stack.end = words[i + 2];
		stack.thread = thread_at(python->image, address + i * WORD);
		if (!take_stack(&python->found->python, &stack))
			return false;
	}
	return true;
}

/* ---------------------------------------------------------------- frames */

#define FRAMES_MAX 512u
#define FRAMES_TOLD 8u
#define BYTES_MAX 65536u

struct frame {
	uint64_t code;
	uint32_t line;
};

struct frames {
	struct frame at[FRAMES_MAX]; /* the outermost first */
	uint32_t count;
};

/* Reads the frame at the address; returns its size, 0: there is none. */
static uint64_t read_frame(struct python *python, uint64_t address, struct frame *ret_frame)
{
	const struct python_layout *layout = python->layout;
	const struct python_code *code;
	uint64_t instruction;

	if (!image_read_word(python->image, address + layout->code, &ret_frame->code) ||
		!image_read_word(python->image, address + layout->instruction, &instruction))
		return 0;
	ret_frame->code = python_value(ret_frame->code);
	code = python_code_at(python, ret_frame->code);
	if (!code)
		return 0;
	ret_frame->line = python_code_line(code->table, code->table_bytes, code->first_line,
		instruction - ret_frame->code - layout->instructions);
	return layout->locals + ((uint64_t)code->nr_locals + code->nr_values) * WORD;
}

/* Frames lie one behind the other; the first stack of a thread has a word in front of them. */
static void read_frames(
	struct python *python, const struct found_python_stack *stack, struct frames *ret_frames)
{
	uint64_t before = 0, bytes, address = stack->start + HEAD_WORDS * WORD;

	ret_frames->count = 0;
	image_read_word(python->image, stack->start, &before);
	if (!before)
		address += WORD;
	while (address < stack->top && ret_frames->count < FRAMES_MAX) {
		bytes = read_frame(python, address, &ret_frames->at[ret_frames->count]);
		if (bytes == 0 || bytes > BYTES_MAX)
			return;
		ret_frames->count++;
		address += bytes;
	}
}

static void add_frame(struct text *words, struct python *python, const struct frame *frame)
{
	const struct python_code *code = python_code_at(python, frame->code);

	if (!code)
		return;
	text_format(words, "%s (", code->name);
	say_file(words, code->file);
	text_format(words, ":%" PRIu32 ")", frame->line);
}

/* "thread python (123) is in get (queues.py:103), called by run (threads.py:7)" */
static void tell_stack(struct python *python, const struct found_python_stack *stack)
{
	const struct image_thread *thread;
	struct frames frames;
	struct text words = {0};
	uint32_t i;

	if (stack->thread == FOUND_NO_THREAD)
		return;
	read_frames(python, stack, &frames);
	thread = &python->image->threads.at[stack->thread];
	text_format(&words, "thread %s (%" PRIu64 ") is in ", thread->name, thread->tid);
	for (i = 0; i < frames.count && i < FRAMES_TOLD; i++) {
		if (i > 0)
			text_add(&words, ", called by ");
		add_frame(&words, python, &frames.at[frames.count - 1 - i]);
	}
	if (frames.count > 0) {
		found_sight(python->found, text_peek(&words));
		python->found->has_stacks = true;
	}
	text_fini(&words);
}

/* A task's own coroutines keep their frames in themselves: behind that which runs a callback are those they called. */
static bool runs_callbacks(struct python *python, const struct frame *frame)
{
	const struct python_code *code = python_code_at(python, frame->code);

	return code && strcmp(code->name, "Handle._run") == 0 && strstr(code->file, "asyncio");
}

const char *python_stacks_callees(struct python *python, uint32_t thread)
{
	const char *kept = NULL;
	struct frames frames;
	struct text words = {0};
	size_t i;
	uint32_t at;

	for (i = 0; i < python->found->python.stacks.count && !kept; i++) {
		const struct found_python_stack *stack = &python->found->python.stacks.at[i];

		if (stack->thread != thread)
			continue;
		read_frames(python, stack, &frames);
		for (at = frames.count; at > 0 && !runs_callbacks(python, &frames.at[at - 1]); at--)
			;
		if (at == 0)
			continue;
		for (at = frames.count - at; at > 0; at--) {
			const struct frame *frame = &frames.at[frames.count - 1];

			text_add(&words, text_peek(&words)[0] ? ", called by " : "");
			add_frame(&words, python, frame);
			frames.count--;
		}
		if (text_peek(&words)[0])
			kept = found_text(python->found, text_peek(&words));
		text_clear(&words);
	}
	text_fini(&words);
	return kept;
}

void python_stacks_tell(struct python *python)
{
	size_t i;

	for (i = 0; i < python->found->python.stacks.count; i++)
		tell_stack(python, &python->found->python.stacks.at[i]);
}
