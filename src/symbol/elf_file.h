/* SPDX-License-Identifier: MIT */
/*
 * The few facts of an ELF file that need no library: its build id, and the positions of its loadable segments. Reads
 * the necessary bytes with pread, checks each number, and never maps the file.
 */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <stdint.h>

#include "symbol/symbol.h"

/* More segments than any linker makes; further ones are ignored. */
#define ELF_PIECES_MAX 32

/* A segment of the file that is loaded into memory. */
struct elf_piece {
	uint64_t file_offset;
	uint64_t file_bytes;
	uint64_t address; /* the address in the file's own tables */
};

struct elf_file {
	struct elf_piece pieces[ELF_PIECES_MAX];
	unsigned nr_pieces;
	char build_id[SYMBOL_BUILD_ID_SIZE]; /* "" if the file has none */
};

/*
 * symbol_elf_file_read: reads these facts. CT_ERR_NOT_FOUND or CT_ERR_SYSTEM: the file cannot be read. CT_ERR_FORMAT:
 * not an ELF file.
 */
enum ct_status symbol_elf_file_read(
	int root, const char *path, struct elf_file *ret_file, struct ct_error *reterr);

/* A note among the bytes of a file's notes, which it points into. The name has its terminating zero. */
struct elf_note {
	uint32_t type;
	const uint8_t *name;
	uint32_t name_bytes;
	const uint8_t *content;
	uint32_t content_bytes;
};

/* symbol_elf_next_note: takes the note at *at, from 0 on, and moves *at behind it; false: there is no whole note. */
bool symbol_elf_next_note(
	const uint8_t *notes, size_t nr_bytes, uint64_t *at, struct elf_note *ret_note);

/* symbol_elf_build_id_of_notes: finds a build id among the bytes of a file's notes; the text stays if there is none. */
void symbol_elf_build_id_of_notes(
	const uint8_t *notes, size_t nr_bytes, char ret_build_id[SYMBOL_BUILD_ID_SIZE]);

/* symbol_elf_file_address: converts a position in the file to an address; false: that position is not loaded. */
bool symbol_elf_file_address(
	const struct elf_file *file, uint64_t file_offset, uint64_t *ret_address);

#endif
