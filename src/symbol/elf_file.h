/* SPDX-License-Identifier: MIT */
/*
 * The few facts of an ELF file that need no library: its build id, and where its loadable pieces lie.
 * Reads what it needs with pread and checks each number; never maps the file.
 */
#ifndef SYMBOL_ELF_FILE_H
#define SYMBOL_ELF_FILE_H

#include <stdint.h>

#include "symbol/symbol.h"

/* More pieces than any linker makes; further ones are not looked at. */
#define ELF_PIECES_MAX 32

/* A piece of the file that is loaded into memory. */
struct elf_piece {
	uint64_t file_offset;
	uint64_t file_bytes;
	uint64_t address; /* as the file's own tables count */
};

struct elf_file {
	struct elf_piece pieces[ELF_PIECES_MAX];
	unsigned nr_pieces;
	char build_id[SYMBOL_BUILD_ID_SIZE]; /* "" where it has none */
};

/* symbol_elf_file_read: fails with NOT_FOUND or SYSTEM where it cannot be read, FORMAT where it is no ELF file. */
enum ct_status symbol_elf_file_read(
	int root, const char *path, struct elf_file *ret_file, struct ct_error *reterr);

/* symbol_elf_file_address: the address of a byte of the file; false where that is not loaded. */
bool symbol_elf_file_address(
	const struct elf_file *file, uint64_t file_offset, uint64_t *ret_address);

#endif
