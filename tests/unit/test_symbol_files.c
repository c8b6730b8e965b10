/* SPDX-License-Identifier: MIT */
/*
 * Places of a program's debug information: in the program, in a file beside it, in a folder by build id, or nowhere;
 * and a debug file of another program is not used.
 *
 *	test_symbol_files PROGRAM OTHER SCATTERED... PADDED
 *
 * The first two are symbol_nested.c; then symbol_scattered.c, with a call in range 0, 63, 64, and 127; the last is
 * symbol_padded.c.
 */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbol/symbol.h"

#define LINE_BYTES 8192

static char folder[] = "/tmp/test_symbol_files.XXXXXX";

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...)
{
	char command[LINE_BYTES], whole[LINE_BYTES + 64];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(command, sizeof(command), format, arguments);
	va_end(arguments);
	snprintf(whole, sizeof(whole), "cd %s && %s", folder, command);
	CHECK_EQUAL(system(whole), 0);
}

/* Reads the mapping of the program's code, as the trace's tables have it. */
static bool read_mapping(const char *line, const char *path, struct ct_mapping *mapping)
{
	char rights[8], found[4096] = "";

	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]",
		       &mapping->start, &mapping->end, rights, &mapping->offset, found) == 5 &&
	       strchr(rights, 'x') && strcmp(found, path) == 0;
}

/*
 * Runs the variant, and resolves the address that it prints as its trace would have it; `inside` is what the program
 * would call itself below another root, or NULL.
 */
static struct symbol_place resolve_inside(
	struct symbol_resolver *resolver, const char *variant, const char *inside)
{
	static char path[256], build_id[SYMBOL_BUILD_ID_SIZE];
	struct ct_mapping mapping = {.process = 1, .path = path, .build_id = build_id};
	struct symbol_place place = {.extent = SYMBOL_NOTHING};
	char line[LINE_BYTES];
	uint64_t address = 0;
	bool is_found = false;
	FILE *output;

	snprintf(path, sizeof(path), "%s/%s", folder, variant);
	CHECK(symbol_build_id(SYMBOL_OUR_ROOT, path, build_id));
	output = popen(path, "r");
	CHECK(output && fscanf(output, "0x%" SCNx64 "\n", &address) == 1);
	while (output && fgets(line, sizeof(line), output))
		is_found = is_found || read_mapping(line, path, &mapping);
	CHECK(output && pclose(output) == 0 && is_found);
	if (inside)
		mapping.path = inside;
	CHECK_EQUAL(
		symbol_resolve(resolver, &mapping, 1, 1, address, CTP_SITE_ADDRESS, &place, NULL),
		CT_OK);
	return place;
}

static struct symbol_place resolve(struct symbol_resolver *resolver, const char *variant)
{
	return resolve_inside(resolver, variant, NULL);
}

static void check_place(struct symbol_place place)
{
	CHECK_EQUAL(place.extent, SYMBOL_LINE);
	CHECK_TEXT(place.function, "inner_function");
	CHECK_EQUAL(place.nr_callers, 2);
	if (place.nr_callers == 2) {
		CHECK_TEXT(place.callers[0].function, "middle_function");
		CHECK_TEXT(place.callers[1].function, "outer_function");
		CHECK(place.line < place.callers[0].line);
		CHECK(place.callers[0].line < place.callers[1].line);
	}
}

static void check_whole(const char *variant)
{
	struct symbol_resolver *resolver = symbol_new();

	check_place(resolve(resolver, variant));
	symbol_free(resolver);
}

/* The place has the module and the offset, which other tools can look up where the symbols are. */
static void check_bare(const char *variant)
{
	struct symbol_resolver *resolver = symbol_new();
	struct symbol_place place = resolve(resolver, variant);
	size_t length = strlen(variant);

	CHECK_EQUAL(place.extent, SYMBOL_MODULE);
	CHECK_TEXT(place.function, "");
	CHECK_TEXT(place.module + strlen(place.module) - length, variant);
	CHECK(place.module_offset > 0 && place.module_offset < 0x100000);
	CHECK(strstr(place.remark, "debug information") != NULL);
	symbol_free(resolver);
}

static void make_debug_file(const char *program, const char *name)
{
	char build_id[SYMBOL_BUILD_ID_SIZE];

	CHECK(symbol_build_id(SYMBOL_OUR_ROOT, program, build_id));
	shell("mkdir -p root/.build-id/%.2s .debug", build_id);
	shell("objcopy --only-keep-debug '%s' %s", program, name);
}

static void test_places(const char *program, const char *other)
{
	char build_id[SYMBOL_BUILD_ID_SIZE], root[128];

	make_debug_file(program, "own.debug");
	make_debug_file(other, "others.debug");
	CHECK(symbol_build_id(SYMBOL_OUR_ROOT, program, build_id));
	shell("cp '%s' whole && strip -o bare '%s'", program, program);
	check_whole("whole");
	check_bare("bare");

	shell("objcopy --add-gnu-debuglink=own.debug bare linked");
	check_whole("linked");
	shell("mv own.debug .debug/");
	check_whole("linked");
	shell("mv .debug/own.debug root/.build-id/%.2s/%s.debug", build_id, build_id + 2);
	check_bare("linked");
	snprintf(root, sizeof(root), "%s/root", folder);
	setenv("COROTRACER_DEBUG_PATH", root, 1);
	check_whole("linked");
	check_whole("bare");
	unsetenv("COROTRACER_DEBUG_PATH");

	shell("objcopy --add-gnu-debuglink=others.debug bare foreign");
	check_bare("foreign");
}

static void check_inside(int root, const char *variant, const char *inside, bool is_whole)
{
	struct symbol_resolver *resolver = symbol_new();
	struct symbol_place place;

	CHECK(symbol_see_root(resolver, 1, root));
	place = resolve_inside(resolver, variant, inside);
	if (is_whole)
		check_place(place);
	else
		CHECK_EQUAL(place.extent, SYMBOL_MODULE);
	symbol_free(resolver);
}

/*
 * A program below another root, as in a container: that root's files and debug information count, links are followed
 * within the root, and no link leads out of it.
 */
static void test_root(const char *program)
{
	char build_id[SYMBOL_BUILD_ID_SIZE], path[128];
	int root;

	shell("mkdir -p jail/bin/.debug jail/usr/lib/debug/.build-id && cp '%s' whole && strip -o "
	      "bare '%s'",
		program, program);
	shell("objcopy --only-keep-debug '%s' jail/bin/.debug/own.debug", program);
	shell("objcopy --add-gnu-debuglink=jail/bin/.debug/own.debug bare linked");
	shell("cp whole bare linked jail/bin && ln -s /bin/whole jail/link && ln -s "
	      "../../../bin/whole jail/up");
	shell("ln -s %s/whole jail/out && ln -s ../whole jail/above && mkfifo jail/pipe", folder);
	snprintf(path, sizeof(path), "%s/jail", folder);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	CHECK(root >= 0);
	check_inside(root, "whole", "/bin/whole", true);
	check_inside(root, "whole", "/link", true);
	check_inside(root, "whole", "/up", true);
	check_inside(root, "whole", "/out", false);
	check_inside(root, "whole", "/above", false);
	check_inside(root, "whole", "/pipe", false);
	check_inside(SYMBOL_NO_ROOT, "whole", "/bin/whole", false);
	CHECK(!symbol_build_id(root, "/out", build_id) &&
		!symbol_build_id(root, "/../whole", build_id));
	check_inside(root, "linked", "/bin/linked", true);
	shell("rm -r jail/bin/.debug");
	check_inside(root, "linked", "/bin/linked", false);
	check_inside(root, "bare", "/bin/bare", false);
	CHECK(symbol_build_id(root, "/bin/bare", build_id));
	shell("mkdir jail/usr/lib/debug/.build-id/%.2s", build_id);
	/* A link that leads out of the root does not count, although the file behind it would fit. */
	shell("ln -s %s/whole jail/usr/lib/debug/.build-id/%.2s/%s.debug", folder, build_id,
		build_id + 2);
	check_inside(root, "bare", "/bin/bare", false);
	shell("objcopy --only-keep-debug whole keep && mv keep "
	      "jail/usr/lib/debug/.build-id/%.2s/%s.debug",
		build_id, build_id + 2);
	check_inside(root, "bare", "/bin/bare", true);
	close(root);
}

/* The first 64 of a function's ranges are known; an address beyond them belongs to no function. */
static void test_ranges(const char *program, bool is_known)
{
	struct symbol_resolver *resolver = symbol_new();
	struct symbol_place place;

	shell("cp '%s' scattered", program);
	place = resolve(resolver, "scattered");
	CHECK_EQUAL(place.extent, is_known ? SYMBOL_FUNCTION : SYMBOL_MODULE);
	CHECK_TEXT(place.function, is_known ? "scattered" : "");
	symbol_free(resolver);
}

/* The lines of a unit whose program of lines has padding, as Zig's compiler writes it. */
static void test_padding(const char *program)
{
	struct symbol_resolver *resolver = symbol_new();
	struct symbol_place place;

	shell("cp '%s' padded", program);
	place = resolve(resolver, "padded");
	CHECK_EQUAL(place.extent, SYMBOL_LINE);
	CHECK_TEXT(place.file, "/src/padded.zig");
	CHECK_EQUAL(place.line, 20);
	symbol_free(resolver);
}

int main(int nr_arguments, char **arguments)
{
	char own[PATH_MAX], other[PATH_MAX], scattered[PATH_MAX], padded[PATH_MAX];
	bool has_roots = syscall(SYS_openat2, AT_FDCWD, ".", NULL, 0) < 0 && errno != ENOSYS;
	int i;

	CHECK(nr_arguments == 8 && mkdtemp(folder));
	unsetenv("DEBUGINFOD_URLS"); /* with it, files beside the program are not looked for */
	/* These paths may be relative to the folder in which the test was started. */
	CHECK(realpath(arguments[1], own) && realpath(arguments[2], other));
	test_places(own, other);
	if (has_roots)
		test_root(own);
	CHECK(realpath(arguments[7], padded));
	test_padding(padded);
	for (i = 3; i < 7; i++) {
		CHECK(realpath(arguments[i], scattered));
		test_ranges(scattered, i < 5);
	}
	shell("rm -r %s", folder);
	if (!has_roots && check_result() == 0)
		SKIP("the kernel opens no files below another root; the rest passed");
	return check_result();
}
