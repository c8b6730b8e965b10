/* SPDX-License-Identifier: MIT */
/*
 * The memory in a core dump (image.h). elf(5) and core(5) describe the form; the kernel's notes are those of
 * linux/elfcore.h. Nothing of the file is trusted.
 */
#include <elf.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/procfs.h>
#include <unistd.h>

#include "base/path.h"
#include "frames/image.h"
#include "symbol/elf_file.h"

#define HEADERS_MAX 1048576u
#define NOTES_MAX_BYTES ((uint64_t)256 << 20)
#define PATHS_MAX 1048576u
#define THREADS_MAX 65536u

#if defined(__x86_64__)
#define STACK_POINTER 19 /* index in struct user_regs_struct */
/* where that has what DWARF numbers so: RAX, RDX, RCX, RBX, RSI, RDI, RBP, RSP, R8 to R15, RIP */
static const uint8_t registers_at[] = {10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0, 16};
#elif defined(__aarch64__)
#define STACK_POINTER 31
static const uint8_t registers_at[] = {0};
#else
#error "where is the stack pointer among the registers of a core dump?"
#endif

/* A mapped file, as the note NT_FILE lists it. */
struct core_file {
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	const char *path;
};

/* A file whose bytes the dump leaves out, because nothing changed them. */
struct left_out {
	const char *path;
	int descriptor; /* -1: it is not there, or another one */
};

/* Such files, as they are needed. */
struct left_outs {
	VEC(struct left_out) files;
	bool is_looking; /* for a file: what is read meanwhile comes from the dump alone */
};

struct core_image {
	struct image image;
	struct input *input;
	VEC(struct core_file) files; /* by address */
	struct left_outs *left_outs;
};

static bool read_exactly(
	const struct core_image *core, uint64_t offset, void *bytes, size_t nr_bytes)
{
	size_t nr_read = 0;

	return input_read(core->input, offset, bytes, nr_bytes, &nr_read, NULL) == CT_OK &&
	       nr_read == nr_bytes;
}

/* ---------------------------------------------------------------- what a dump leaves out */

static int open_left_out(const struct image *image, const char *path)
{
	char build_id[SYMBOL_BUILD_ID_SIZE];

	symbol_build_id(image->root, path, build_id);
	return build_id[0] && image_has_mapped(image, path, build_id)
		       ? symbol_open_file(image->root, path)
		       : -1;
}

static int left_out_at(const struct core_image *core, const char *path)
{
	struct left_outs *all = core->left_outs;
	struct left_out fresh = {.path = path};
	size_t i;

	for (i = 0; i < all->files.count; i++)
		if (strcmp(all->files.at[i].path, path) == 0)
			return all->files.at[i].descriptor;
	all->is_looking = true;
	fresh.descriptor = open_left_out(&core->image, path);
	all->is_looking = false;
	if (!vec_push(&all->files, fresh) && fresh.descriptor >= 0) {
		close(fresh.descriptor);
		return -1;
	}
	return fresh.descriptor;
}

static size_t read_left_out(const struct core_image *core, const struct image_region *region,
	uint64_t within, void *bytes, size_t nr_bytes)
{
	ssize_t nr_read;
	int descriptor;

	if (region->is_writable || region->path[0] != '/' || core->left_outs->is_looking)
		return 0;
	descriptor = left_out_at(core, region->path);
	if (descriptor < 0)
		return 0;
	nr_read = pread(descriptor, bytes, nr_bytes, (off_t)(region->offset + within));
	return nr_read < 0 ? 0 : (size_t)nr_read;
}

static void close_left_outs(struct left_outs *all)
{
	size_t i;

	for (i = 0; all && i < all->files.count; i++)
		if (all->files.at[i].descriptor >= 0)
			close(all->files.at[i].descriptor);
	if (all)
		vec_fini(&all->files);
	free(all);
}

/* Constants and code that the dump leaves out are read from the file that was mapped there. */
static size_t core_read(const struct image *image, const struct image_region *region,
	uint64_t address, void *bytes, size_t nr_bytes)
{
	const struct core_image *core = (const struct core_image *)image;
	uint64_t within = address - region->start;
	size_t nr_read = 0;

	if (within >= region->core_bytes)
		return read_left_out(core, region, within, bytes, nr_bytes);
	if (nr_bytes > region->core_bytes - within)
		nr_bytes = (size_t)(region->core_bytes - within);
	if (input_read(core->input, region->core_offset + within, bytes, nr_bytes, &nr_read, NULL))
		return 0;
	return nr_read;
}

static void core_close(struct image *image)
{
	struct core_image *core = (struct core_image *)image;

	vec_fini(&core->files);
	close_left_outs(core->left_outs);
	input_close(core->input);
	free(core);
}

static const struct image_ops core_ops = {.read = core_read, .close = core_close};

/* ---------------------------------------------------------------- notes */

/* "count, page size, count times {start, end, offset in pages}, count paths" */
static bool take_files(struct core_image *core, const uint8_t *content, size_t nr_bytes)
{
	const char *path, *end = (const char *)content + nr_bytes;
	uint64_t head[2], row[3], i;

	if (nr_bytes < sizeof(head))
		return true;
	memcpy(head, content, sizeof(head));
	if (head[0] > PATHS_MAX || head[0] > (nr_bytes - sizeof(head)) / sizeof(row))
		return true;
	path = (const char *)content + sizeof(head) + head[0] * sizeof(row);
	for (i = 0; i < head[0]; i++) {
		size_t length = strnlen(path, (size_t)(end - path));
		struct core_file file;

		if (path + length == end)
			return true;
		memcpy(row, content + sizeof(head) + i * sizeof(row), sizeof(row));
		file.start = row[0];
		file.end = row[1];
		if (__builtin_mul_overflow(row[2], head[1], &file.offset))
			return true;
		file.path = arena_text(&core->image.arena, path, length);
		if (!file.path || !vec_push(&core->files, file))
			return false;
		path += length + 1;
	}
	return true;
}

static bool take_thread(struct core_image *core, const uint8_t *content, size_t nr_bytes)
{
	struct elf_prstatus status;
	struct image_thread thread = {0};
	size_t i;

	if (nr_bytes < sizeof(status) || core->image.threads.count == THREADS_MAX)
		return true;
	memcpy(&status, content, sizeof(status));
	thread.tid = (uint64_t)status.pr_pid;
	thread.stack_pointer = status.pr_reg[STACK_POINTER];
	thread.call = PROCFS_UNKNOWN_CALL;
	for (i = 0; sizeof(registers_at) == IMAGE_REGISTERS && i < IMAGE_REGISTERS; i++) {
		thread.registers[i] = status.pr_reg[registers_at[i]];
		thread.known |= UINT32_C(1) << i;
	}
	/* The thread that got the signal comes first. */
	if (core->image.threads.count == 0)
		core->image.signal = status.pr_cursig;
	/* What the kernel held for the program is in no dump. */
	core->image.lacks_held = true;
	return vec_push(&core->image.threads, thread);
}

static bool take_program(struct core_image *core, const uint8_t *content, size_t nr_bytes)
{
	struct image *image = &core->image;
	struct elf_prpsinfo info;

	if (nr_bytes < sizeof(info))
		return true;
	memcpy(&info, content, sizeof(info));
	image->pid = (uint64_t)info.pr_pid;
	image->command_line = arena_text(
		&image->arena, info.pr_psargs, strnlen(info.pr_psargs, sizeof(info.pr_psargs)));
	return image->command_line != NULL;
}

static bool take_note(struct core_image *core, const struct elf_note *note)
{
	switch (note->type) {
	case NT_FILE:
		return take_files(core, note->content, note->content_bytes);
	case NT_PRSTATUS:
		return take_thread(core, note->content, note->content_bytes);
	case NT_PRPSINFO:
		return take_program(core, note->content, note->content_bytes);
	default:
		return true;
	}
}

static bool take_notes(struct core_image *core, const uint8_t *notes, uint64_t nr_bytes)
{
	struct elf_note note;
	uint64_t at = 0;

	while (symbol_elf_next_note(notes, (size_t)nr_bytes, &at, &note))
		if (!take_note(core, &note))
			return false;
	return true;
}

static enum ct_status read_notes(
	struct core_image *core, const Elf64_Phdr *header, struct ct_error *reterr)
{
	uint64_t nr_bytes = header->p_filesz < NOTES_MAX_BYTES ? header->p_filesz : NOTES_MAX_BYTES;
	uint8_t *notes = malloc(nr_bytes ? (size_t)nr_bytes : 1);
	enum ct_status status = CT_OK;

	if (!notes)
		return ct_fail_memory(reterr);
	if (!read_exactly(core, header->p_offset, notes, (size_t)nr_bytes))
		core->image.is_cut = true;
	else if (!take_notes(core, notes, nr_bytes))
		status = ct_fail_memory(reterr);
	free(notes);
	return status;
}

/* ---------------------------------------------------------------- memory */

static bool take_region(struct core_image *core, const Elf64_Phdr *header)
{
	struct image_region region = {
		.start = header->p_vaddr,
		.path = "",
		.is_writable = header->p_flags & PF_W,
		.is_code = header->p_flags & PF_X,
		.core_offset = header->p_offset,
		.core_bytes = header->p_filesz,
	};
	uint64_t left;

	if (__builtin_add_overflow(header->p_vaddr, header->p_memsz, &region.end))
		return true;
	if (region.core_bytes > header->p_memsz)
		region.core_bytes = header->p_memsz;
	left = header->p_offset < core->input->nr_bytes ? core->input->nr_bytes - header->p_offset
							: 0;
	if (region.core_bytes > left) {
		region.core_bytes = left;
		core->image.is_cut = true;
	}
	return image_add_region(&core->image, &region);
}

static int compare_files(const void *left, const void *right)
{
	const struct core_file *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

/* A region and a file's mapping begin at the same address. */
static void name_regions(struct core_image *core)
{
	size_t i, nr;

	for (i = 0; i < core->image.regions.count; i++) {
		struct image_region *region = &core->image.regions.at[i];

		nr = vec_count_while(
			core->files.count, j, core->files.at[j].start <= region->start);
		if (nr == 0 || region->start >= core->files.at[nr - 1].end)
			continue;
		region->path = core->files.at[nr - 1].path;
		region->offset = core->files.at[nr - 1].offset + region->start -
				 core->files.at[nr - 1].start;
	}
}

/* Code lies in one of several mappings of its file. */
static bool has_neighbour(const struct core_image *core, size_t file)
{
	const struct core_file *at = core->files.at;

	return (file > 0 && strcmp(at[file - 1].path, at[file].path) == 0) ||
	       (file + 1 < core->files.count && strcmp(at[file + 1].path, at[file].path) == 0);
}

/*
 * Debuggers do not list what their dumps leave out, as the kernel does: mapped files, or their parts, up to the limit
 * that no region has.
 */
static bool add_left_outs(struct core_image *core, size_t *next, uint64_t limit)
{
	struct image *image = &core->image;

	while (*next < core->files.count && core->files.at[*next].start < limit) {
		const struct core_file *file = &core->files.at[*next];
		struct image_region region = {.start = file->start,
			.end = file->end < limit ? file->end : limit,
			.path = "",
			.is_code = has_neighbour(core, *next)};
		size_t count = image->regions.count;

		if (count > 0 && region.start < image->regions.at[count - 1].end)
			region.start = image->regions.at[count - 1].end;
		if (!image_add_region(image, &region))
			return false;
		if (file->end > limit)
			return true;
		(*next)++;
	}
	return true;
}

static bool take_regions(struct core_image *core, const Elf64_Phdr *headers, uint32_t count)
{
	size_t next = 0;
	uint32_t i;

	for (i = 0; i < count; i++)
		if (headers[i].p_type == PT_LOAD &&
			(!add_left_outs(core, &next, headers[i].p_vaddr) ||
				!take_region(core, &headers[i])))
			return false;
	return add_left_outs(core, &next, UINT64_MAX);
}

static int compare_headers(const void *left, const void *right)
{
	const Elf64_Phdr *a = left, *b = right;

	return a->p_vaddr < b->p_vaddr ? -1 : a->p_vaddr > b->p_vaddr;
}

static enum ct_status take_headers(
	struct core_image *core, Elf64_Phdr *headers, uint32_t count, struct ct_error *reterr)
{
	enum ct_status status;
	uint32_t i;

	qsort(headers, count, sizeof(*headers), compare_headers);
	for (i = 0; i < count; i++) {
		if (headers[i].p_type != PT_NOTE)
			continue;
		status = read_notes(core, &headers[i], reterr);
		if (status)
			return status;
	}
	if (core->files.count)
		qsort(core->files.at, core->files.count, sizeof(*core->files.at), compare_files);
	if (!take_regions(core, headers, count))
		return ct_fail_memory(reterr);
	name_regions(core);
	return CT_OK;
}

/* With 65,535 headers or more, the first section's header has their number. */
static bool count_headers(
	const struct core_image *core, const Elf64_Ehdr *first, uint32_t *ret_count)
{
	Elf64_Shdr section;

	*ret_count = first->e_phnum;
	if (first->e_phnum != PN_XNUM)
		return true;
	if (first->e_shoff == 0 || !read_exactly(core, first->e_shoff, &section, sizeof(section)))
		return false;
	*ret_count = section.sh_info;
	return true;
}

static enum ct_status read_core(struct core_image *core, struct ct_error *reterr)
{
	Elf64_Ehdr first;
	Elf64_Phdr *headers;
	uint32_t count;
	enum ct_status status;

	if (!read_exactly(core, 0, &first, sizeof(first)) || !count_headers(core, &first, &count) ||
		first.e_phentsize != sizeof(*headers) || count == 0 || count > HEADERS_MAX)
		return ct_fail_at(reterr, CT_ERR_FORMAT, 0,
			"a core dump without its list of memory, which is all that can be read of "
			"one");
	headers = calloc(count, sizeof(*headers));
	if (!headers)
		return ct_fail_memory(reterr);
	if (read_exactly(core, first.e_phoff, headers, count * sizeof(*headers)))
		status = take_headers(core, headers, count, reterr);
	else
		status = ct_fail_at(reterr, CT_ERR_FORMAT, first.e_phoff,
			"a core dump that ends before its list of memory does");
	free(headers);
	return status;
}

/*
 * Files that a program has mapped are known by whole paths without superfluous steps. A step upwards stays: before it
 * may be a link. NULL: no memory.
 */
static const char *whole_path(struct arena *arena, const char *path)
{
	char folder[PATH_MAX], *whole;

	if (path[0] == '/' || !getcwd(folder, sizeof(folder)))
		whole = arena_text(arena, path, strlen(path));
	else
		whole = arena_format(arena, "%s/%s", folder, path);
	if (whole && !strstr(path, ".."))
		path_tidy(whole);
	return whole;
}

/* The executable is the mapped file that holds the entry point; the kernel maps it first. */
static void find_program(struct core_image *core, const char *program)
{
	size_t i;

	if (core->files.count == 0)
		return;
	core->image.program = core->files.at[0].path;
	if (!program)
		return;
	for (i = 0; i < core->image.regions.count; i++)
		if (strcmp(core->image.regions.at[i].path, core->image.program) == 0)
			core->image.regions.at[i].path = program;
	core->image.program = program;
}

bool image_is_core(const void *first_bytes, size_t nr_bytes)
{
	Elf64_Ehdr first;

	if (nr_bytes < sizeof(first))
		return false;
	memcpy(&first, first_bytes, sizeof(first));
	return memcmp(first.e_ident, ELFMAG, SELFMAG) == 0 &&
	       first.e_ident[EI_CLASS] == ELFCLASS64 && first.e_ident[EI_DATA] == ELFDATA2LSB &&
	       first.e_type == ET_CORE;
}

enum ct_status image_open_core(
	struct input *input, const char *program, struct image **ret_image, struct ct_error *reterr)
{
	struct core_image *core = calloc(1, sizeof(*core));
	enum ct_status status;

	if (!core) {
		input_close(input);
		return ct_fail_memory(reterr);
	}
	image_init(&core->image, &core_ops);
	core->input = input;
	core->left_outs = calloc(1, sizeof(*core->left_outs));
	status = core->left_outs ? read_core(core, reterr) : ct_fail_memory(reterr);
	if (status == CT_OK && program) {
		program = whole_path(&core->image.arena, program);
		if (!program)
			status = ct_fail_memory(reterr);
	}
	if (status) {
		input_fail(input, status, reterr);
		image_close(&core->image);
		return status;
	}
	find_program(core, program);
	*ret_image = &core->image;
	return CT_OK;
}
