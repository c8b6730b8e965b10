/* SPDX-License-Identifier: MIT */
/*
 * Reading and writing files whole, and outputs that appear whole or not at all.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"

#define ATTEMPTS 8

/* Other processes that share a pipe or terminal with us may have made it non-blocking. */
static bool wait_for_room(int descriptor)
{
	struct pollfd waited = {.fd = descriptor, .events = POLLOUT};

	return poll(&waited, 1, -1) > 0 || errno == EINTR;
}

enum ct_status io_write(int descriptor, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	const char *at = bytes;
	ssize_t written;

	while (nr_bytes) {
		written = write(descriptor, at, nr_bytes);
		if (written < 0) {
			if (errno == EINTR || (errno == EAGAIN && wait_for_room(descriptor)))
				continue;
			return ct_fail_errno(reterr, "writing %zu bytes", nr_bytes);
		}
		at += written;
		nr_bytes -= (size_t)written;
	}
	return CT_OK;
}

ssize_t io_read_at(int descriptor, void *bytes, size_t nr_bytes, uint64_t offset)
{
	size_t nr_read = 0;
	ssize_t got = 1;

	if (offset > INT64_MAX - nr_bytes) {
		errno = EINVAL;
		return -1;
	}
	while (nr_read < nr_bytes && got != 0) {
		got = pread(descriptor, (char *)bytes + nr_read, nr_bytes - nr_read,
			(off_t)(offset + nr_read));
		if (got < 0 && errno != EINTR)
			return -1;
		if (got > 0)
			nr_read += (size_t)got;
	}
	return (ssize_t)nr_read;
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

bool io_is_named(int descriptor, const char *path)
{
	struct stat held;
	struct stat named;

	return fstat(descriptor, &held) == 0 && lstat(path, &named) == 0 &&
	       held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

bool io_is_being_written(int descriptor)
{
	if (flock(descriptor, LOCK_SH | LOCK_NB) < 0)
		return errno == EWOULDBLOCK;
	flock(descriptor, LOCK_UN);
	return false;
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

/* A link to another's file is not followed (O_NOFOLLOW), and a second name of it not written to. */
static bool has_other_names(int descriptor)
{
	struct stat status;

	return fstat(descriptor, &status) == 0 && status.st_nlink > 1;
}

/* Takes the partial file. 1: it is locked and empty; 0: another file has its name by now; -1: failed, with errno. */
static int take_partial(int descriptor, const char *path, bool is_last_attempt)
{
	if (has_other_names(descriptor)) {
		errno = EMLINK;
		return -1;
	}
	if (flock(descriptor, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK) {
		errno = EBUSY;
		return -1;
	}
	/* Some file systems give a file another number at each look. */
	if (!io_is_named(descriptor, path) && !is_last_attempt)
		return 0;
	return ftruncate(descriptor, 0) ? -1 : 1;
}

/*
 * Opens the partial file, locked as long as it is written: a second writer would destroy it. If a writer that ends
 * meanwhile gives the file its final name, the file is no longer ours to touch, and we begin again. On file systems
 * without locks there is no lock.
 */
static int open_partial(const char *path)
{
	int taken = 0;
	int descriptor;
	int problem;
	int i;

	for (i = 1; taken == 0; i++) {
		descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (descriptor < 0)
			return -1;
		taken = take_partial(descriptor, path, i == ATTEMPTS);
		if (taken > 0)
			return descriptor;
		problem = errno;
		close(descriptor);
		errno = problem;
	}
	return -1;
}

/* Returns whether another process is still writing a file that has its final name already. */
static bool is_written_by_other(const char *path)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	bool is_locked = descriptor >= 0 && io_is_being_written(descriptor);

	if (descriptor >= 0)
		close(descriptor);
	return is_locked;
}

static enum ct_status open_named(struct io_output *output, struct ct_error *reterr)
{
	if (output->is_in_place)
		output->descriptor = open(output->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	else if (is_written_by_other(output->path))
		errno = EBUSY;
	else
		output->descriptor = open_partial(output->partial_path);
	if (output->descriptor < 0 && errno == EBUSY)
		return ct_fail(reterr, CT_ERR_SYSTEM,
			"cannot write '%s': another process is writing it", output->path);
	if (output->descriptor < 0)
		return ct_fail_errno(reterr, "cannot write '%s'", output->path);
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
		output->partial_path = NULL; /* asprintf leaves it undefined if it fails */
		forget_names(output);
		return ct_fail_memory(reterr);
	}
	status = open_named(output, reterr);
	if (status)
		forget_names(output);
	return status;
}

enum ct_status io_output_write(
	const struct io_output *output, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	enum ct_status status = io_write(output->descriptor, bytes, nr_bytes, reterr);

	if (status && !output->path)
		return ct_context(reterr, status, "standard output");
	return status ? ct_context(reterr, status, "'%s'", output->path) : CT_OK;
}

/* Was the file removed? Some file systems count no links, others give a file another number at each look. */
static bool is_gone(const struct io_output *output)
{
	struct stat status;

	return fstat(output->descriptor, &status) == 0 && status.st_nlink == 0 &&
	       !io_is_named(output->descriptor, output->partial_path);
}

static enum ct_status name_file(const struct io_output *output, struct ct_error *reterr)
{
	if (is_gone(output))
		return ct_fail(reterr, CT_ERR_SYSTEM,
			"the output '%s' is gone: '%s' was removed while it was written",
			output->path, output->partial_path);
	if (rename(output->partial_path, output->path) == 0)
		return CT_OK;
	return ct_fail_errno(reterr, "cannot name the output '%s' (it is left as '%s')",
		output->path, output->partial_path);
}

enum ct_status io_output_name(struct io_output *output, struct ct_error *reterr)
{
	enum ct_status status = output->partial_path ? name_file(output, reterr) : CT_OK;

	if (status)
		return status;
	free(output->partial_path);
	output->partial_path = NULL;
	return CT_OK;
}

/* Closing a second descriptor reports late errors, while the first one still holds the lock. */
static bool has_late_error(int descriptor)
{
	int again = dup(descriptor);

	return again >= 0 && close(again) < 0;
}

static enum ct_status fail_late(const struct io_output *output, struct ct_error *reterr)
{
	if (!output->partial_path)
		return ct_fail_errno(reterr, "writing '%s'", output->path);
	return ct_fail_errno(
		reterr, "writing '%s' (it is left as '%s')", output->path, output->partial_path);
}

static enum ct_status finish_file(struct io_output *output, bool is_wanted, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (is_wanted && has_late_error(output->descriptor))
		status = fail_late(output, reterr);
	if (output->partial_path && !is_wanted && !is_gone(output))
		unlink(output->partial_path);
	else if (output->partial_path && is_wanted && status == CT_OK)
		status = name_file(output, reterr);
	close(output->descriptor);
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

enum ct_status io_output_end(
	struct io_output *output, enum ct_status written, struct ct_error *reterr)
{
	enum ct_status closed = io_output_close(output, written == CT_OK, reterr);

	return written ? written : closed;
}

enum ct_status io_write_file(
	const char *path, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	struct io_output output;
	enum ct_status status = io_output_open(&output, path, reterr);

	if (status)
		return status;
	status = io_output_write(&output, bytes, nr_bytes, reterr);
	return io_output_end(&output, status, reterr);
}
