/* SPDX-License-Identifier: MIT */
/* Reading a file at any offset, and making such a file of a stream that can be read only once. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input.h"
#include "base/io.h"
#include "base/spill.h"

#define WINDOW_BYTES (1u << 20)
#define MEMORY_BYTES (64u << 20) /* bytes of a stream kept in memory before a file is needed */
#define LOOK_BYTES (16u << 20)
#define PIECE_BYTES 65536
#define OPEN_FLAGS (O_RDONLY | O_CLOEXEC | O_NOCTTY)

/* ---------------------------------------------------------------- streams */

/* Bytes that were given back are not copied: the file has a hole in their place. */
static enum ct_status move_to_file(struct input *input, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;
	off_t at = (off_t)input->stream.nr_given;
	int file = spill_open_file(reterr);

	if (file < 0)
		return CT_ERR_SYSTEM;
	if (lseek(file, at, SEEK_SET) < 0)
		status = ct_fail_errno(reterr, "keeping what is read");
	while (status == CT_OK && (uint64_t)at < input->nr_bytes) {
		if (sendfile(file, input->descriptor, &at, input->nr_bytes - (uint64_t)at) < 0 &&
			errno != EINTR)
			status = ct_fail_errno(reterr, "keeping what is read");
	}
	close(status ? file : input->descriptor);
	if (status == CT_OK) {
		input->descriptor = file;
		input->stream.is_in_file = true;
	}
	return status;
}

/* Copies one piece of the stream. CT_END: the stream has ended. */
static enum ct_status copy_piece(struct input *input, struct ct_error *reterr)
{
	char piece[PIECE_BYTES];
	enum ct_status status = CT_OK;
	ssize_t got;

	do
		got = read(input->stream.descriptor, piece, sizeof(piece));
	while (got < 0 && errno == EINTR);
	if (got < 0)
		return ct_fail_errno(reterr, "cannot read it");
	if (got == 0)
		return CT_END;
	if (!input->stream.is_in_file &&
		input->nr_bytes - input->stream.nr_given + (size_t)got > MEMORY_BYTES)
		status = move_to_file(input, reterr);
	if (status == CT_OK)
		status = io_write(input->descriptor, piece, (size_t)got, reterr);
	if (status == CT_OK)
		input->nr_bytes += (size_t)got;
	return status;
}

/* Replaces the descriptor of a stream by the descriptor of an empty file, into which the stream will be copied. */
static enum ct_status begin_copy(struct input *input, struct ct_error *reterr)
{
	int kept = memfd_create("corotracer-input", MFD_CLOEXEC);

	if (kept < 0)
		return ct_fail_errno(reterr, "keeping what is read");
	input->stream = (struct input_stream){.is_there = true, .descriptor = input->descriptor};
	input->descriptor = kept;
	return CT_OK;
}

static void end_copy(struct input *input)
{
	if (!input->stream.is_there || input->stream.is_over)
		return;
	input->stream.is_over = true;
	close(input->stream.descriptor);
}

/*
 * Replaces the descriptor of a stream by the descriptor of a file that contains everything that was read from the
 * stream.
 */
static enum ct_status copy_stream(struct input *input, struct ct_error *reterr)
{
	enum ct_status status = begin_copy(input, reterr);

	while (status == CT_OK)
		status = copy_piece(input, reterr);
	end_copy(input);
	return status == CT_END ? CT_OK : status;
}

/* Copies what is there at present, up to a bound, in case it comes faster than it is copied. */
static enum ct_status copy_present(struct input *input, struct ct_error *reterr)
{
	uint64_t limit = input->nr_bytes + LOOK_BYTES;
	struct pollfd there = {.fd = input->stream.descriptor, .events = POLLIN};
	enum ct_status status = CT_OK;

	while (status == CT_OK && input->nr_bytes < limit && poll(&there, 1, 0) > 0)
		status = copy_piece(input, reterr);
	if (status)
		end_copy(input);
	return status == CT_END ? CT_OK : status;
}

/* ---------------------------------------------------------------- opening */

static char *partial_path(const char *path)
{
	char *partial;

	return asprintf(&partial, "%s.partial", path) < 0 ? NULL : partial;
}

/* The output of a recording gets its name only when it is complete. */
static enum ct_status fail_open(const char *path, struct ct_error *reterr)
{
	int number = errno;
	char *partial = partial_path(path);
	enum ct_status status;

	if (number == ENOENT && partial && access(partial, F_OK) == 0) {
		status = ct_fail(reterr, CT_ERR_NOT_FOUND,
			"it is not complete yet: '%s' is being recorded, or is what a recording "
			"that was killed has left",
			partial);
	} else {
		errno = number;
		status = ct_fail_errno(reterr, "cannot open it");
	}
	free(partial);
	return status;
}

/*
 * Makes the input readable at any offset. Standard input may be a file that was read in part: the rest of it is the
 * input.
 */
static enum ct_status make_readable(struct input *input, struct ct_error *reterr)
{
	struct stat about;

	if (fstat(input->descriptor, &about) < 0)
		return ct_fail_errno(reterr, "cannot look at it");
	if (S_ISDIR(about.st_mode))
		return ct_fail(reterr, CT_ERR_FORMAT, "a directory, not a trace");
	if (!S_ISREG(about.st_mode) || lseek(input->descriptor, 0, SEEK_CUR) != 0)
		return copy_stream(input, reterr);
	input->nr_bytes = (uint64_t)about.st_size;
	return CT_OK;
}

static enum ct_status make_growing(struct input *input, bool can_be_stream, struct ct_error *reterr)
{
	struct stat about;

	if (fstat(input->descriptor, &about) < 0)
		return ct_fail_errno(reterr, "cannot look at it");
	if (S_ISREG(about.st_mode) && lseek(input->descriptor, 0, SEEK_CUR) == 0)
		return CT_OK;
	if (S_ISDIR(about.st_mode) || !can_be_stream)
		return ct_fail(
			reterr, CT_ERR_USAGE, "only a file can be followed, or standard input");
	return begin_copy(input, reterr);
}

static bool is_standard_input(const char *path)
{
	return strcmp(path, "-") == 0;
}

static int open_standard_input(void)
{
	return fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3);
}

/* While a file is written, it lies beside its name as PATH.partial; a file of the name itself may be an older one. */
static int open_growing(const char *path)
{
	char *partial_name = partial_path(path);
	int partial = partial_name ? open(partial_name, OPEN_FLAGS | O_NONBLOCK) : -1, named;

	free(partial_name);
	if (partial >= 0 && io_is_being_written(partial))
		return partial;
	named = open(path, OPEN_FLAGS | O_NONBLOCK);
	if (named < 0 && errno == ENOENT && partial >= 0)
		return partial;
	if (partial >= 0)
		close(partial);
	return named;
}

/* Returns NULL if out of memory. */
static struct input *make(const char *path)
{
	struct input *input = calloc(1, sizeof(*input));

	if (!input)
		return NULL;
	input->descriptor = -1;
	input->name = strdup(is_standard_input(path) ? "standard input" : path);
	if (input->name)
		return input;
	free(input);
	return NULL;
}

static enum ct_status hand_over(struct input *input, enum ct_status status,
	struct input **ret_input, struct ct_error *reterr)
{
	if (status == CT_OK) {
		*ret_input = input;
		return CT_OK;
	}
	input_fail(input, status, reterr);
	input_close(input);
	return status;
}

enum ct_status input_open(const char *path, struct input **ret_input, struct ct_error *reterr)
{
	struct input *input = make(path);
	enum ct_status status;

	if (!input)
		return ct_fail_memory(reterr);
	input->descriptor =
		is_standard_input(path) ? open_standard_input() : open(path, OPEN_FLAGS);
	status = input->descriptor < 0 ? fail_open(path, reterr) : make_readable(input, reterr);
	return hand_over(input, status, ret_input, reterr);
}

enum ct_status input_open_growing(
	const char *path, struct input **ret_input, struct ct_error *reterr)
{
	struct input *input = make(path);
	enum ct_status status;

	if (!input)
		return ct_fail_memory(reterr);
	input->descriptor = is_standard_input(path) ? open_standard_input() : open_growing(path);
	status = input->descriptor < 0 ? ct_fail_errno(reterr, "cannot open it")
				       : make_growing(input, is_standard_input(path), reterr);
	if (status == CT_OK)
		status = input_look(input, reterr);
	return hand_over(input, status, ret_input, reterr);
}

enum ct_status input_again(
	const struct input *input, struct input **ret_input, struct ct_error *reterr)
{
	struct input *again = make(input->name);

	if (!again)
		return ct_fail_memory(reterr);
	again->nr_bytes = input->nr_bytes;
	again->descriptor = fcntl(input->descriptor, F_DUPFD_CLOEXEC, 3);
	return hand_over(again,
		again->descriptor < 0 ? ct_fail_errno(reterr, "cannot open it again") : CT_OK,
		ret_input, reterr);
}

void input_close(struct input *input)
{
	if (!input)
		return;
	end_copy(input);
	if (input->descriptor >= 0)
		close(input->descriptor);
	free(input->window);
	free(input->name);
	free(input);
}

enum ct_status input_fail(const struct input *input, enum ct_status status, struct ct_error *reterr)
{
	return ct_context(reterr, status, "'%s'", input->name);
}

/* ---------------------------------------------------------------- reading */

enum ct_status input_look(struct input *input, struct ct_error *reterr)
{
	struct stat about;

	if (input->stream.is_there)
		return input->stream.is_over ? CT_OK : copy_present(input, reterr);
	if (fstat(input->descriptor, &about) < 0)
		return ct_fail_errno(reterr, "asking for the file's size");
	input->nr_bytes = (uint64_t)about.st_size;
	return CT_OK;
}

/*
 * Returns whether some process has the file open for writing; false if the system does not say, as for a file of
 * another user. A lease for reading is granted if no process writes. If another process breaks the lease before it is
 * given back, the kernel sends this process a signal, which does no harm.
 */
static bool is_open_to_write(int descriptor)
{
	if (fcntl(descriptor, F_SETSIG, SIGURG) < 0)
		return false;
	if (fcntl(descriptor, F_SETLEASE, F_RDLCK) < 0)
		return errno == EAGAIN;
	fcntl(descriptor, F_SETLEASE, F_UNLCK);
	return false;
}

bool input_is_written(const struct input *input)
{
	if (input->stream.is_there)
		return !input->stream.is_over;
	return io_is_being_written(input->descriptor) || is_open_to_write(input->descriptor);
}

void input_give_back(struct input *input, uint64_t offset)
{
	uint64_t nr_given = input->stream.nr_given;

	if (!input->stream.is_there || offset <= nr_given)
		return;
	if (fallocate(input->descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		    (off_t)nr_given, (off_t)(offset - nr_given)) == 0)
		input->stream.nr_given = offset;
}

enum ct_status input_read(const struct input *input, uint64_t offset, void *bytes, size_t nr_bytes,
	size_t *ret_nr_read, struct ct_error *reterr)
{
	ssize_t got = io_read_at(input->descriptor, bytes, nr_bytes, offset);

	if (got < 0)
		return ct_fail_errno(reterr, "reading at offset %llu", (unsigned long long)offset);
	*ret_nr_read = (size_t)got;
	return CT_OK;
}

static bool is_in_window(const struct input *input, uint64_t offset, size_t nr_bytes)
{
	return offset >= input->window_start &&
	       offset - input->window_start <= input->window_bytes &&
	       nr_bytes <= input->window_bytes - (offset - input->window_start);
}

/* A small file, or the small new part of a growing one, needs no whole window. */
static size_t window_for(const struct input *input, uint64_t offset, size_t nr_bytes)
{
	uint64_t left = input->nr_bytes - offset;
	size_t wanted = left < WINDOW_BYTES ? (size_t)left : WINDOW_BYTES;

	return nr_bytes > wanted ? nr_bytes : wanted;
}

static enum ct_status move_window(
	struct input *input, uint64_t offset, size_t nr_bytes, struct ct_error *reterr)
{
	size_t wanted = window_for(input, offset, nr_bytes);
	uint8_t *grown;

	if (wanted > input->window_capacity) {
		grown = realloc(input->window, wanted);
		if (!grown)
			return ct_fail_memory(reterr);
		input->window = grown;
		input->window_capacity = wanted;
	}
	input->window_start = offset;
	input->window_bytes = 0;
	return input_read(input, offset, input->window, wanted, &input->window_bytes, reterr);
}

enum ct_status input_peek(struct input *input, uint64_t offset, size_t nr_bytes,
	const uint8_t **ret_bytes, struct ct_error *reterr)
{
	enum ct_status status = CT_OK;

	if (offset > input->nr_bytes || nr_bytes > input->nr_bytes - offset)
		return CT_END;
	if (!is_in_window(input, offset, nr_bytes))
		status = move_window(input, offset, nr_bytes, reterr);
	if (status)
		return status;
	if (!is_in_window(input, offset, nr_bytes))
		return CT_END;
	*ret_bytes = input->window ? input->window + (offset - input->window_start) : NULL;
	return CT_OK;
}
