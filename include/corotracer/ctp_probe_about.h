/* SPDX-License-Identifier: MIT */
/*
 * A segment's text about its process, for an engine or a reader that comes after the process has ended. A part of
 * ctp_probe_cold.h: include that.
 *
 * The text has one fact a line (docs/spec/protocol.md, P-85):
 *
 *	program /path/of/the/executable
 *	command its arguments
 *	parent the id of the process that made it
 *	host its machine                        flight recorder only, whose reader has no other source
 *	boot the machine's boot id              likewise
 *	code START END OFFSET BUILD-ID PATH     for each piece of code; in hexadecimal, "-" for no build id
 *
 * A control character in a fact is written as '?'. A fact that does not fit is left out as a whole.
 */
#ifndef COROTRACER_CTP_PROBE_ABOUT_H
#define COROTRACER_CTP_PROBE_ABOUT_H

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/mman.h>

#include "corotracer/ctp_probe_cold.h"
#include "corotracer/ctp_probe_segment.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CTP_BUILD_ID_MAX 64u

struct ctp_about {
	char *at;
	char *end;
	char *line;             /* beginning of the present line */
	char program[PATH_MAX]; /* "": not known */
	char text[PATH_MAX];    /* text of a file that is being read */
};

CTP_COLD_PART size_t ctp_decimal(uint64_t number, char *ret_digits)
{
	char reversed[20];
	size_t length = 0, i;

	do {
		reversed[length++] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	for (i = 0; i < length; i++)
		ret_digits[i] = reversed[length - 1 - i];
	return length;
}

CTP_COLD_PART void ctp_about_put(struct ctp_about *about, const char *text, size_t length)
{
	size_t i;

	for (i = 0; i < length && about->at < about->end; i++) {
		unsigned char byte = (unsigned char)text[i];

		*about->at++ = byte < ' ' || byte == 127 ? '?' : text[i];
	}
}

CTP_COLD_PART void ctp_about_word(struct ctp_about *about, const char *word)
{
	ctp_about_put(about, word, strlen(word));
	ctp_about_put(about, " ", 1);
}

/* Writes the hexadecimal digits of a number, or of bytes in their order. */
CTP_COLD_PART void ctp_about_byte(struct ctp_about *about, unsigned byte)
{
	ctp_about_put(about, &"0123456789abcdef"[byte >> 4 & 15], 1);
	ctp_about_put(about, &"0123456789abcdef"[byte & 15], 1);
}

CTP_COLD_PART void ctp_about_number(struct ctp_about *about, uint64_t number)
{
	int shift;

	for (shift = 56; shift >= 0; shift -= 8)
		ctp_about_byte(about, (unsigned)(number >> shift) & 255);
	ctp_about_put(about, " ", 1);
}

/* A line that does not fit is removed as a whole. */
CTP_COLD_PART void ctp_about_end_line(struct ctp_about *about)
{
	if (about->at == about->end) {
		memset(about->line, 0, (size_t)(about->end - about->line));
		about->at = about->line;
		return;
	}
	*about->at++ = '\n';
	about->line = about->at;
}

/* Reads the beginning of a small file into about->text. Returns its length without a last newline or NUL. */
CTP_COLD_PART size_t ctp_about_read(struct ctp_about *about, const char *path)
{
	int file = ctp_unseen_open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (file < 0)
		return 0;
	length = syscall(SYS_read, file, about->text, sizeof(about->text));
	ctp_unseen_close(file);
	if (length > 0 && (about->text[length - 1] == '\n' || about->text[length - 1] == '\0'))
		length--;
	return length > 0 ? (size_t)length : 0;
}

CTP_COLD_PART void ctp_about_file(struct ctp_about *about, const char *fact, const char *path)
{
	size_t length = ctp_about_read(about, path);
	size_t i;

	/* Each argument ends in a NUL. */
	for (i = 0; i < length; i++)
		if (about->text[i] == '\0')
			about->text[i] = ' ';
	ctp_about_word(about, fact);
	ctp_about_put(about, about->text, length);
	ctp_about_end_line(about);
}

/* Writes the build id among the notes at `note`, as digits. Returns false if there is no build id. */
CTP_COLD_PART bool ctp_about_build_id(
	struct ctp_about *about, const char *note, size_t bytes, size_t alignment)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *head = (const ElfW(Nhdr) *)(const void *)note;
		size_t name = CTP_ALIGN_UP((size_t)head->n_namesz, alignment);
		size_t whole =
			sizeof(*head) + name + CTP_ALIGN_UP((size_t)head->n_descsz, alignment);
		uint32_t i;

		if (whole > bytes)
			return false;
		if (head->n_type == NT_GNU_BUILD_ID && head->n_namesz == 4 &&
			head->n_descsz <= CTP_BUILD_ID_MAX &&
			memcmp(note + sizeof(*head), "GNU", 4) == 0) {
			for (i = 0; i < head->n_descsz; i++)
				ctp_about_byte(
					about, (unsigned char)note[sizeof(*head) + name + i]);
			ctp_about_put(about, " ", 1);
			return true;
		}
		note += whole;
		bytes -= whole;
	}
	return false;
}

CTP_COLD_PART void ctp_about_module_id(struct ctp_about *about, const struct dl_phdr_info *module)
{
	uint32_t i;

	for (i = 0; i < module->dlpi_phnum; i++) {
		const ElfW(Phdr) *part = &module->dlpi_phdr[i];

		if (part->p_type == PT_NOTE &&
			ctp_about_build_id(about,
				(const char *)(uintptr_t)(module->dlpi_addr + part->p_vaddr),
				part->p_memsz, part->p_align == 8 ? 8 : 4))
			return;
	}
	ctp_about_word(about, "-");
}

CTP_COLD_PART void ctp_about_code(
	struct ctp_about *about, const struct dl_phdr_info *module, const ElfW(Phdr) * part)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t begin = module->dlpi_addr + part->p_vaddr;
	uint64_t before = begin % page;
	const char *name = module->dlpi_name;

	ctp_about_word(about, "code");
	ctp_about_number(about, begin - before);
	ctp_about_number(about, CTP_ALIGN_UP(begin + part->p_memsz, page));
	ctp_about_number(about, part->p_offset - before);
	ctp_about_module_id(about, module);
	if (!name || name[0] == '\0')
		name = about->program;
	ctp_about_put(about, name, strlen(name));
	ctp_about_end_line(about);
}

CTP_COLD_PART int ctp_about_module(struct dl_phdr_info *module, size_t bytes, void *context)
{
	struct ctp_about *about = (struct ctp_about *)context;
	uint32_t i;

	(void)bytes;
	for (i = 0; i < module->dlpi_phnum; i++)
		if (module->dlpi_phdr[i].p_type == PT_LOAD &&
			(module->dlpi_phdr[i].p_flags & PF_X) != 0)
			ctp_about_code(about, module, &module->dlpi_phdr[i]);
	return 0;
}

CTP_COLD_PART void ctp_about_program(struct ctp_about *about)
{
	char parent[20];
	ssize_t length = readlink("/proc/self/exe", about->program, sizeof(about->program) - 1);

	about->program[length > 0 ? length : 0] = '\0';
	ctp_about_word(about, "program");
	ctp_about_put(about, about->program, strlen(about->program));
	ctp_about_end_line(about);
	ctp_about_file(about, "command", "/proc/self/cmdline");
	ctp_about_word(about, "parent");
	ctp_about_put(about, parent, ctp_decimal((uint64_t)getppid(), parent));
	ctp_about_end_line(about);
}

CTP_COLD_PART void ctp_about_machine(struct ctp_about *about)
{
	ctp_about_file(about, "host", "/proc/sys/kernel/hostname");
	ctp_about_file(about, "boot", "/proc/sys/kernel/random/boot_id");
}

/* Writes the text into the segment. If there is no memory for that, the text stays empty. */
CTP_COLD_PART void ctp_about_write(const struct ctp_segment *segment)
{
	size_t bytes = CTP_ALIGN_UP(sizeof(struct ctp_about), CTP_UNIT_BYTES);
	void *room = mmap(NULL, bytes + segment->about_bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ctp_about *about = (struct ctp_about *)room;
	char *text = (char *)room + bytes;

	if (room == MAP_FAILED)
		return;
	about->at = about->line = text;
	about->end = text + segment->about_bytes;
	ctp_about_program(about);
	if (segment->is_flight)
		ctp_about_machine(about);
	dl_iterate_phdr(ctp_about_module, about);
	/* Only the text is written, not about_bytes: the rest of the file is zeros already. */
	if (pwrite(segment->descriptor, text, (size_t)(about->at - text),
		    (off_t)segment->about_offset) < 0)
		text[0] = '\0';
	munmap(room, bytes + segment->about_bytes);
}

#ifdef __cplusplus
}
#endif

#endif
