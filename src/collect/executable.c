/* SPDX-License-Identifier: MIT */
/* Finding a command, and deciding by its ELF headers whether a preload library works with it. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/io.h"
#include "collect/executable.h"

#define PROGRAM_HEADERS_MAX 512u
#define DYNAMIC_ENTRIES_MAX 4096u
#define STRINGS_BYTES_MAX (64u << 20)
#define NOTES_BYTES_MAX 4096u
#define SCRIPT_DEPTH_MAX 4
#define DEFAULT_PATH "/usr/local/bin:/bin:/usr/bin"

/* An ELF file under examination. */
struct image {
	int descriptor;
	Elf64_Ehdr header;
	Elf64_Phdr programs[PROGRAM_HEADERS_MAX];
	char *strings; /* of the dynamic section, with a NUL before and after */
	size_t strings_bytes;
	Elf64_Dyn dynamic[DYNAMIC_ENTRIES_MAX];
	size_t nr_dynamic;
};

/* Names of libraries that must be loaded before any preload library: sanitizers. */
static const char *const sanitizer_libraries[] = {"libasan.so", "libtsan.so", "liblsan.so",
	"libhwasan.so", "libclang_rt.asan", "libclang_rt.tsan", "libclang_rt.hwasan"};
static const char *const sanitizer_symbols[] = {
	"__asan_init", "__tsan_init", "__msan_init", "__lsan_init", "__hwasan_init"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool read_at(int descriptor, void *bytes, size_t nr_bytes, uint64_t offset)
{
	return io_read_at(descriptor, bytes, nr_bytes, offset) == (ssize_t)nr_bytes;
}

static bool read_programs(struct image *image)
{
	const Elf64_Ehdr *header = &image->header;

	if (header->e_phentsize != sizeof(Elf64_Phdr) || header->e_phnum > PROGRAM_HEADERS_MAX)
		return false;
	return read_at(image->descriptor, image->programs, header->e_phnum * sizeof(Elf64_Phdr),
		header->e_phoff);
}

static const Elf64_Phdr *find_program(const struct image *image, uint32_t type)
{
	unsigned i;

	for (i = 0; i < image->header.e_phnum; i++)
		if (image->programs[i].p_type == type)
			return &image->programs[i];
	return NULL;
}

/* Returns the file offset of an address, or UINT64_MAX. */
static uint64_t find_offset(const struct image *image, uint64_t address)
{
	unsigned i;

	for (i = 0; i < image->header.e_phnum; i++) {
		const Elf64_Phdr *program = &image->programs[i];

		if (program->p_type == PT_LOAD && address >= program->p_vaddr &&
			address - program->p_vaddr < program->p_filesz)
			return program->p_offset + (address - program->p_vaddr);
	}
	return UINT64_MAX;
}

static uint64_t find_dynamic(const struct image *image, int64_t tag)
{
	size_t i;

	for (i = 0; i < image->nr_dynamic; i++)
		if (image->dynamic[i].d_tag == tag)
			return image->dynamic[i].d_un.d_val;
	return 0;
}

static bool read_strings(struct image *image)
{
	uint64_t offset = find_offset(image, find_dynamic(image, DT_STRTAB));
	uint64_t bytes = find_dynamic(image, DT_STRSZ);

	if (offset == UINT64_MAX || bytes == 0 || bytes > STRINGS_BYTES_MAX)
		return false;
	image->strings = calloc(1, bytes + 2);
	if (!image->strings)
		return false;
	image->strings_bytes = bytes + 2;
	return read_at(image->descriptor, image->strings + 1, bytes, offset);
}

static bool read_dynamic(struct image *image)
{
	const Elf64_Phdr *program = find_program(image, PT_DYNAMIC);
	size_t count;

	if (!program)
		return false;
	count = program->p_filesz / sizeof(Elf64_Dyn);
	if (count > DYNAMIC_ENTRIES_MAX)
		return false;
	if (!read_at(image->descriptor, image->dynamic, count * sizeof(Elf64_Dyn),
		    program->p_offset))
		return false;
	while (image->nr_dynamic < count && image->dynamic[image->nr_dynamic].d_tag != DT_NULL)
		image->nr_dynamic++;
	return read_strings(image);
}

/* Returns the text at an offset of the dynamic strings; "" outside of them. */
static const char *string_at(const struct image *image, uint64_t offset)
{
	return offset < image->strings_bytes - 2 ? image->strings + 1 + offset : "";
}

static bool needs_sanitizer(const struct image *image)
{
	size_t i;
	size_t k;

	for (i = 0; i < image->nr_dynamic; i++) {
		const char *name = string_at(image, image->dynamic[i].d_un.d_val);

		if (image->dynamic[i].d_tag != DT_NEEDED)
			continue;
		for (k = 0; k < COUNT(sanitizer_libraries); k++)
			if (strncmp(name, sanitizer_libraries[k], strlen(sanitizer_libraries[k])) ==
				0)
				return true;
	}
	return false;
}

/* A run-time library that is linked statically is recognised by its symbols. */
static bool holds_sanitizer(const struct image *image)
{
	char wanted[32];
	size_t i;

	for (i = 0; i < COUNT(sanitizer_symbols); i++) {
		size_t length = strlen(sanitizer_symbols[i]) + 2;

		memset(wanted, 0, sizeof(wanted));
		memcpy(wanted + 1, sanitizer_symbols[i], length - 2);
		if (memmem(image->strings, image->strings_bytes, wanted, length))
			return true;
	}
	return false;
}

/*
 * The ledger needs glibc. Where the dynamic linker is another one, musl's above all, it ends the program: it does not
 * start without a library that it was told to preload. glibc's are ld-linux*.so.* and ld64.so.*.
 */
static bool has_other_linker(const struct image *image)
{
	const Elf64_Phdr *program = find_program(image, PT_INTERP);
	char path[PATH_MAX] = "";
	const char *name;

	if (program->p_filesz >= sizeof(path) ||
		!read_at(image->descriptor, path, program->p_filesz, program->p_offset))
		return false;
	name = strrchr(path, '/');
	name = name ? name + 1 : path;
	return *name && strncmp(name, "ld-linux", 8) != 0 && strncmp(name, "ld64.", 5) != 0;
}

static const char *judge_elf(struct image *image)
{
	if (image->header.e_ident[EI_CLASS] != ELFCLASS64)
		return "is a 32-bit program";
	if (!read_programs(image))
		return "has damaged ELF headers";
	if (!find_program(image, PT_INTERP))
		return "is statically linked";
	if (has_other_linker(image))
		return "is started by another dynamic linker than glibc's";
	if (!read_dynamic(image))
		return "has a damaged dynamic section";
	if (needs_sanitizer(image) || holds_sanitizer(image))
		return "is built with a sanitizer, which must be loaded first";
	return "";
}

/* The kernel ignores LD_PRELOAD for programs that gain rights. */
static bool gains_rights(int descriptor, const struct stat *status)
{
	if ((status->st_mode & S_ISUID) && status->st_uid != geteuid())
		return true;
	if ((status->st_mode & S_ISGID) && status->st_gid != getegid())
		return true;
	return geteuid() != 0 && fgetxattr(descriptor, "security.capability", NULL, 0) > 0;
}

static const char *judge(const char *path, int depth);

/* "#!interpreter argument": the kernel loads the interpreter. */
static const char *judge_script(int descriptor, int depth)
{
	char line[256] = "";
	ssize_t length = pread(descriptor, line, sizeof(line) - 1, 2);
	char *interpreter = line + strspn(line, " \t");

	if (length <= 0 || depth >= SCRIPT_DEPTH_MAX)
		return "";
	interpreter[strcspn(interpreter, " \t\n")] = '\0';
	return judge(interpreter, depth + 1);
}

static const char *judge_file(int descriptor, int depth)
{
	struct image *image;
	const char *obstacle = "";
	struct stat status;

	if (fstat(descriptor, &status) == 0 && gains_rights(descriptor, &status))
		return "runs with other rights than yours";
	image = calloc(1, sizeof(*image));
	if (!image)
		return "could not be looked at: out of memory";
	image->descriptor = descriptor;
	if (pread(descriptor, &image->header, sizeof(image->header), 0) >= 2 &&
		memcmp(&image->header, "#!", 2) == 0)
		obstacle = judge_script(descriptor, depth);
	else if (read_at(descriptor, &image->header, sizeof(image->header), 0) &&
		 memcmp(image->header.e_ident, ELFMAG, SELFMAG) == 0)
		obstacle = judge_elf(image);
	free(image->strings);
	free(image);
	return obstacle;
}

/* ---------------------------------------------------------------- programs in Go */

/*
 * Returns whether one of these notes is the one in which Go's linker names its build. The fields of notes are aligned
 * to four bytes.
 */
static bool has_go_note(const uint8_t *notes, size_t nr_bytes)
{
	static const char name[4] = "Go";
	Elf64_Nhdr note;
	size_t at = 0, length;

	while (nr_bytes - at >= sizeof(note) + sizeof(name)) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.n_namesz == sizeof(name) && !memcmp(notes + at, name, sizeof(name)))
			return true;
		length = ((size_t)note.n_namesz + 3) / 4 * 4 + ((size_t)note.n_descsz + 3) / 4 * 4;
		if (length > nr_bytes - at)
			return false;
		at += length;
	}
	return false;
}

static bool is_go(struct image *image)
{
	uint8_t notes[NOTES_BYTES_MAX];
	unsigned i;

	if (!read_at(image->descriptor, &image->header, sizeof(image->header), 0) ||
		memcmp(image->header.e_ident, ELFMAG, SELFMAG) != 0 ||
		image->header.e_ident[EI_CLASS] != ELFCLASS64 || !read_programs(image))
		return false;
	for (i = 0; i < image->header.e_phnum; i++) {
		const Elf64_Phdr *program = &image->programs[i];

		if (program->p_type == PT_NOTE && program->p_filesz <= sizeof(notes) &&
			read_at(image->descriptor, notes, program->p_filesz, program->p_offset) &&
			has_go_note(notes, program->p_filesz))
			return true;
	}
	return false;
}

bool collect_executable_is_go(const struct executable *executable)
{
	struct image *image = calloc(1, sizeof(*image));
	bool found;

	if (!image)
		return false;
	image->descriptor = open(executable->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	found = image->descriptor >= 0 && is_go(image);
	if (image->descriptor >= 0)
		close(image->descriptor);
	free(image);
	return found;
}

/* ---------------------------------------------------------------- commands */

/* A file that may be executed but not read is started without an examination. */
static const char *judge(const char *path, int depth)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const char *obstacle;

	if (descriptor < 0)
		return "";
	obstacle = judge_file(descriptor, depth);
	close(descriptor);
	return obstacle;
}

/* Returns 0, or the errno that says why the path cannot be executed. */
static int try_path(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		return errno;
	if (!S_ISREG(status.st_mode) || access(path, X_OK))
		return EACCES;
	return 0;
}

/* Searches as execvp does: the first file that can be executed; otherwise EACCES prevails over ENOENT. */
static int search_path(const char *command, struct executable *executable)
{
	const char *search = getenv("PATH");
	int worst = ENOENT;
	int problem;

	if (!search)
		search = DEFAULT_PATH;
	for (;;) {
		int length = (int)strcspn(search, ":");

		snprintf(executable->path, sizeof(executable->path), "%.*s%s%s",
			length < PATH_MAX ? length : 0, search, length ? "/" : "", command);
		problem = try_path(executable->path);
		if (problem == 0)
			return 0;
		if (problem == EACCES)
			worst = EACCES;
		if (search[length] == '\0')
			return worst;
		search += length + 1;
	}
}

static enum ct_status fail_to_find(const char *command, int problem, struct ct_error *reterr)
{
	const char *reason = problem == EACCES ? "permission denied" : "command not found";

	ct_fail(reterr, CT_ERR_NOT_FOUND, "starting '%s': %s", command, reason);
	if (reterr)
		reterr->system_errno = problem;
	return CT_ERR_NOT_FOUND;
}

enum ct_status collect_executable_find(
	const char *command, struct executable *ret_executable, struct ct_error *reterr)
{
	int problem;

	if (command[0] == '\0' || strlen(command) >= sizeof(ret_executable->path))
		return fail_to_find(command, ENOENT, reterr);
	if (strchr(command, '/')) {
		snprintf(ret_executable->path, sizeof(ret_executable->path), "%s", command);
		problem = try_path(command);
	} else {
		problem = search_path(command, ret_executable);
	}
	if (problem)
		return fail_to_find(command, problem == EACCES ? EACCES : ENOENT, reterr);
	snprintf(ret_executable->obstacle, sizeof(ret_executable->obstacle), "%s",
		judge(ret_executable->path, 0));
	return CT_OK;
}
