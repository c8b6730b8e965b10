/* SPDX-License-Identifier: MIT */
/*
 * Reading a file through a window, with positioned reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "store/input.h"

#define WINDOW_BYTES (1u << 20)
#define JUMP_BYTES (1u << 15) /* a block or two */
#define COPY_BYTES 65536

static int open_nameless(void)
{
	const char *folder = getenv("TMPDIR");
	char path[] = "/tmp/corotracer-XXXXXX";
	int descriptor =
		open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (descriptor >= 0)
		return descriptor;
	/* Not every file system has O_TMPFILE. */
	descriptor = mkostemp(path, O_CLOEXEC);
	if (descriptor >= 0)
		unlink(path);
	return descriptor;
}

static enum ct_status copy_all(int from, int to, struct ct_error *reterr)
{
	char bytes[COPY_BYTES];
	enum ct_status status;
	ssize_t got;

	for (;;) {
		got = read(from, bytes, sizeof(bytes));
		if (got == 0)
			return CT_OK;
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ct_fail_errno(reterr, "reading");
		status = io_write(to, bytes, (size_t)got, reterr);
		if (status)
			return ct_context(reterr, status, "copying to a temporary file");
	}
}

/* Replaces the descriptor by one of a file that holds all that comes out of it. */
static enum ct_status spool(struct store_input *input, struct ct_error *reterr)
{
	int copy = open_nameless();
	enum ct_status status;

	if (copy < 0)
		return ct_fail_errno(reterr, "creating a temporary file");
	status = copy_all(input->descriptor, copy, reterr);
	close(input->descriptor);
	input->descriptor = copy;
	return status;
}

static enum ct_status find_size(struct store_input *input, struct ct_error *reterr)
{
	struct stat about;
	enum ct_status status;

	if (fstat(input->descriptor, &about) < 0)
		return ct_fail_errno(reterr, "asking for the file's size");
	if (S_ISDIR(about.st_mode))
		return ct_fail(reterr, CT_ERR_FORMAT, "a directory, not a trace");
	if (!S_ISREG(about.st_mode)) {
		status = spool(input, reterr);
		if (status)
			return status;
		if (fstat(input->descriptor, &about) < 0)
			return ct_fail_errno(reterr, "asking for the copy's size");
	}
	input->size = (uint64_t)about.st_size;
	return CT_OK;
}

enum ct_status store_input_open(
	struct store_input *input, const char *path, struct ct_error *reterr)
{
	bool is_standard_input = strcmp(path, "-") == 0;
	enum ct_status status;

	*input = (struct store_input){.descriptor = -1};
	input->descriptor = is_standard_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
					      : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (input->descriptor < 0)
		return ct_fail_errno(reterr, "can not open it");
	status = find_size(input, reterr);
	if (status)
		store_input_close(input);
	return status;
}

void store_input_close(struct store_input *input)
{
	if (input->descriptor >= 0)
		close(input->descriptor);
	free(input->window);
	*input = (struct store_input){.descriptor = -1};
}

static enum ct_status reserve(struct store_input *input, size_t nr_bytes, struct ct_error *reterr)
{
	uint8_t *grown;

	if (nr_bytes <= input->window_capacity)
		return CT_OK;
	grown = realloc(input->window, nr_bytes);
	if (!grown)
		return ct_fail_memory(reterr);
	input->window = grown;
	input->window_capacity = nr_bytes;
	return CT_OK;
}

static enum ct_status fill(
	struct store_input *input, uint64_t offset, size_t wanted, struct ct_error *reterr)
{
	ssize_t got;

	input->window_start = offset;
	input->window_bytes = 0;
	while (input->window_bytes < wanted) {
		got = pread(input->descriptor, input->window + input->window_bytes,
			wanted - input->window_bytes, (off_t)(offset + input->window_bytes));
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return ct_fail_errno(
				reterr, "reading at offset %llu", (unsigned long long)offset);
		if (got == 0)
			break; /* it has shrunk */
		input->window_bytes += (size_t)got;
	}
	return CT_OK;
}

/*
 * Streams are merged, so a reader jumps from block to block: after a jump little is read, and twice as much each time
 * that it goes on from there.
 */
static size_t window_for(const struct store_input *input, uint64_t offset, size_t nr_bytes)
{
	uint64_t left = input->size - offset;
	bool goes_on = offset >= input->window_start &&
		       offset - input->window_start <= input->window_bytes;
	size_t wanted = JUMP_BYTES;

	if (goes_on && 2 * input->window_bytes > wanted)
		wanted = 2 * input->window_bytes;
	if (wanted > WINDOW_BYTES)
		wanted = WINDOW_BYTES;
	if (wanted < nr_bytes)
		wanted = nr_bytes;
	return wanted < left ? wanted : (size_t)left;
}

static bool is_in_window(const struct store_input *input, uint64_t offset, size_t nr_bytes)
{
	return offset >= input->window_start &&
	       offset - input->window_start <= input->window_bytes &&
	       nr_bytes <= input->window_bytes - (offset - input->window_start);
}

enum ct_status store_input_peek(struct store_input *input, uint64_t offset, size_t nr_bytes,
	const uint8_t **ret_bytes, struct ct_error *reterr)
{
	enum ct_status status;
	size_t wanted;

	if (offset > input->size || nr_bytes > input->size - offset)
		return CT_END;
	if (!is_in_window(input, offset, nr_bytes)) {
		wanted = window_for(input, offset, nr_bytes);
		status = reserve(input, wanted, reterr);
		if (status == CT_OK)
			status = fill(input, offset, wanted, reterr);
		if (status)
			return status;
		if (!is_in_window(input, offset, nr_bytes))
			return CT_END;
	}
	*ret_bytes = input->window + (offset - input->window_start);
	return CT_OK;
}
