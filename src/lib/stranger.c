/* SPDX-License-Identifier: MIT */
/*
 * Recognises files that are not traces by their first bytes. The file that a user mistakes for a trace is most often
 * the program, a file that the program left, or a file made from a trace.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "lib/stranger.h"

#define TRACES                                                                                \
	"; a trace is what 'corotracer run' writes, its text form, JSON lines of one, or an " \
	"execution trace of Go"

struct beginning {
	const char *bytes;
	size_t nr_bytes;
	const char *words;
};

#define BEGINS(text, words)                   \
	{                                     \
		text, sizeof(text) - 1, words \
	}

/* The first entry that matches is used. */
static const struct beginning beginnings[] = {
	BEGINS("SQLite format 3", "an SQLite database, not a trace: sqlite3 reads it" TRACES),
	BEGINS("\x1f\x8b", "compressed by gzip: unpack it first, with gunzip"),
	BEGINS("\x28\xb5\x2f\xfd", "compressed by zstd: unpack it first, with unzstd"),
	BEGINS("\xfd\x37zXZ", "compressed by xz: unpack it first, with unxz"),
	BEGINS("PK\x03\x04", "an archive: unpack it first, with unzip"),
	BEGINS("PAR1", "a table in Parquet's form, not a trace" TRACES),
	BEGINS("!<arch>\n", "a library of object files, not a trace" TRACES),
	BEGINS("{", "JSON, but no lines of a trace" TRACES),
	BEGINS("[", "JSON, but no lines of a trace" TRACES),
	BEGINS("#!", "a script, not a trace: record what it runs with 'corotracer run -- SCRIPT'"),
};

/* The type has the same position in 32-bit and 64-bit files. */
static unsigned elf_type(const uint8_t *first)
{
	const uint8_t *type = first + offsetof(Elf64_Ehdr, e_type);

	return first[EI_DATA] == ELFDATA2MSB ? type[0] << 8 | type[1] : type[1] << 8 | type[0];
}

static const char *elf_words(const uint8_t *first)
{
	switch (elf_type(first)) {
	case ET_CORE:
		return "a core dump of another kind of machine, or in a build that cannot read one "
		       "(-Dframes)" TRACES;
	case ET_EXEC:
	case ET_DYN:
		return "a program, not a trace: record one with 'corotracer run -- PROGRAM'";
	default:
		return "an object file, not a trace" TRACES;
	}
}

/* True unless a byte cannot be part of a text; bytes above 0x7f belong to UTF-8 characters. */
static bool is_text(const uint8_t *first, size_t nr_bytes)
{
	size_t i;

	for (i = 0; i < nr_bytes; i++)
		if ((first[i] < 0x20 && !memchr("\t\n\v\f\r\033", first[i], 6)) || first[i] == 0x7f)
			return false;
	return nr_bytes > 0;
}

const char *lib_stranger_words(const void *first_bytes, size_t nr_bytes)
{
	const uint8_t *first = first_bytes;
	size_t i;

	if (nr_bytes >= offsetof(Elf64_Ehdr, e_machine) && memcmp(first, ELFMAG, SELFMAG) == 0)
		return elf_words(first);
	for (i = 0; i < sizeof(beginnings) / sizeof(*beginnings); i++)
		if (nr_bytes >= beginnings[i].nr_bytes &&
			memcmp(first, beginnings[i].bytes, beginnings[i].nr_bytes) == 0)
			return beginnings[i].words;
	if (is_text(first, nr_bytes))
		return "text, not a trace" TRACES;
	return "not a trace: its first bytes are of no form that is known" TRACES;
}
