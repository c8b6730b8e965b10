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

__attribute__((format(printf, 5, 0))) static void fill(struct ct_error *reterr,
	enum ct_status status, int system_errno, uint64_t offset, const char *format,
	va_list arguments)
{
	if (!reterr)
		return;
	reterr->status = status;
	reterr->system_errno = system_errno;
	reterr->offset = offset;
	vsnprintf(reterr->text, sizeof(reterr->text), format, arguments);
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
	size_t used;

	va_start(arguments, format);
	fill(reterr, status, number, CT_NO_OFFSET, format, arguments);
	va_end(arguments);
	if (!reterr)
		return status;
	used = strlen(reterr->text);
	snprintf(reterr->text + used, sizeof(reterr->text) - used, ": %s", strerror(number));
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
	size_t used;

	if (!reterr)
		return status;
	memcpy(before, reterr->text, sizeof(before));
	va_start(arguments, format);
	vsnprintf(reterr->text, sizeof(reterr->text), format, arguments);
	va_end(arguments);
	used = strlen(reterr->text);
	snprintf(reterr->text + used, sizeof(reterr->text) - used, ": %s", before);
	return status;
}
