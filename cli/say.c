/* SPDX-License-Identifier: MIT */
/*
 * How the command line speaks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "say.h"

/*
 * The length in bytes of a UTF-8 character that a terminal would obey, or that hides text: the second set of control
 * characters, changes of direction, characters without a width. 0: the character may be printed.
 */
static size_t treacherous_length(const unsigned char *at)
{
	if (*at < 0x20 || *at == 0x7f)
		return 1;
	if (at[0] == 0xc2 && at[1] >= 0x80 && at[1] <= 0x9f)
		return 2;
	if (at[0] == 0xe2 && at[1] == 0x80 &&
		((at[2] >= 0x8b && at[2] <= 0x8f) || (at[2] >= 0xa8 && at[2] <= 0xae)))
		return 3;
	if (at[0] == 0xe2 && at[1] == 0x81 && at[2] >= 0xa0 && at[2] <= 0xaf)
		return 3;
	return 0;
}

void print_safe(FILE *stream, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;
	size_t length;

	while (*at) {
		length = treacherous_length(at);
		fputc(length ? '?' : *at, stream);
		at += length ? length : 1;
	}
}

/* The password in "//USER:PASSWORD@HOST", behind `at`; 0: there is none. */
static size_t secret_in_authority(const char *at, const char **ret_secret)
{
	size_t length = strcspn(at, " \t\n'"), user;

	while (length && at[length - 1] != '@')
		length--;
	user = length ? strcspn(at, ":") + 1 : 0;
	*ret_secret = at + user;
	return user < length ? length - 1 - user : 0;
}

/* Replaces, in place, with at most three stars, which do not reveal the length. */
static void hide(char *secret, size_t length)
{
	size_t nr_stars = length < 3 ? length : 3;

	memset(secret, '*', nr_stars);
	memmove(secret + nr_stars, secret + length, strlen(secret + length) + 1);
}

void hide_passwords(char *text)
{
	static const char word[] = "password=";
	const char *secret;
	size_t length;
	char *at;

	for (at = text; (at = strstr(at, "://")); at++) {
		length = secret_in_authority(at + 3, &secret);
		if (length)
			hide(text + (secret - text), length);
	}
	for (at = text; (at = strstr(at, word)); at++)
		hide(at + sizeof(word) - 1, strcspn(at + sizeof(word) - 1, " \t\n&'"));
}

FILE *said_line_begin(struct said_line *line)
{
	*line = (struct said_line){.text = NULL};
	line->stream = open_memstream(&line->text, &line->nr_bytes);
	if (!line->stream)
		line->stream = stderr;
	return line->stream;
}

void said_line_end(struct said_line *line)
{
	if (line->stream == stderr)
		return;
	if (fclose(line->stream) == 0)
		fwrite(line->text, 1, line->nr_bytes, stderr);
	free(line->text);
}

static void print_sentence(const char *sentence)
{
	struct said_line line;
	FILE *stream = said_line_begin(&line);

	fputs("corotracer: ", stream);
	print_safe(stream, sentence);
	fputc('\n', stream);
	said_line_end(&line);
}

void say_sentence(const char *format, ...)
{
	char *sentence = NULL;
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vasprintf(&sentence, format, arguments);
	va_end(arguments);
	if (length >= 0)
		hide_passwords(sentence);
	print_sentence(length < 0 ? "out of memory" : sentence);
	if (length >= 0)
		free(sentence);
}

int say_failure(enum ct_status status, const struct ct_error *error)
{
	if (error->system_errno == EPIPE)
		return 0;
	say_sentence("%s", error->text);
	return ct_status_exit_code(status);
}

int say_no_memory(void)
{
	say_sentence("out of memory");
	return ct_status_exit_code(CT_ERR_NO_MEMORY);
}

int say_usage(const char *command, const char *complaint)
{
	if (*command)
		say_sentence("%s: %s (see 'corotracer help %s')", command, complaint, command);
	else
		say_sentence("%s (see 'corotracer help')", complaint);
	return ct_status_exit_code(CT_ERR_USAGE);
}

struct said said_count(uint64_t count, const char *one, const char *many)
{
	struct said said = {""};
	char digits[24];
	size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, count), i, at = 0;

	/* Sums saturate there. */
	if (count == UINT64_MAX)
		at = (size_t)snprintf(said.text, sizeof(said.text), "at least ");
	for (i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			said.text[at++] = ',';
		said.text[at++] = digits[i];
	}
	snprintf(said.text + at, sizeof(said.text) - at, "%s%s", *many ? " " : "",
		count == 1 ? one : many);
	return said;
}

/* Three significant digits. */
static struct said scaled(double value, const char *unit)
{
	struct said said;
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(said.text, sizeof(said.text), "%.*f %s", decimals, value, unit);
	return said;
}

struct said said_bytes(uint64_t nr_bytes)
{
	static const char *const units[] = {"kB", "MB", "GB", "TB"};
	double value = (double)nr_bytes / 1e3;
	unsigned unit = 0;

	if (nr_bytes < 1000)
		return said_count(nr_bytes, "byte", "bytes");
	for (; value >= 999.5 && unit < 3; unit++)
		value /= 1e3;
	return scaled(value, units[unit]);
}

struct said said_span(int64_t ns)
{
	if (ns < 1000)
		return said_count((uint64_t)(ns < 0 ? 0 : ns), "ns", "ns");
	if (ns < 999500)
		return scaled((double)ns / 1e3, "us");
	if (ns < 999500000)
		return scaled((double)ns / 1e6, "ms");
	if (ns < 59970000000)
		return scaled((double)ns / 1e9, "s");
	if (ns < 3598200000000)
		return scaled((double)ns / 60e9, "min");
	return scaled((double)ns / 3600e9, "h");
}

void print_quoted(FILE *stream, const char *path)
{
	static const char harmless[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		"/._-+,:@%";

	if (*path && *path != '-' && path[strspn(path, harmless)] == '\0') {
		fputs(path, stream);
		return;
	}
	fputc('\'', stream);
	for (; *path; path++) {
		if (*path == '\'')
			fputs("'\\''", stream);
		else
			fputc((unsigned char)*path < 0x20 || *path == 0x7f ? '?' : *path, stream);
	}
	fputc('\'', stream);
}

int flush_output(void)
{
	bool has_failed = ferror(stdout);

	errno = 0;
	if (fflush(stdout) == 0 && !has_failed)
		return 0;
	if (errno == EPIPE)
		return 0;
	say_sentence("writing to standard output: %s", errno ? strerror(errno) : "it failed");
	return ct_status_exit_code(CT_ERR_SYSTEM);
}
