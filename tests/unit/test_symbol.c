/* SPDX-License-Identifier: MIT */
/*
 * Names for addresses of this program, of libc, and of coroutines built by each compiler; and what is still known if
 * the files have changed, are gone, or are damaged.
 */
#include "check.h"

#include <fcntl.h>
#include <gnu/libc-version.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "symbol/symbol.h"
#include "base/vec.h"
#include "../unit/symbol_elsewhere.h"

/* ------------------------------------------------------------ a memory map as a trace has it */

struct maps {
	VEC(struct ct_mapping) list;
	struct arena arena;
};

static void maps_add(struct maps *maps, const char *line)
{
	char build_id[SYMBOL_BUILD_ID_SIZE];
	struct ct_mapping mapping = {.process = 1};
	char path[4096] = "", rights[8];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]",
		    &mapping.start, &mapping.end, rights, &mapping.offset, path) < 4 ||
		!strchr(rights, 'x'))
		return;
	symbol_build_id(SYMBOL_OUR_ROOT, path, build_id);
	mapping.path = arena_text(&maps->arena, path, strlen(path));
	mapping.build_id = arena_text(&maps->arena, build_id, strlen(build_id));
	CHECK(mapping.path && mapping.build_id && vec_push(&maps->list, mapping));
}

static void maps_read_self(struct maps *maps)
{
	FILE *file = fopen("/proc/self/maps", "r");
	char line[8192];

	memset(maps, 0, sizeof(*maps));
	arena_init(&maps->arena);
	while (file && fgets(line, sizeof(line), file))
		maps_add(maps, line);
	if (file)
		fclose(file);
	CHECK(maps->list.count > 0);
}

static void maps_fini(struct maps *maps)
{
	vec_fini(&maps->list);
	arena_fini(&maps->arena);
}

static struct symbol_place resolve(struct symbol_resolver *resolver, const struct maps *maps,
	const void *address, uint32_t kind)
{
	struct symbol_place place = {.extent = SYMBOL_NOTHING};

	CHECK_EQUAL(symbol_resolve(resolver, maps->list.at, (uint32_t)maps->list.count, 1,
			    (uint64_t)(uintptr_t)address, kind, &place, NULL),
		CT_OK);
	return place;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

/* ------------------------------------------------------------ this program */

static const void *where_called, *where_inlined;
static uint32_t line_called, line_inlined, line_outer;

__attribute__((noinline)) static void note_caller(void)
{
	where_called = __builtin_return_address(0);
	__asm__ volatile("");
}

/* The call is the last instruction of its line, and what follows it belongs to another line. */
__attribute__((noinline)) static void calling_function(void)
{
	line_called = __LINE__ + 1;
	note_caller();
	__asm__ volatile(""); /* so that the call above is no jump */
}

static inline __attribute__((always_inline)) void inlined_function(void)
{
	line_inlined = __LINE__ + 1;
	note_caller();
	__asm__ volatile("");
}

__attribute__((noinline)) static void outer_function(void)
{
	line_outer = __LINE__ + 1;
	inlined_function();
	where_inlined = where_called;
}

static void test_return_address(struct symbol_resolver *resolver, const struct maps *maps)
{
	struct symbol_place place;

	calling_function();
	place = resolve(resolver, maps, where_called, CTP_SITE_ADDRESS);
	CHECK_EQUAL(place.extent, SYMBOL_LINE);
	CHECK_TEXT(place.function, "calling_function");
	CHECK_TEXT(place.file, __FILE__);
	CHECK_EQUAL(place.line, line_called);
	CHECK_TEXT(place.remark, "");
	CHECK_EQUAL(place.nr_callers, 0);
	CHECK(ends_with(place.module, "test_symbol"));
}

/* A file has one name, whatever way a compiler took to it. */
static void test_way_round(struct symbol_resolver *resolver, const struct maps *maps)
{
	struct symbol_place place;

	elsewhere_function();
	place = resolve(resolver, maps, elsewhere_called, CTP_SITE_ADDRESS);
	CHECK_EQUAL(place.line, line_elsewhere);
	CHECK(ends_with(place.file, "tests/unit/symbol_elsewhere.h"));
}

static void test_inlined(struct symbol_resolver *resolver, const struct maps *maps)
{
	struct symbol_place place;

	outer_function();
	place = resolve(resolver, maps, where_inlined, CTP_SITE_ADDRESS);
	CHECK_TEXT(place.function, "inlined_function");
	CHECK_EQUAL(place.line, line_inlined);
	CHECK_EQUAL(place.nr_callers, 1);
	if (place.nr_callers == 1) {
		CHECK_TEXT(place.callers[0].function, "outer_function");
		CHECK_EQUAL(place.callers[0].line, line_outer);
		CHECK_TEXT(place.callers[0].file, __FILE__);
	}
}

/* The first instruction belongs to the function; the byte before it does not. */
static void test_function(struct symbol_resolver *resolver, const struct maps *maps)
{
	const char *entry = (const char *)(uintptr_t)calling_function;
	struct symbol_place place = resolve(resolver, maps, entry, CTP_SITE_FUNCTION);

	CHECK_TEXT(place.function, "calling_function");
	CHECK(place.line > 0 && place.line <= line_called);
	place = resolve(resolver, maps, entry, CTP_SITE_INSTRUCTION);
	CHECK_TEXT(place.function, "calling_function");
	place = resolve(resolver, maps, entry, CTP_SITE_ADDRESS);
	CHECK(strcmp(place.function, "calling_function") != 0);
}

static void test_library(struct symbol_resolver *resolver, const struct maps *maps)
{
	struct symbol_place place = resolve(
		resolver, maps, (const void *)(uintptr_t)gnu_get_libc_version, CTP_SITE_FUNCTION);

	CHECK(place.extent >= SYMBOL_FUNCTION);
	CHECK_TEXT(place.function, "gnu_get_libc_version");
	CHECK(strstr(place.module, "libc") != NULL);
	CHECK(place.extent == SYMBOL_LINE || strstr(place.remark, "debug information"));
}

/* ------------------------------------------------------------ what remains */

/* A build without elfutils still knows the module, and the offset that other tools take. */
static void test_without_symbols(struct symbol_resolver *resolver, const struct maps *maps)
{
	const char *entry = (const char *)(uintptr_t)calling_function;
	struct symbol_place place = resolve(resolver, maps, entry, CTP_SITE_FUNCTION);

	CHECK_EQUAL(place.extent, SYMBOL_MODULE);
	CHECK(ends_with(place.module, "test_symbol"));
	CHECK(place.module_offset > 0 && place.module_offset < 1 << 24);
	CHECK(strstr(place.remark, "elfutils") != NULL);
}

static struct symbol_place resolve_one(
	struct symbol_resolver *resolver, const char *path, const char *build_id, uint64_t address)
{
	struct ct_mapping mappings[2] = {
		{.path = "", .build_id = ""}, {.process = 1,
						      .start = 0x10000,
						      .end = 0x20000,
						      .offset = 0x1000,
						      .path = path,
						      .build_id = build_id}};
	struct symbol_place place = {.extent = SYMBOL_LINE};

	CHECK_EQUAL(symbol_resolve(
			    resolver, mappings, 2, 1, address, CTP_SITE_INSTRUCTION, &place, NULL),
		CT_OK);
	return place;
}

static void check_degraded(
	struct symbol_resolver *resolver, const char *path, const char *build_id, const char *why)
{
	struct symbol_place place = resolve_one(resolver, path, build_id, 0x10123);

	CHECK_EQUAL(place.extent, SYMBOL_MODULE);
	CHECK_TEXT(place.module, path);
	CHECK_EQUAL(place.module_offset, 0x1123);
	CHECK_TEXT(place.function, "");
	CHECK_TEXT(place.file, "");
	CHECK(strstr(place.remark, why) != NULL);
}

static void test_degraded(struct symbol_resolver *resolver)
{
	struct symbol_place place = resolve_one(resolver, "/proc/self/exe", "", 0x20000);

	CHECK_EQUAL(place.extent, SYMBOL_NOTHING);
	CHECK(strstr(place.remark, "no mapping") != NULL);
	place = resolve_one(resolver, "/proc/self/exe", "", 0);
	CHECK_EQUAL(place.extent, SYMBOL_NOTHING);
	check_degraded(resolver, "/proc/self/exe", "00112233", "another build id");
	check_degraded(resolver, "/nonexistent/program", "00112233", "cannot be read");
	check_degraded(resolver, "/etc/passwd", "", "no ELF file");
	check_degraded(resolver, "/dev/zero", "", "no ELF file");
	check_degraded(resolver, "[vdso]", "", "in no file");
	check_degraded(resolver, "", "", "in no file");
}

/* Another process has other code at the same address. */
static void test_processes(struct symbol_resolver *resolver, const struct maps *maps)
{
	struct symbol_place place = {.extent = SYMBOL_LINE};

	CHECK_EQUAL(symbol_resolve(resolver, maps->list.at, (uint32_t)maps->list.count, 2,
			    (uint64_t)(uintptr_t)calling_function, CTP_SITE_FUNCTION, &place, NULL),
		CT_OK);
	CHECK_EQUAL(place.extent, SYMBOL_NOTHING);
}

static void test_build_id(void)
{
	char build_id[SYMBOL_BUILD_ID_SIZE];

	CHECK(symbol_build_id(SYMBOL_OUR_ROOT, "/proc/self/exe", build_id));
	CHECK_EQUAL(strlen(build_id), 40);
	CHECK_EQUAL(strspn(build_id, "0123456789abcdef"), 40);
	CHECK(!symbol_build_id(SYMBOL_OUR_ROOT, "/etc/passwd", build_id));
	CHECK_TEXT(build_id, "");
	CHECK(!symbol_build_id(SYMBOL_OUR_ROOT, "/nonexistent", build_id));
	CHECK(!symbol_build_id(SYMBOL_OUR_ROOT, "/", build_id));
}

/* ------------------------------------------------------------ damaged files */

static size_t read_whole(const char *path, char *bytes, size_t room)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	ssize_t got;

	CHECK(descriptor >= 0);
	while (done < room && (got = read(descriptor, bytes + done, room - done)) > 0)
		done += (size_t)got;
	close(descriptor);
	return done;
}

static void write_whole(const char *path, const char *bytes, size_t nr_bytes)
{
	int descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	CHECK(descriptor >= 0 && write(descriptor, bytes, nr_bytes) == (ssize_t)nr_bytes);
	close(descriptor);
}

/* Whatever bytes the file has, the resolver answers with one of the four extents. */
static void resolve_damaged(const char *path)
{
	struct symbol_resolver *resolver = symbol_new();
	uint64_t address;

	CHECK(resolver != NULL);
	for (address = 0x10000; address < 0x20000; address += 0x555) {
		struct symbol_place place = resolve_one(resolver, path, "", address);

		CHECK(place.extent >= SYMBOL_MODULE && place.extent <= SYMBOL_LINE);
	}
	symbol_free(resolver);
}

static void test_damaged(void)
{
	static char good[1 << 21], bad[1 << 21];
	char path[] = "/tmp/test_symbol.XXXXXX";
	size_t nr_bytes = read_whole("/proc/self/exe", good, sizeof(good));
	unsigned round, i;
	uint32_t random = 1;

	close(mkstemp(path));
	for (round = 0; round < 60; round++) {
		size_t span = round % 3 == 0 ? 1024 : nr_bytes;
		size_t length = nr_bytes;

		memcpy(bad, good, nr_bytes);
		for (i = 0; i < 40; i++) {
			random = random * 1664525u + 1013904223u;
			bad[(random >> 4) % span] = (char)(random >> 24);
		}
		if (round % 5 == 4)
			length = (random >> 8) % nr_bytes;
		write_whole(path, bad, length);
		resolve_damaged(path);
	}
	unlink(path);
}

/* ------------------------------------------------------------ coroutines */

static void test_coroutines(const char *program)
{
	struct symbol_resolver *resolver = symbol_new();
	struct maps maps = {.list = {.at = NULL}};
	struct {
		uint64_t address;
		char name[64];
	} expected[8];
	unsigned i, nr_expected = 0;
	FILE *output = popen(program, "r");
	char line[8192];

	CHECK(resolver && output);
	while (output && fgets(line, sizeof(line), output)) {
		if (nr_expected < 8 &&
			sscanf(line, "0x%" SCNx64 " %63[^\n]", &expected[nr_expected].address,
				expected[nr_expected].name) == 2)
			nr_expected++;
		else
			maps_add(&maps, line);
	}
	CHECK(output && pclose(output) == 0);
	CHECK_EQUAL(nr_expected, 4);
	for (i = 0; i < nr_expected; i++) {
		struct symbol_place place = resolve(resolver, &maps,
			(const void *)(uintptr_t)expected[i].address, CTP_SITE_FUNCTION);

		CHECK_TEXT(place.function, expected[i].name);
		CHECK(ends_with(place.file, "symbol_coroutine.cpp"));
		CHECK(place.line > 0);
		/* Two pointers and an index are the least. */
		CHECK(place.frame_bytes == 0 || place.frame_bytes > 2 * sizeof(void *));
	}
	symbol_free(resolver);
	maps_fini(&maps);
}

static const struct {
	const char *symbol;
	const char *name;
} names[] = {
	{"main", "main"},
	{"f", "f"},
	{"worker.cold", "worker"},
	{"worker.constprop.0.isra.3", "worker"},
	{".hidden", ".hidden"},
	{"_ZN3app4workEi", "app::work(int)"},
	{"_Z4workPZ4workiE14_Z4worki.Frame.actor", "work(int)"},
	{"_Z4workPZ4workiE14_Z4worki.Frame.actor.cold", "work(int)"},
	{"_Z4workPZ4workiE14_Z4worki.Frame.destroy", "work(int)"},
	{"_Z4workPZ4workiE14_Z4worki.frame.actor", "work(int)"},
	{"_ZN3app3BoxIlE5serveEPZNKS1_5serveElE29_ZNK3app3BoxIlE5serveEl.Frame.actor",
		"app::Box<long>::serve(long) const"},
	{"_ZZ4workiENUliE_clEPZZ4workiENKS_clEiE27_ZZ4workiENKUliE_clEi.Frame.actor",
		"work(int)::{lambda(int)#1}::operator()(int) const"},
	{"_Z4worki.resume", "work(int)"},
	{"_Z4worki.cleanup", "work(int)"},
	{"_Znotmangled", "_Znotmangled"},
	{"_Z4work99_Z.Frame.actor", "_Z4work99_Z"},
};

static const char *const rust_names[][2] = {
	{"_RNvC7mycrate4work", "mycrate::work"}, {"_RNvC7mycrate4work.llvm.12", "mycrate::work"},
	{"_RNCNvC7mycrate4work0B3_", "mycrate::work::{closure#0}"},
	{"_RINvNtC3std3mem8align_ofjE", "std::mem::align_of::<usize>"},
	{"_ZN7mycrate4work17h0123456789abcdefE", "mycrate::work"},
	{"_ZN50_$LT$T$u20$as$u20$core..convert..Into$LT$U$GT$$GT$4into17h0123456789abcdefE",
		"<T as core::convert::Into<U>>::into"},
	{"_ZN7mycrate4work28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
		"mycrate::work::{{closure}}"},
	{"_ZN3app7work17hEv", "app::work17h()"}, /* no hash: C++ after all */
};

static void test_rust_names(void)
{
	size_t i;

	for (i = 0; i < sizeof(rust_names) / sizeof(rust_names[0]); i++) {
		char *name = symbol_function_name(rust_names[i][0]);

		CHECK(name != NULL);
		CHECK_TEXT(name ? name : "", rust_names[i][1]);
		free(name);
	}
}

/* Each part stands for the one before it twice: the whole name would not fit into any memory. */
static void test_endless_name(void)
{
	char *name = symbol_function_name(
		"_Z1f1PIiiES_IS0_S0_ES_IS1_S1_ES_IS2_S2_ES_IS3_S3_ES_IS4_S4_ES_IS5_S5_ES_IS6_S6_E"
		"S_IS7_S7_ES_IS8_S8_ES_IS9_S9_ES_ISA_SA_ES_ISB_SB_ES_ISC_SC_ES_ISD_SD_ES_ISE_SE_E"
		"S_ISF_SF_ES_ISG_SG_ES_ISH_SH_ES_ISI_SI_ES_ISJ_SJ_ES_ISK_SK_ES_ISL_SL_ES_ISM_SM_E"
		"S_ISN_SN_ES_ISO_SO_ES_ISP_SP_ES_ISQ_SQ_ES_ISR_SR_ES_ISS_SS_ES_IST_ST_ES_ISU_SU_E"
		"S_ISV_SV_ES_ISW_SW_ES_ISX_SX_ES_ISY_SY_ES_ISZ_SZ_ES_IS10_S10_ES_IS11_S11_ES_IS12"
		"_S12_ES_IS13_S13_E");

	CHECK(name && strncmp(name, "f(P<int, int>, P<P<int, int>, P<int, int> >", 42) == 0);
	CHECK(name && strlen(name) < 16384 && ends_with(name, "..."));
	free(name);
}

/* A tuple of two, of which each part is the tuple before it; with Rust's references: "B_" is position 0. */
static void test_endless_rust_name(void)
{
	static const char digits[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char mangled[1024] = "_RINvC1a1fTiiE", reference[8];
	size_t before = strlen("_RINvC1a1f"), length = strlen(mangled), i;
	char *name;

	for (i = 0; i < 60; i++) {
		size_t position = before - strlen("_R") - 1;

		before = length;
		snprintf(reference, sizeof(reference), "B%.*s%c_", position >= 62,
			&digits[position / 62], digits[position % 62]);
		length += (size_t)snprintf(
			mangled + length, sizeof(mangled) - length, "T%s%sE", reference, reference);
	}
	snprintf(mangled + length, sizeof(mangled) - length, "E");
	name = symbol_function_name(mangled);
	CHECK(name && strncmp(name, "a::f::<(isize, isize), ((isize, isize), ", 38) == 0);
	CHECK(name && strlen(name) < 16384 && ends_with(name, "..."));
	free(name);
}

/* A long identifier that is not ASCII, much of it beyond the bound; a leak checker sees that all memory is freed. */
static void test_long_rust_name(void)
{
	char mangled[16384], *name;

	snprintf(mangled, sizeof(mangled), "_RINvC1a1fNvC1bu%d_%0*d_ya%sE", 4003, 4000, 0,
		"B7_B7_B7_");
	name = symbol_function_name(mangled);
	CHECK(name && strncmp(name, "a::f::<b::0000", 14) == 0);
	CHECK(name && strlen(name) < 16384 && ends_with(name, "..."));
	free(name);
	snprintf(mangled, sizeof(mangled), "_RNvCs_1au%d_%0*d_ya", 9003, 9000, 0);
	name = symbol_function_name(mangled);
	CHECK_TEXT(name, mangled);
	free(name);
}

static void test_names(void)
{
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char *name = symbol_function_name(names[i].symbol);

		CHECK(name != NULL);
		CHECK_TEXT(name ? name : "", names[i].name);
		free(name);
	}
}

int main(int nr_arguments, char **arguments)
{
	struct symbol_resolver *resolver = symbol_new();
	struct maps maps;
	int i;

	maps_read_self(&maps);
	if (HAS_SYMBOLS) {
		test_return_address(resolver, &maps);
		test_way_round(resolver, &maps);
		test_inlined(resolver, &maps);
		test_function(resolver, &maps);
		test_library(resolver, &maps);
	} else {
		test_without_symbols(resolver, &maps);
	}
	test_processes(resolver, &maps);
	test_degraded(resolver);
	test_build_id();
	test_names();
	if (HAS_LIBIBERTY) {
		test_rust_names();
		test_endless_name();
		test_endless_rust_name();
		test_long_rust_name();
	}
	test_damaged();
	for (i = 1; HAS_SYMBOLS && i < nr_arguments; i++)
		test_coroutines(arguments[i]);
	symbol_free(resolver);
	symbol_free(NULL);
	maps_fini(&maps);
	return check_result();
}
