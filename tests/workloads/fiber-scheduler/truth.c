/* SPDX-License-Identifier: MIT */
/* The program's own log: each line is one write to a file in append mode, so lines never mix. */
#include "truth.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static int file = -1;

bool truth_open(const char *path)
{
	if (!path)
		return true;
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	return file >= 0;
}

void truth_line(const char *format, ...)
{
	char line[256];
	va_list arguments;
	int length;

	if (file < 0)
		return;
	va_start(arguments, format);
	length = vsnprintf(line, sizeof(line) - 1, format, arguments);
	va_end(arguments);
	if (length < 0 || length >= (int)sizeof(line) - 1)
		return;
	line[length++] = '\n';
	/* A line that the disk refuses is lost; the program goes on. */
	if (write(file, line, (size_t)length) < 0)
		return;
}

void truth_cause(enum fault fault, uint64_t coroutine, uint64_t by)
{
	truth_line("cause what=%s coroutine=%llu by=%llu thread=%d", fault_name(fault),
		(unsigned long long)coroutine, (unsigned long long)by, (int)gettid());
}

const char *fault_name(enum fault fault)
{
	switch (fault) {
#define X(name, letter, text, meaning) \
	case name:                     \
		return text;
#include "faults.def"
#undef X
	default:
		return "mixed";
	}
}

const char *fault_meaning(enum fault fault)
{
	switch (fault) {
#define X(name, letter, text, meaning) \
	case name:                     \
		return meaning;
#include "faults.def"
#undef X
	default:
		return "a bit of everything, and nothing wrong";
	}
}
