/* SPDX-License-Identifier: MIT */
/* The names of statuses, and the functions that fill in a ct_error. Nothing here allocates. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/failure.h"

const char *ct_status_name(enum ct_status status)
{
	switch (status) {
#define X(name, value, exit_code, text, meaning) \
	case CT_##name:                          \
		return text;
#include "corotracer/def/status.def"
#undef X
	}
	return "unknown";
}

int ct_status_exit_code(enum ct_status status)
{
	switch (status) {
#define X(name, value, exit_code, text, meaning) \
	case CT_##name:                          \
		return exit_code;
#include "corotracer/def/status.def"
#undef X
	}
	return 1;
}

/*
 * Appends to the text, which has `used` bytes. The end of a longer one is replaced by three full stops, so that nobody
 * takes the rest for the whole.
 */
__attribute__((format(printf, 3, 0))) static void append(
	struct ct_error *reterr, size_t used, const char *format, va_list arguments)
{
	static const char cut[] = "...";
	size_t room = sizeof(reterr->text) - used;
	int length = vsnprintf(reterr->text + used, room, format, arguments);

	if (length >= 0 && (size_t)length >= room)
		memcpy(reterr->text + sizeof(reterr->text) - sizeof(cut), cut, sizeof(cut));
}

__attribute__((format(printf, 3, 4))) static void append_words(
	struct ct_error *reterr, size_t used, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	append(reterr, used, format, arguments);
	va_end(arguments);
}

__attribute__((format(printf, 5, 0))) static void fill(struct ct_error *reterr,
	enum ct_status status, int system_errno, uint64_t offset, const char *format,
	va_list arguments)
{
	if (!reterr)
		return;
	reterr->status = status;
	reterr->system_errno = system_errno;
	reterr->offset = offset;
	append(reterr, 0, format, arguments);
}

enum ct_status ct_fail(struct ct_error *reterr, enum ct_status status, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(reterr, status, 0, CT_NO_OFFSET, format, arguments);
	va_end(arguments);
	return status;
}

enum ct_status ct_fail_at(
	struct ct_error *reterr, enum ct_status status, uint64_t offset, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fill(reterr, status, 0, offset, format, arguments);
	va_end(arguments);
	return status;
}

static enum ct_status status_of_errno(int number)
{
	switch (number) {
	case ENOMEM:
		return CT_ERR_NO_MEMORY;
	case ENOENT:
	case ESRCH:
		return CT_ERR_NOT_FOUND;
	default:
		return CT_ERR_SYSTEM;
	}
}

enum ct_status ct_fail_errno(struct ct_error *reterr, const char *format, ...)
{
	int number = errno;
	enum ct_status status = status_of_errno(number);
	va_list arguments;

	va_start(arguments, format);
	fill(reterr, status, number, CT_NO_OFFSET, format, arguments);
	va_end(arguments);
	if (reterr)
		append_words(reterr, strlen(reterr->text), ": %s", strerror(number));
	return status;
}

enum ct_status ct_fail_memory(struct ct_error *reterr)
{
	return ct_fail(reterr, CT_ERR_NO_MEMORY, "out of memory");
}

enum ct_status ct_context(struct ct_error *reterr, enum ct_status status, const char *format, ...)
{
	char before[sizeof(reterr->text)];
	va_list arguments;

	if (!reterr)
		return status;
	memcpy(before, reterr->text, sizeof(before));
	va_start(arguments, format);
	append(reterr, 0, format, arguments);
	va_end(arguments);
	append_words(reterr, strlen(reterr->text), ": %s", before);
	return status;
}
