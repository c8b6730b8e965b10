/* SPDX-License-Identifier: MIT */
/*
 * Reads an ELF file's header, program headers and notes (elf_file.h). The file may be hostile: a size in it is checked
 * against our own limit before it is used.
 */
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "symbol/elf_file.h"
#include "symbol/symbol.h"

#define PROGRAM_HEADERS_MAX 128
#define NOTES_MAX_BYTES 8192

/* True if all the bytes were read. */
static bool read_at(int descriptor, void *bytes, size_t nr_bytes, uint64_t offset)
{
	return io_read_at(descriptor, bytes, nr_bytes, offset) == (ssize_t)nr_bytes;
}

static uint64_t align_note(uint64_t bytes)
{
	return (bytes + 3) & ~UINT64_C(3);
}

static void take_build_id(
	char ret_build_id[SYMBOL_BUILD_ID_SIZE], const uint8_t *bytes, size_t nr_bytes)
{
	static const char digits[] = "0123456789abcdef";
	size_t i;

	if (nr_bytes == 0 || nr_bytes > (SYMBOL_BUILD_ID_SIZE - 1) / 2)
		return;
	for (i = 0; i < nr_bytes; i++) {
		ret_build_id[2 * i] = digits[bytes[i] >> 4];
		ret_build_id[2 * i + 1] = digits[bytes[i] & 15];
	}
	ret_build_id[2 * nr_bytes] = '\0';
}

/* A note consists of a header, a name and a description; the last two are padded to four bytes. */
bool symbol_elf_next_note(
	const uint8_t *notes, size_t nr_bytes, uint64_t *at, struct elf_note *ret_note)
{
	Elf64_Nhdr header;
	uint64_t content;

	if (*at + sizeof(header) > nr_bytes)
		return false;
	memcpy(&header, notes + *at, sizeof(header));
	content = *at + sizeof(header) + align_note(header.n_namesz);
	if (content + header.n_descsz > nr_bytes)
		return false;
	*ret_note = (struct elf_note){
		.type = header.n_type,
		.name = notes + *at + sizeof(header),
		.name_bytes = header.n_namesz,
		.content = notes + content,
		.content_bytes = header.n_descsz,
	};
	*at = content + align_note(header.n_descsz);
	return true;
}

void symbol_elf_build_id_of_notes(
	const uint8_t *notes, size_t nr_bytes, char ret_build_id[SYMBOL_BUILD_ID_SIZE])
{
	struct elf_note note;
	uint64_t at = 0;

	while (symbol_elf_next_note(notes, nr_bytes, &at, &note)) {
		if (note.type != NT_GNU_BUILD_ID || note.name_bytes != 4 ||
			memcmp(note.name, "GNU", 4) != 0)
			continue;
		take_build_id(ret_build_id, note.content, note.content_bytes);
		return;
	}
}

static void read_notes(struct elf_file *file, int descriptor, const Elf64_Phdr *header)
{
	uint8_t notes[NOTES_MAX_BYTES];
	size_t nr_bytes =
		header->p_filesz < sizeof(notes) ? (size_t)header->p_filesz : sizeof(notes);

	if (file->build_id[0] == '\0' && read_at(descriptor, notes, nr_bytes, header->p_offset))
		symbol_elf_build_id_of_notes(notes, nr_bytes, file->build_id);
}

static void read_piece(struct elf_file *file, const Elf64_Phdr *header)
{
	struct elf_piece *piece = &file->pieces[file->nr_pieces];

	if (file->nr_pieces == ELF_PIECES_MAX)
		return;
	piece->file_offset = header->p_offset;
	piece->file_bytes = header->p_filesz;
	piece->address = header->p_vaddr;
	file->nr_pieces++;
}

static bool is_understood(const Elf64_Ehdr *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_phentsize == sizeof(Elf64_Phdr) && header->e_phnum <= PROGRAM_HEADERS_MAX;
}

static enum ct_status read_headers(
	const char *path, int descriptor, struct elf_file *file, struct ct_error *reterr)
{
	Elf64_Phdr headers[PROGRAM_HEADERS_MAX];
	Elf64_Ehdr elf;
	unsigned i;

	if (!read_at(descriptor, &elf, sizeof(elf), 0) || !is_understood(&elf))
		return ct_fail(reterr, CT_ERR_FORMAT, "'%s' is not a 64-bit ELF file", path);
	if (!read_at(descriptor, headers, elf.e_phnum * sizeof(headers[0]), elf.e_phoff))
		return ct_fail_at(
			reterr, CT_ERR_FORMAT, elf.e_phoff, "'%s' lacks its program headers", path);
	for (i = 0; i < elf.e_phnum; i++) {
		if (headers[i].p_type == PT_LOAD)
			read_piece(file, &headers[i]);
		else if (headers[i].p_type == PT_NOTE)
			read_notes(file, descriptor, &headers[i]);
	}
	return CT_OK;
}

enum ct_status symbol_elf_file_read(
	int root, const char *path, struct elf_file *ret_file, struct ct_error *reterr)
{
	enum ct_status status;
	struct stat facts;
	int descriptor;

	memset(ret_file, 0, sizeof(*ret_file));
	descriptor = symbol_open_file(root, path);
	if (descriptor < 0)
		return ct_fail_errno(reterr, "'%s' cannot be opened", path);
	if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode))
		status = ct_fail(reterr, CT_ERR_FORMAT, "'%s' is not a regular file", path);
	else
		status = read_headers(path, descriptor, ret_file, reterr);
	close(descriptor);
	return status;
}

bool symbol_elf_file_address(
	const struct elf_file *file, uint64_t file_offset, uint64_t *ret_address)
{
	unsigned i;

	for (i = 0; i < file->nr_pieces; i++) {
		const struct elf_piece *piece = &file->pieces[i];

		if (file_offset >= piece->file_offset &&
			file_offset - piece->file_offset < piece->file_bytes) {
			*ret_address = piece->address + (file_offset - piece->file_offset);
			return true;
		}
	}
	return false;
}

bool symbol_build_id(int root, const char *path, char ret_build_id[SYMBOL_BUILD_ID_SIZE])
{
	struct elf_file file;
	enum ct_status status = symbol_elf_file_read(root, path, &file, NULL);

	memcpy(ret_build_id, file.build_id, SYMBOL_BUILD_ID_SIZE);
	if (status)
		ret_build_id[0] = '\0';
	return ret_build_id[0] != '\0';
}
