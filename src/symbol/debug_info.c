/* SPDX-License-Identifier: MIT */
/*
 * Symbols and debug information through elfutils (debug_info.h).
 *
 * The name of a function comes from the symbol table, which has the parts that compilers split off; inlined functions,
 * files and lines come from DWARF. elfutils finds a compilation unit only by .debug_aranges, which clang does not
 * write, so the units' own ranges are sorted here once.
 *
 * The network is never used: elfutils would ask a debuginfod server if the environment names one, but a report must not
 * wait for downloads.
 */
#include <elfutils/libdwfl.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"
#include "symbol/debug_entry.h"
#include "symbol/debug_file.h"
#include "symbol/line_padding.h"
#include "symbol/symbol.h"

#define CALLERS_MAX 16
/*
 * Units beyond these limits are named only by the symbol table: units of a hostile file can refer to one long list of
 * ranges.
 */
#define UNIT_RANGES_MAX 65536u    /* of one unit */
#define UNITS_RANGES_MAX 1048576u /* of all units */

/* A range of code, and the unit that describes it. */
struct unit_range {
	uint64_t begin;
	uint64_t end;
	Dwarf_Off unit; /* offset of the unit's entry */
};

struct debug_info {
	int root; /* the root of the file's path */
	char build_id[SYMBOL_BUILD_ID_SIZE];
	char *path;               /* the list of folders with debug information */
	Dwfl_Callbacks callbacks; /* elfutils uses this as long as `dwfl` */
	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwarf *dwarf; /* NULL: no debug information */
	Dwarf_Addr dwarf_bias;
	unsigned char *lines; /* in place of the section of lines; NULL: as it is in the file */
	struct function_table functions;
	VEC(struct unit_range) ranges;
	uint32_t nr_ranges; /* ranges that were read, including empty ones */
	struct units_functions units;
};

/* ------------------------------------------------------------ opening */

static int find_debug_file(Dwfl_Module *module, void **user_data, const char *module_name,
	Dwarf_Addr base, const char *file_name, const char *debug_link, GElf_Word debug_link_crc,
	char **ret_debug_file)
{
	const struct debug_info *debug = *user_data;
	int descriptor = -1;

	if (debug->root != SYMBOL_OUR_ROOT)
		descriptor =
			symbol_debug_file_open(debug->root, file_name, debug->build_id, debug_link);
	if (descriptor < 0)
		descriptor = dwfl_build_id_find_debuginfo(module, user_data, module_name, base,
			file_name, debug_link, debug_link_crc, ret_debug_file);
	/* A debug file of the same name outside that root would belong to another program. */
	if (descriptor >= 0 || debug->root != SYMBOL_OUR_ROOT || getenv("DEBUGINFOD_URLS"))
		return descriptor;
	return dwfl_standard_find_debuginfo(module, user_data, module_name, base, file_name,
		debug_link, debug_link_crc, ret_debug_file);
}

/* The folders that are searched for debug files: the usual ones, and those that the user names. */
static char *debug_path(void)
{
	static const char usual[] = ":.debug:/usr/lib/debug";
	const char *more = getenv("COROTRACER_DEBUG_PATH");
	char *path;

	if (!more || !*more)
		return strdup(usual);
	return asprintf(&path, "%s:%s", usual, more) < 0 ? NULL : path;
}

static const Dwfl_Callbacks usual_callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debug_file,
	.section_address = dwfl_offline_section_address,
};

static uint32_t rank_of(const GElf_Sym *symbol)
{
	uint32_t rank = GELF_ST_BIND(symbol->st_info) == STB_GLOBAL ? 2 : 0;

	if (GELF_ST_BIND(symbol->st_info) == STB_WEAK)
		rank = 1;
	return symbol->st_size ? rank + 4 : rank;
}

static bool is_function(const GElf_Sym *symbol)
{
	unsigned type = GELF_ST_TYPE(symbol->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC) && symbol->st_shndx != SHN_UNDEF;
}

static bool read_functions(struct debug_info *debug)
{
	int count = dwfl_module_getsymtab(debug->module);
	int i;

	for (i = 1; i < count; i++) {
		struct function_entry entry = {0};
		GElf_Sym symbol;

		entry.name = dwfl_module_getsym_info(
			debug->module, i, &symbol, &entry.address, NULL, NULL, NULL);
		if (!entry.name || !entry.name[0] || !is_function(&symbol))
			continue;
		entry.bytes = symbol.st_size;
		entry.rank = rank_of(&symbol);
		if (!vec_push(&debug->functions.functions, entry))
			return false;
	}
	symbol_function_table_sort(&debug->functions);
	return true;
}

static bool read_unit_ranges(struct debug_info *debug, Dwarf_Die *unit)
{
	Dwarf_Addr base;
	ptrdiff_t next = 0;
	uint32_t i;

	for (i = 0; i < UNIT_RANGES_MAX && debug->nr_ranges < UNITS_RANGES_MAX; i++) {
		struct unit_range range = {.unit = dwarf_dieoffset(unit)};

		next = dwarf_ranges(unit, next, &base, &range.begin, &range.end);
		if (next <= 0)
			break;
		debug->nr_ranges++;
		if (range.begin < range.end && !vec_push(&debug->ranges, range))
			return false;
	}
	return true;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct unit_range *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->unit < b->unit ? -1 : a->unit > b->unit;
}

/* The section of this name. NULL: there is none, or it is compressed. */
static Elf_Scn *find_section(Elf *elf, const char *wanted)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names) != 0)
		return NULL;
	while ((section = elf_nextscn(elf, section)) != NULL) {
		GElf_Shdr header;
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (name && strcmp(name, wanted) == 0)
			return header.sh_flags & SHF_COMPRESSED ? NULL : section;
	}
	return NULL;
}

/* elfutils has one of the two records of the section, and reads the content only where lines are asked for. */
static bool mend_lines(struct debug_info *debug)
{
	Elf_Scn *section = find_section(dwarf_getelf(debug->dwarf), ".debug_line");
	Elf_Data *raw = section ? elf_rawdata(section, NULL) : NULL;
	Elf_Data *data = raw ? elf_getdata(section, NULL) : NULL;

	if (!data || !raw->d_buf || raw->d_size != data->d_size ||
		!symbol_line_padding_has(raw->d_buf, raw->d_size))
		return true;
	debug->lines = malloc(raw->d_size);
	if (!debug->lines)
		return false;
	memcpy(debug->lines, raw->d_buf, raw->d_size);
	symbol_line_padding_mend(debug->lines, raw->d_size);
	raw->d_buf = data->d_buf = debug->lines;
	return true;
}

static bool read_units(struct debug_info *debug)
{
	Dwarf_CU *cursor = NULL;
	Dwarf_Die unit;

	debug->dwarf = dwfl_module_getdwarf(debug->module, &debug->dwarf_bias);
	if (!debug->dwarf)
		return true;
	if (!mend_lines(debug))
		return false;
	while (dwarf_get_units(debug->dwarf, cursor, &cursor, NULL, NULL, &unit, NULL) == 0) {
		if (!read_unit_ranges(debug, &unit))
			return false;
	}
	if (debug->ranges.count)
		qsort(debug->ranges.at, debug->ranges.count, sizeof(*debug->ranges.at),
			compare_ranges);
	return true;
}

static bool report_file(struct debug_info *debug, const char *path)
{
	int descriptor = symbol_open_file(debug->root, path);
	void **user_data;

	if (descriptor < 0)
		return false;
	debug->path = debug_path();
	debug->callbacks = usual_callbacks;
	debug->callbacks.debuginfo_path = &debug->path;
	debug->dwfl = debug->path ? dwfl_begin(&debug->callbacks) : NULL;
	if (debug->dwfl) {
		dwfl_report_begin(debug->dwfl);
		/*
		 * The file is loaded at address 0, so that addresses are those of the file, whether or not it is
		 * position-independent.
		 */
		debug->module = dwfl_report_elf(debug->dwfl, path, path, descriptor, 0, true);
	}
	if (!debug->module) {
		close(descriptor);
		return false;
	}
	if (dwfl_report_end(debug->dwfl, NULL, NULL) != 0 ||
		!dwfl_module_info(debug->module, &user_data, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	*user_data = debug;
	return true;
}

struct debug_info *symbol_debug_info_open(int root, const char *path, const char **ret_remark)
{
	struct debug_info *debug = calloc(1, sizeof(*debug));

	*ret_remark = "out of memory";
	if (!debug)
		return NULL;
	debug->root = root;
	symbol_build_id(root, path, debug->build_id);
	if (!report_file(debug, path)) {
		*ret_remark = "its symbols cannot be read";
	} else if (read_functions(debug) && read_units(debug)) {
		*ret_remark = "";
		return debug;
	}
	symbol_debug_info_close(debug);
	return NULL;
}

void symbol_debug_info_close(struct debug_info *debug)
{
	if (!debug)
		return;
	symbol_function_table_fini(&debug->functions);
	vec_fini(&debug->ranges);
	symbol_units_functions_fini(&debug->units);
	if (debug->dwfl)
		dwfl_end(debug->dwfl);
	free(debug->lines);
	free(debug->path);
	free(debug);
}

/* ------------------------------------------------------------ looking up */

static bool find_unit(struct debug_info *debug, uint64_t address, Dwarf_Die *ret_unit)
{
	size_t nr = vec_count_while(debug->ranges.count, i, debug->ranges.at[i].begin <= address);

	return nr > 0 && address < debug->ranges.at[nr - 1].end &&
	       dwarf_offdie(debug->dwarf, debug->ranges.at[nr - 1].unit, ret_unit);
}

static char *copy_text(struct arena *arena, const char *text)
{
	return arena_text(arena, text, strlen(text));
}

static const char *text_of(Dwarf_Die *unit, unsigned name)
{
	Dwarf_Attribute attribute;

	return dwarf_attr(unit, name, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/*
 * Writes a file's name as __FILE__ has it, so that a place from the program and a place from debug information are the
 * same: compilers put the compilation's folder in front of a relative name. NULL: out of memory.
 */
static const char *spell(struct arena *arena, Dwarf_Die *unit, const char *path)
{
	const char *folder = text_of(unit, DW_AT_comp_dir), *given = text_of(unit, DW_AT_name);
	size_t length = folder ? strlen(folder) : 0;
	char *spelled;

	if (!length || !given || !*path)
		spelled = copy_text(arena, path);
	else if (*given == '/' && *path != '/')
		spelled = arena_format(arena, "%s/%s", folder, path);
	else if (*given != '/' && strncmp(path, folder, length) == 0 && path[length] == '/' &&
		 strcmp(path + length + 1, given) == 0)
		spelled = copy_text(arena, given);
	else
		spelled = copy_text(arena, path);
	if (spelled)
		path_tidy(spelled);
	return spelled;
}

static bool set_function(const char **ret_function, struct arena *arena, const char *symbol)
{
	char *name = symbol_function_name(symbol);

	if (!name)
		return false;
	*ret_function = copy_text(arena, name);
	free(name);
	return *ret_function != NULL;
}

/* The name that the linker uses, or NULL. */
static const char *linkage_name(Dwarf_Die *scope)
{
	static const unsigned names[] = {DW_AT_linkage_name, DW_AT_MIPS_linkage_name};
	Dwarf_Attribute attribute;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (dwarf_attr_integrate(scope, names[i], &attribute))
			return dwarf_formstring(&attribute);
	}
	return NULL;
}

/* The class of a member function, or NULL. */
static const char *class_name(Dwarf_Die *scope)
{
	Dwarf_Attribute attribute;
	Dwarf_Die declaration, *outer = NULL;
	const char *name = NULL;

	if (!dwarf_attr_integrate(scope, DW_AT_specification, &attribute) ||
		!dwarf_formref_die(&attribute, &declaration))
		return NULL;
	if (dwarf_getscopes_die(&declaration, &outer) > 1 &&
		(dwarf_tag(&outer[1]) == DW_TAG_structure_type ||
			dwarf_tag(&outer[1]) == DW_TAG_class_type))
		name = dwarf_diename(&outer[1]);
	free(outer);
	return name;
}

/* A function without a linkage name, such as a member of a class in an unnamed namespace, gets its plain name. */
static bool set_scope(const char **ret_function, struct arena *arena, Dwarf_Die *scope)
{
	const char *symbol = linkage_name(scope);
	const char *name = dwarf_diename(scope);
	const char *class = symbol ? NULL : class_name(scope);

	if (symbol || !name || !class)
		return set_function(ret_function, arena, symbol ? symbol : name ? name : "");
	*ret_function = arena_format(arena, "%s::%s", class, name);
	return *ret_function != NULL;
}

/* Sets where an inlined function was called: a file number of the unit's table, and a line. */
static bool set_call(
	struct symbol_caller *caller, struct arena *arena, Dwarf_Die *unit, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file = 0, line = 0;
	Dwarf_Files *files;
	const char *path = NULL;

	if (dwarf_attr(inlined, DW_AT_call_line, &attribute))
		dwarf_formudata(&attribute, &line);
	if (dwarf_attr(inlined, DW_AT_call_file, &attribute) &&
		dwarf_formudata(&attribute, &file) == 0 &&
		dwarf_getsrcfiles(unit, &files, NULL) == 0)
		path = dwarf_filesrc(files, file, NULL, NULL);
	caller->line = line <= UINT32_MAX ? (uint32_t)line : 0;
	caller->file = spell(arena, unit, path ? path : "");
	return caller->file != NULL;
}

/*
 * Sets the function and its callers from scopes, innermost first. The last scope is a real function, named `concrete`
 * if the symbol table has it; the others were inlined, each into the next one.
 */
static bool set_callers(struct symbol_place *place, struct arena *arena, Dwarf_Die *unit,
	Dwarf_Die *scopes, int nr_scopes, const char *concrete)
{
	struct symbol_caller *callers = arena_array(arena, CALLERS_MAX, sizeof(*callers));
	const char **ret_function = &place->function;
	int i;

	if (!callers)
		return false;
	place->callers = callers;
	for (i = 0; i < nr_scopes; i++) {
		bool is_inlined = dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine;

		if (is_inlined || !concrete ? !set_scope(ret_function, arena, &scopes[i])
					    : !set_function(ret_function, arena, concrete))
			return false;
		if (!is_inlined || place->nr_callers == CALLERS_MAX)
			return true;
		if (!set_call(&callers[place->nr_callers], arena, unit, &scopes[i]))
			return false;
		callers[place->nr_callers].function = "";
		ret_function = &callers[place->nr_callers++].function;
	}
	return true;
}

/* A unit whose functions are in a separate file (-gsplit-dwarf) has only lines; returns the unit with the functions. */
static Dwarf_Die *unit_with_functions(Dwarf_Die *unit, Dwarf_Die *split)
{
	uint8_t type = 0;

	if (dwarf_cu_info(unit->cu, NULL, &type, NULL, split, NULL, NULL, NULL) == 0 &&
		type == DW_UT_skeleton && split->cu)
		return split;
	return unit;
}

static bool set_functions(struct debug_info *debug, struct symbol_place *place, struct arena *arena,
	Dwarf_Die *skeleton, uint64_t address, bool is_entry, const char *concrete)
{
	Dwarf_Die scopes[SCOPES_MAX], split = {.cu = NULL};
	Dwarf_Die *unit = unit_with_functions(skeleton, &split);
	int nr_scopes;

	/* A function inlined at the very beginning of another one must not replace the outer function's name. */
	if (is_entry && concrete)
		return true;
	if (!symbol_units_functions_find(
		    &debug->units, skeleton, unit, address, scopes, &nr_scopes))
		return false;
	return nr_scopes == 0 || set_callers(place, arena, unit, scopes, nr_scopes, concrete);
}

static bool set_line(
	struct symbol_place *place, struct arena *arena, Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *line = dwarf_getsrc_die(unit, address);
	const char *path = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
	int number = 0, column = 0;

	/* Line 0 marks code that the compiler generated. */
	if (!path || dwarf_lineno(line, &number) != 0 || number <= 0)
		return true;
	dwarf_linecol(line, &column);
	place->file = spell(arena, unit, path);
	place->line = (uint32_t)number;
	place->column = column > 0 ? (uint32_t)column : 0;
	return place->file != NULL;
}

/* Only for the parts of coroutines, because all functions of the unit have to be read. */
static bool set_frame(struct debug_info *debug, struct symbol_place *place, uint64_t address,
	const char *concrete)
{
	Dwarf_Die scopes[SCOPES_MAX], frame;
	Dwarf_Word nr_bytes;
	int nr_scopes;

	if (!concrete || !symbol_coroutine_is_part(concrete))
		return true;
	if (!symbol_debug_info_scopes(debug, address, scopes, &nr_scopes))
		return false;
	if (nr_scopes > 0 && symbol_coroutine_frame(&scopes[nr_scopes - 1], &frame) &&
		dwarf_aggregate_size(&frame, &nr_bytes) == 0 && nr_bytes <= UINT32_MAX)
		place->frame_bytes = (uint32_t)nr_bytes;
	return true;
}

bool symbol_debug_info_find(struct debug_info *debug, struct arena *arena, uint64_t address,
	bool is_entry, struct symbol_place *place)
{
	const struct function_entry *entry = symbol_function_table_find(&debug->functions, address);
	const char *concrete = entry ? entry->name : NULL;
	Dwarf_Die unit;

	if (concrete && !set_function(&place->function, arena, concrete))
		return false;
	if (debug->dwarf && find_unit(debug, address - debug->dwarf_bias, &unit)) {
		uint64_t inside = address - debug->dwarf_bias;

		if (!set_functions(debug, place, arena, &unit, inside, is_entry, concrete) ||
			!set_line(place, arena, &unit, inside) ||
			(is_entry && !set_frame(debug, place, address, concrete)))
			return false;
	}
	place->has_debug_info = debug->dwarf != NULL;
	if (place->function[0])
		place->extent = SYMBOL_FUNCTION;
	if (place->line)
		place->extent = SYMBOL_LINE;
	else
		place->remark =
			debug->dwarf ? "its debug information does not cover this place"
				     : "it has no debug information: build it with -g, or install "
				       "its debug symbols";
	return true;
}

/* ------------------------------------------------------------ what else is in the file */

const struct function_table *symbol_debug_info_functions(const struct debug_info *debug)
{
	return &debug->functions;
}

const uint8_t *symbol_debug_info_code(
	const struct debug_info *debug, uint64_t address, size_t *ret_nr_bytes)
{
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(debug->module, &bias);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	Elf_Data *data;

	while (elf && (section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) ||
			header.sh_type == SHT_NOBITS || address - bias < header.sh_addr ||
			address - bias - header.sh_addr >= header.sh_size)
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || address - bias - header.sh_addr >= data->d_size)
			return NULL;
		*ret_nr_bytes = data->d_size - (size_t)(address - bias - header.sh_addr);
		return (const uint8_t *)data->d_buf + (address - bias - header.sh_addr);
	}
	return NULL;
}

bool symbol_debug_info_scopes(
	struct debug_info *debug, uint64_t address, Dwarf_Die scopes[SCOPES_MAX], int *ret_count)
{
	Dwarf_Die skeleton, split = {.cu = NULL};
	uint64_t inside = address - debug->dwarf_bias;

	*ret_count = 0;
	if (!debug->dwarf || !find_unit(debug, inside, &skeleton))
		return true;
	return symbol_units_functions_find(&debug->units, &skeleton,
		unit_with_functions(&skeleton, &split), inside, scopes, ret_count);
}

uint64_t symbol_debug_info_bias(const struct debug_info *debug)
{
	return debug->dwarf_bias;
}

Dwarf_CFI *symbol_debug_info_frames(struct debug_info *debug, Dwarf_Addr *ret_bias)
{
	return dwfl_module_eh_cfi(debug->module, ret_bias);
}

/* Names in the full symbol table have versions: "swapcontext@GLIBC_2.2.5". */
bool symbol_debug_info_imports(const struct debug_info *debug, const char *name)
{
	int count = dwfl_module_getsymtab(debug->module);
	size_t nr_bytes = strlen(name);
	int i;

	for (i = 1; i < count; i++) {
		GElf_Word section = 0;
		GElf_Sym symbol;
		GElf_Addr address;
		const char *found = dwfl_module_getsym_info(
			debug->module, i, &symbol, &address, &section, NULL, NULL);

		if (found && section == SHN_UNDEF && strncmp(found, name, nr_bytes) == 0 &&
			(found[nr_bytes] == '\0' || found[nr_bytes] == '@'))
			return true;
	}
	return false;
}
