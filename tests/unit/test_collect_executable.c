/* SPDX-License-Identifier: MIT */
/*
 * Examining commands before they start: what is found in PATH, and which programs the ledger works with. ELF files are
 * made by hand, valid and broken ones.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "collect/executable.h"

/* An ELF file with everything that is examined. */
struct elf_file {
	Elf64_Ehdr header;
	Elf64_Phdr programs[3]; /* INTERP, LOAD of the whole file, DYNAMIC */
	Elf64_Dyn dynamic[4];   /* NEEDED, STRTAB, STRSZ, NULL */
	char strings[128];
	char linker[64];
};

static char folder[] = "/tmp/corotracer-test-XXXXXX";

static void fill_elf(struct elf_file *file, const char *needed, const char *symbol)
{
	memset(file, 0, sizeof(*file));
	memcpy(file->header.e_ident, ELFMAG, SELFMAG);
	file->header.e_ident[EI_CLASS] = ELFCLASS64;
	file->header.e_phoff = offsetof(struct elf_file, programs);
	file->header.e_phentsize = sizeof(Elf64_Phdr);
	file->header.e_phnum = 3;
	file->programs[0] = (Elf64_Phdr){.p_type = PT_INTERP,
		.p_offset = offsetof(struct elf_file, linker),
		.p_filesz = sizeof(file->linker)};
	snprintf(file->linker, sizeof(file->linker), "/lib64/ld-linux-x86-64.so.2");
	file->programs[1] =
		(Elf64_Phdr){.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(*file)};
	file->programs[2] = (Elf64_Phdr){.p_type = PT_DYNAMIC,
		.p_offset = offsetof(struct elf_file, dynamic),
		.p_filesz = sizeof(file->dynamic)};
	file->dynamic[0] = (Elf64_Dyn){.d_tag = DT_NEEDED, .d_un.d_val = 1};
	file->dynamic[1] = (Elf64_Dyn){
		.d_tag = DT_STRTAB, .d_un.d_val = 0x1000 + offsetof(struct elf_file, strings)};
	file->dynamic[2] = (Elf64_Dyn){.d_tag = DT_STRSZ, .d_un.d_val = sizeof(file->strings)};
	snprintf(file->strings + 1, 60, "%s", needed);
	snprintf(file->strings + 64, 60, "%s", symbol);
}

static void write_file(const char *name, const void *bytes, size_t nr_bytes, mode_t mode)
{
	char path[PATH_MAX];
	int descriptor;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
	descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700);
	if (descriptor < 0 || write(descriptor, bytes, nr_bytes) != (ssize_t)nr_bytes ||
		fchmod(descriptor, mode))
		abort();
	close(descriptor);
}

static const char *judge(const void *bytes, size_t nr_bytes)
{
	static struct executable found;
	char path[PATH_MAX];

	write_file("program", bytes, nr_bytes, 0700);
	snprintf(path, sizeof(path), "%s/program", folder);
	CHECK_EQUAL(collect_executable_find(path, &found, NULL), CT_OK);
	return found.obstacle;
}

static const char *judge_with(const char *needed, const char *symbol)
{
	struct elf_file file;

	fill_elf(&file, needed, symbol);
	return judge(&file, sizeof(file));
}

static const char *judge_started_by(const char *linker)
{
	struct elf_file file;

	fill_elf(&file, "libc.so", "main");
	snprintf(file.linker, sizeof(file.linker), "%s", linker);
	return judge(&file, sizeof(file));
}

/* Only glibc's loads the ledger; musl's would refuse to start the program. */
static void test_linkers(void)
{
	const char *other = "is started by another dynamic linker than glibc's";

	CHECK_TEXT(judge_started_by("/lib/ld-linux-aarch64.so.1"), "");
	CHECK_TEXT(judge_started_by("/nix/store/0-glibc/lib/ld-linux-x86-64.so.2"), "");
	CHECK_TEXT(judge_started_by("/lib64/ld64.so.2"), "");
	CHECK_TEXT(judge_started_by("/lib/ld-musl-x86_64.so.1"), other);
	CHECK_TEXT(judge_started_by("/system/bin/linker64"), other);
	CHECK_TEXT(judge_started_by("ld-musl-aarch64.so.1"), other);
	CHECK_TEXT(judge_started_by(""), "");
}

static void test_obstacles(void)
{
	const char *sanitizer = "is built with a sanitizer, which must be loaded first";
	struct elf_file file;

	CHECK_TEXT(judge_with("libc.so.6", "main"), "");
	CHECK_TEXT(judge_with("libasan.so.8", "main"), sanitizer);
	CHECK_TEXT(judge_with("libtsan.so.2", "main"), sanitizer);
	CHECK_TEXT(judge_with("libubsan.so.1", "main"), ""); /* works with the ledger */
	CHECK_TEXT(judge_with("libc.so.6", "__asan_init"), sanitizer);
	CHECK_TEXT(judge_with("libc.so.6", "__tsan_init"), sanitizer);
	CHECK_TEXT(judge_with("libc.so.6", "my__asan_init"), "");
	CHECK_TEXT(judge_with("libc.so.6", "__asan_initialised"), "");
	fill_elf(&file, "libc.so.6", "main");
	file.programs[0].p_type = PT_NULL;
	CHECK_TEXT(judge(&file, sizeof(file)), "is statically linked");
	fill_elf(&file, "libc.so.6", "main");
	file.header.e_ident[EI_CLASS] = ELFCLASS32;
	CHECK_TEXT(judge(&file, sizeof(file)), "is a 32-bit program");
}

static void test_scripts(void)
{
	struct elf_file file;
	char script[PATH_MAX];
	int length;

	CHECK_TEXT(judge("#!/bin/sh\n", 10), "");
	CHECK_TEXT(judge("#! /no/such/interpreter -x\n", 27), "");
	fill_elf(&file, "libasan.so.8", "main");
	write_file("interpreter", &file, sizeof(file), 0700);
	length = snprintf(script, sizeof(script), "#! %s/interpreter -x\n", folder);
	CHECK(strstr(judge(script, (size_t)length), "sanitizer") != NULL);
	length = snprintf(script, sizeof(script), "#!%s/program\n", folder); /* itself */
	CHECK_TEXT(judge(script, (size_t)length), "");
	CHECK_TEXT(judge("#!", 2), "");
	CHECK_TEXT(judge("plain text", 10), "");
	CHECK_TEXT(judge("", 0), "");
}

/* Every word of the file takes every extreme value, and the file is cut anywhere: reading stays safe. */
static void test_broken_elf(void)
{
	const uint64_t extremes[] = {0, 1, 0x7fffffff, UINT32_MAX, UINT64_C(1) << 63, UINT64_MAX};
	const size_t nr_words = offsetof(struct elf_file, strings) / 8;
	struct elf_file file;
	size_t word;
	size_t i;

	for (word = 0; word < nr_words; word++) {
		for (i = 0; i < sizeof(extremes) / sizeof(extremes[0]); i++) {
			fill_elf(&file, "libc.so.6", "main");
			memcpy((char *)&file + word * 8, &extremes[i], 8);
			CHECK(judge(&file, sizeof(file)) != NULL);
		}
	}
	fill_elf(&file, "libc.so.6", "main");
	for (i = 0; i < offsetof(struct elf_file, strings); i += 7)
		CHECK(judge(&file, i) != NULL);
}

static void test_search(void)
{
	struct executable found;
	struct ct_error trouble;
	char path[PATH_MAX];
	char wanted[PATH_MAX];

	write_file("wanted", "#!/bin/sh\n", 10, 0700);
	write_file("forbidden", "#!/bin/sh\n", 10, 0600);
	snprintf(path, sizeof(path), "/nonexistent:%s:/also/nonexistent", folder);
	setenv("PATH", path, 1);
	snprintf(wanted, sizeof(wanted), "%s/wanted", folder);
	CHECK_EQUAL(collect_executable_find("wanted", &found, &trouble), CT_OK);
	CHECK_TEXT(found.path, wanted);
	CHECK_EQUAL(collect_executable_find("absent", &found, &trouble), CT_ERR_NOT_FOUND);
	CHECK_EQUAL(trouble.system_errno, ENOENT);
	CHECK_EQUAL(collect_executable_find("", &found, &trouble), CT_ERR_NOT_FOUND);
	CHECK_EQUAL(collect_executable_find("forbidden", &found, &trouble), CT_ERR_NOT_FOUND);
	CHECK_EQUAL(trouble.system_errno, EACCES);
	CHECK_EQUAL(
		collect_executable_find(folder, &found, &trouble), CT_ERR_NOT_FOUND); /* a folder */
	CHECK_EQUAL(trouble.system_errno, EACCES);
	setenv("PATH", "", 1); /* the current folder */
	CHECK_EQUAL(chdir(folder), 0);
	CHECK_EQUAL(collect_executable_find("wanted", &found, &trouble), CT_OK);
}

/* Programs that gain privileges: the kernel would ignore the preload. */
static void test_rights(void)
{
	struct executable found;
	char path[PATH_MAX];

	if (geteuid() != 0)
		return;
	write_file("elevated", "#!/bin/sh\n", 10, 0755);
	snprintf(path, sizeof(path), "%s/elevated", folder);
	CHECK_EQUAL(chown(path, 1, 1), 0);
	CHECK_EQUAL(chmod(path, 04755), 0);
	CHECK_EQUAL(collect_executable_find(path, &found, NULL), CT_OK);
	CHECK_TEXT(found.obstacle, "runs with other rights than yours");
}

static void remove_folder(void)
{
	static const char *const names[] = {
		"program", "interpreter", "wanted", "forbidden", "elevated"};
	char path[PATH_MAX];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	test_obstacles();
	test_linkers();
	test_scripts();
	test_broken_elf();
	test_search();
	test_rights();
	remove_folder();
	return check_result();
}
