/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing files whole, and outputs that appear whole or not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io.h"

enum ct_status io_write(int descriptor, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	const char *at = bytes;
	ssize_t written;

	while (nr_bytes) {
		written = write(descriptor, at, nr_bytes);
		if (written < 0) {
			if (errno == EINTR)
				continue;
			return ct_fail_errno(reterr, "writing %zu bytes", nr_bytes);
		}
		at += written;
		nr_bytes -= (size_t)written;
	}
	return CT_OK;
}

static enum ct_status read_all(int descriptor, size_t limit_bytes, char **ret_bytes,
	size_t *ret_nr_bytes, struct ct_error *reterr)
{
	size_t used = 0, capacity = 65536;
	char *bytes = malloc(capacity), *grown;
	ssize_t got;

	while (bytes) {
		got = read(descriptor, bytes + used, capacity - used - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(bytes);
			return ct_fail_errno(reterr, "reading");
		}
		if (got == 0)
			break;
		used += (size_t)got;
		if (used > limit_bytes) {
			free(bytes);
			return ct_fail(reterr, CT_ERR_FORMAT, "larger than %zu bytes", limit_bytes);
		}
		if (used + 1 < capacity)
			continue;
		grown = realloc(bytes, capacity *= 2);
		if (!grown)
			free(bytes);
		bytes = grown;
	}
	if (!bytes)
		return ct_fail_memory(reterr);
	bytes[used] = '\0';
	*ret_bytes = bytes;
	*ret_nr_bytes = used;
	return CT_OK;
}

enum ct_status io_read_file(const char *path, size_t limit_bytes, char **ret_bytes,
	size_t *ret_nr_bytes, struct ct_error *reterr)
{
	bool is_standard_input = strcmp(path, "-") == 0;
	int descriptor = is_standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	enum ct_status status;

	if (descriptor < 0)
		return ct_fail_errno(reterr, "opening '%s'", path);
	status = read_all(descriptor, limit_bytes, ret_bytes, ret_nr_bytes, reterr);
	if (!is_standard_input)
		close(descriptor);
	return status ? ct_context(reterr, status, "'%s'", path) : CT_OK;
}

static bool is_written_in_place(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

static void forget_names(struct io_output *output)
{
	free(output->path);
	free(output->partial_path);
	*output = (struct io_output){.descriptor = -1};
}

static enum ct_status open_named(struct io_output *output, struct ct_error *reterr)
{
	if (output->is_in_place)
		output->descriptor = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else
		output->descriptor = open(output->partial_path,
			O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (output->descriptor < 0)
		return ct_fail_errno(reterr, "can not write '%s'", output->path);
	return CT_OK;
}

enum ct_status io_output_open(struct io_output *output, const char *path, struct ct_error *reterr)
{
	enum ct_status status;

	*output = (struct io_output){.descriptor = -1};
	if (strcmp(path, "-") == 0) {
		output->is_in_place = true;
		output->descriptor = STDOUT_FILENO;
		return CT_OK;
	}
	output->is_in_place = is_written_in_place(path);
	output->path = strdup(path);
	if (!output->path ||
		(!output->is_in_place && asprintf(&output->partial_path, "%s.partial", path) < 0)) {
		output->partial_path = NULL; /* asprintf leaves it undefined where it fails */
		forget_names(output);
		return ct_fail_memory(reterr);
	}
	status = open_named(output, reterr);
	if (status)
		forget_names(output);
	return status;
}

static enum ct_status finish_file(struct io_output *output, bool is_wanted, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (close(output->descriptor) < 0 && is_wanted)
		status = ct_fail_errno(reterr, "writing '%s'", output->path);
	if (!output->partial_path)
		return status;
	if (!is_wanted) {
		unlink(output->partial_path);
	} else if (status == CT_OK && rename(output->partial_path, output->path) < 0) {
		status = ct_fail_errno(reterr, "can not name the output '%s' (it is left as '%s')",
			output->path, output->partial_path);
	}
	return status;
}

enum ct_status io_output_close(struct io_output *output, bool is_wanted, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (output->descriptor >= 0 && output->descriptor != STDOUT_FILENO)
		status = finish_file(output, is_wanted, reterr);
	forget_names(output);
	return status;
}

enum ct_status io_write_output(
	const char *path, const char *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	struct io_output output;
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	status = io_write(output.descriptor, bytes, nr_bytes, reterr);
	if (status) {
		io_output_close(&output, false, NULL);
		return ct_context(reterr, status, "'%s'", path);
	}
	return io_output_close(&output, true, reterr);
}
