/* SPDX-License-Identifier: MIT */
/*
 * Any memory and registers of a program that switches stacks, whose code is that of this program: contexts are
 * looked for, and calls are followed. The input is a list of words; the highest byte says what each of them
 * becomes: an address in code or memory, a mark of a saved context, or itself. Reading has to end, and what is
 * told has to lie within its lists.
 */
#include <string.h>

#include "frames/found.h"
#include "memory_file.h"

#define START UINT64_C(0x10000000)
#define WORDS 4096u
#define WORD sizeof(uint64_t)
#define FCONTEXT_MARK UINT64_C(0x0000037f00001f80)
#define UCONTEXT_FPREGS 224u
#define UCONTEXT_FPREGS_ROOM 424u

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);
int jump_fcontext(void);

/* Code that leaves a stack, which the reader finds by what it stores; nobody calls it. */
__asm__(".text\n"
	".globl leave_stack\n"
	"leave_stack:\n"
	"movq %rsp, (%rdi)\n"
	"leaq stack_is_back(%rip), %rax\n"
	"movq %rax, 8(%rdi)\n"
	"movq %rbx, 16(%rdi)\n"
	"movq %rbp, 24(%rdi)\n"
	"movq %r12, 32(%rdi)\n"
	"movq %r13, 40(%rdi)\n"
	"movq %r14, 48(%rdi)\n"
	"movq %r15, 56(%rdi)\n"
	"jmpq *8(%rsi)\n"
	".globl stack_is_back\n"
	"stack_is_back:\n"
	"ret\n");
extern const uint8_t stack_is_back[], __ehdr_start[];

struct made_stacks {
	struct image image;
	uint64_t words[WORDS];
	uint64_t code_bytes;
	uint64_t code;
};

static struct made_stacks made;
static struct modules modules;
static uint64_t sum; /* over all that is told */

static size_t read_made(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	(void)image;
	if (region->start != START)
		return 0;
	memcpy(bytes, (const uint8_t *)made.words + (address - START), nr_bytes);
	return nr_bytes;
}

static void close_nothing(struct image *image)
{
	(void)image;
}

/* The reader looks for contexts in programs that have a function of this name. */
int jump_fcontext(void)
{
	return 0;
}

/* The code of this program, with its call frame information. */
static void open_once(void)
{
	static const struct image_ops ops = {.read = read_made, .close = close_nothing};
	static char path[4096];
	struct image_region memory = {
		.start = START, .end = START + sizeof(made.words), .path = "", .is_writable = true};
	struct image_region code = {.start = UINT64_C(0x7f0000000000), .is_code = true};

	require(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0 && jump_fcontext() == 0);
	code.path = path;
	code.end = code.start + UINT64_C(0x200000);
	image_init(&made.image, &ops);
	require(image_add_region(&made.image, &memory) && image_add_region(&made.image, &code));
	made.image.program = made.image.command_line = "";
	made.code = code.start;
	made.code_bytes = code.end - code.start;
	require(modules_open(&modules, &made.image, NULL) == CT_OK && modules.count > 0);
}

static uint64_t word_of(uint64_t raw, size_t at)
{
	uint64_t own = START + at * WORD;

	switch (raw >> 56) {
	case 1:
		return made.code + (raw & 0xffffff) % made.code_bytes;
	case 2:
		return START + (raw & 0xffff) % sizeof(made.words);
	case 3:
		return FCONTEXT_MARK | (raw & 0x3f);
	case 5:
		return made.code + (uint64_t)(stack_is_back - __ehdr_start);
	case 4:
		return own - UCONTEXT_FPREGS + UCONTEXT_FPREGS_ROOM;
	default:
		return raw;
	}
}

static void check(const struct found *found)
{
	size_t i;

	for (i = 0; i < found->places.count; i++) {
		require(found->places.at[i].stack < found->calls.count);
		sum += strlen(found->places.at[i].function) + strlen(found->places.at[i].file);
	}
	for (i = 1; i < found->calls.count; i++)
		require(found->calls.at[i].caller < i &&
			found->calls.at[i].site < found->places.count);
	for (i = 0; i < found->coroutines.count; i++) {
		const struct found_coroutine *coroutine = &found->coroutines.at[i];

		require(coroutine->place < found->places.count);
		require(coroutine->function < found->places.count);
		require(coroutine->thread == FOUND_NO_THREAD ||
			coroutine->thread < made.image.threads.count);
	}
}

static void look(const struct found_reader_ops *ops, struct found *found)
{
	struct found_reader *reader;

	require(ops->open(&made.image, &modules, &reader, NULL) == CT_OK);
	require(ops->look(reader, &made.image, found, NULL) == CT_OK);
	ops->close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	struct image_thread thread = {.tid = 1, .known = (UINT32_C(1) << IMAGE_REGISTERS) - 1};
	struct arena arena;
	struct found found;
	uint64_t raw;
	size_t i;

	if (modules.count == 0)
		open_once();
	memset(made.words, 0, sizeof(made.words));
	for (i = 0; i < WORDS && (i + 1) * WORD <= nr_bytes; i++) {
		memcpy(&raw, bytes + i * WORD, WORD);
		made.words[i] = word_of(raw, i);
	}
	memcpy(thread.registers, made.words, sizeof(thread.registers));
	thread.stack_pointer = thread.registers[7];
	made.image.threads.count = 0;
	require(vec_push(&made.image.threads, thread));
	arena_init(&arena);
	found_init(&found, &arena);
	look(&found_threads, &found);
	look(&found_stackful, &found);
	check(&found);
	found_fini(&found);
	arena_fini(&arena);
	return 0;
}
