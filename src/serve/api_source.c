/* SPDX-License-Identifier: MIT */
/*
 * Source lines around a place. A trace comes from anybody, and names any file: only a regular file is read, of limited
 * size, that a place of the trace names and that holds text, and only for a reader with the token.
 *
 * A compiler that was given a relative name writes it as seen from the folder of the build. Such a file is looked for
 * from the present folder and from the folder of the program upwards.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/text.h"
#include "serve/api.h"
#include "serve/reply.h"

#define LINES_AROUND 6u
#define LINE_BYTES 400
#define SOURCE_BYTES (4u << 20)

struct source {
	char *path;
	char *program; /* path of the program that has the place */
	uint32_t line;
	char *text; /* ends with NUL */
	size_t nr_bytes;
};

/* Finds the file and line of a place. False: no such place is known, or it has no line. */
static bool find_place(struct source *source, const struct judged *judged, uint64_t number)
{
	const struct ct_tables *tables = ct_view_tables(judged->view);
	const struct ct_site *site;

	if (!number || number >= tables->nr_sites)
		return false;
	site = &tables->sites[number];
	if (!site->line || !site->file || !*site->file)
		return false;
	source->path = strdup(site->file);
	source->program = strdup(site->process < tables->nr_processes
					 ? tables->processes[site->process].program
					 : "");
	source->line = site->line;
	return source->path && source->program;
}

static bool read_whole(struct source *source, int descriptor)
{
	struct stat about;
	ssize_t nr_read;

	if (fstat(descriptor, &about) || !S_ISREG(about.st_mode) || about.st_size > SOURCE_BYTES)
		return false;
	source->text = malloc((size_t)about.st_size + 1);
	if (!source->text)
		return false;
	nr_read = io_read_at(descriptor, source->text, (size_t)about.st_size, 0);
	if (nr_read < 0)
		return false;
	source->nr_bytes = (size_t)nr_read;
	source->text[nr_read] = '\0';
	return strlen(source->text) == source->nr_bytes;
}

/* A link is not followed, and opening does not wait: a pipe is no source. */
static bool read_at(struct source *source, const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	bool is_read;

	if (descriptor < 0)
		return false;
	is_read = read_whole(source, descriptor);
	close(descriptor);
	if (!is_read) {
		free(source->text);
		source->text = NULL;
	}
	return is_read;
}

/* Takes the path if the file can be read there. */
static bool read_in(struct source *source, const char *folder, size_t length, const char *name)
{
	struct text path = {0};
	char *found;
	bool is_read;

	text_append(&path, folder, length);
	text_format(&path, "/%s", name);
	is_read = !path.is_broken && read_at(source, text_peek(&path));
	found = is_read ? strdup(text_peek(&path)) : NULL;
	if (found) {
		free(source->path);
		source->path = found;
	}
	text_fini(&path);
	return is_read;
}

/* Looks in the folder of this path, in the folder above it, and so on. */
static bool read_above(struct source *source, const char *path, const char *name)
{
	size_t length = strlen(path);

	while (length > 0) {
		while (length > 0 && path[length - 1] != '/')
			length--;
		while (length > 0 && path[length - 1] == '/')
			length--;
		if (read_in(source, path, length, name))
			return true;
	}
	return false;
}

static const char *without_steps_up(const char *path)
{
	for (;;)
		if (strncmp(path, "../", 3) == 0)
			path += 3;
		else if (strncmp(path, "./", 2) == 0)
			path += 2;
		else
			return path;
}

/* A relative path means something only to who knows the server's folder. */
static void make_whole(struct source *source)
{
	char *whole = *source->path == '/' ? NULL : realpath(source->path, NULL);

	if (!whole)
		return;
	free(source->path);
	source->path = whole;
}

static bool read_source(struct source *source)
{
	const char *name = without_steps_up(source->path);
	char here[PATH_MAX];

	if (read_at(source, source->path)) {
		make_whole(source);
		return true;
	}
	if (*source->path == '/' || !*name)
		return false;
	/* The folder's own name is cut off first. */
	if (getcwd(here, sizeof(here) - 2) && read_above(source, strcat(here, "/."), name))
		return true;
	return *source->program == '/' && read_above(source, source->program, name);
}

static void tell_lines(struct json *json, struct source *source)
{
	uint32_t first = source->line > LINES_AROUND ? source->line - LINES_AROUND : 1, line = 1;
	char *at = source->text, *end;

	json_key_unsigned(json, "first", first);
	json_key_open(json, "lines", '[');
	for (; *at && line <= source->line + LINES_AROUND; line++, at = end + 1) {
		bool is_last;

		end = at + strcspn(at, "\n");
		is_last = !*end;
		*end = '\0';
		if (end - at > LINE_BYTES)
			at[LINE_BYTES] = '\0';
		if (line >= first)
			json_text(json, at);
		if (is_last)
			break;
	}
	json_close(json, ']');
}

static enum MHD_Result reply_source(struct serve_call *call, struct source *source)
{
	struct text text = {0};
	struct json json;

	if (!read_source(source))
		return serve_reply_error(
			call, MHD_HTTP_NOT_FOUND, "%s cannot be read here as a text", source->path);
	json_init(&json, &text, false);
	json_open(&json, '{');
	json_key_text(&json, "path", source->path);
	json_key_unsigned(&json, "line", source->line);
	tell_lines(&json, source);
	json_close(&json, '}');
	return serve_reply_json(call, MHD_HTTP_OK, &text);
}

enum MHD_Result serve_api_source(struct serve_call *call)
{
	const char *argument = serve_call_argument(call, "site");
	const struct judged *judged = judging_borrow(call->serve->judging);
	struct source source = {0};
	enum MHD_Result result;
	bool is_known;

	if (!judged)
		return serve_api_refuse_unjudged(call);
	is_known = find_place(&source, judged, argument ? strtoull(argument, NULL, 10) : 0);
	judging_return(call->serve->judging, judged);
	result = is_known ? reply_source(call, &source)
			  : serve_reply_error(call, MHD_HTTP_NOT_FOUND,
				    "'site' is the number of a place with a file and a line");
	free(source.path);
	free(source.program);
	free(source.text);
	return result;
}
