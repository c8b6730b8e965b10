/* SPDX-License-Identifier: MIT */
/* Writing blocks: headers, checksums, packing; and the output that is a file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "base/io.h"
#include "store/definitions.h"
#include "store/output.h"

/* ---------------------------------------------------------------- a file */

/* Disk space reserved in one step, beyond the space for the end. */
#define STEP_BYTES (1u << 20)

struct file {
	struct store_output output;
	struct io_output io;
	uint64_t reserved; /* disk space is reserved up to this offset */
};

static bool is_full(int error_number)
{
	return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG;
}

/* Returns whether the process may not write files of this length. */
static bool is_beyond_limit(uint64_t nr_bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
	       nr_bytes > limit.rlim_cur;
}

static int reserve_up_to(struct file *file, uint64_t nr_bytes)
{
	int status;

	do
		status = fallocate(file->io.descriptor, FALLOC_FL_KEEP_SIZE, (off_t)file->reserved,
			(off_t)(nr_bytes - file->reserved));
	while (status && errno == EINTR);
	if (status)
		return errno;
	file->reserved = nr_bytes;
	return 0;
}

/* Reserves space up to `wanted`, and more. Returns 0, or the error number if there is no space. */
static int reserve(struct file *file, uint64_t wanted)
{
	int failed;

	if (is_beyond_limit(wanted))
		return EFBIG;
	if (wanted <= file->reserved)
		return 0;
	failed = reserve_up_to(file, wanted + STEP_BYTES);
	return is_full(failed) ? reserve_up_to(file, wanted) : failed;
}

/* If the space cannot be reserved at the beginning, or at all, the file goes on without reserved space. */
static int keep_room(struct file *file, size_t nr_bytes)
{
	off_t at = lseek(file->io.descriptor, 0, SEEK_CUR);
	int failed;

	if (!file->output.keeps_room || file->output.is_ending || at < 0)
		return 0;
	failed = reserve(file, (uint64_t)at + nr_bytes + STORE_ROOM_FOR_END);
	if (!failed || (is_full(failed) && at > 0))
		return failed;
	file->output.keeps_room = false;
	return 0;
}

static enum ct_status file_write(
	struct store_output *output, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	struct file *file = (struct file *)output;
	int failed = keep_room(file, nr_bytes);

	if (failed) {
		errno = failed;
		return ct_fail_errno(reterr, "'%s': writing %zu bytes", file->io.path, nr_bytes);
	}
	return io_output_write(&file->io, bytes, nr_bytes, reterr);
}

/* Does not truncate if nothing was written, because that would free the reserved space, too. */
static bool file_cut_back(struct store_output *output, uint64_t nr_bytes)
{
	struct file *file = (struct file *)output;

	/* Only a file of our own may be truncated: other processes may write to a file that was there before. */
	if (!file->io.partial_path)
		return false;
	if (lseek(file->io.descriptor, 0, SEEK_CUR) == (off_t)nr_bytes)
		return true;
	if (ftruncate(file->io.descriptor, (off_t)nr_bytes) ||
		lseek(file->io.descriptor, (off_t)nr_bytes, SEEK_SET) < 0)
		return false;
	/*
	 * The truncation freed the reserved space, too. The write failed for another reason than a full disk, so the
	 * space can be reserved again.
	 */
	file->reserved = nr_bytes;
	if (output->keeps_room)
		reserve_up_to(file, nr_bytes + STORE_ROOM_FOR_END);
	return true;
}

/* Returns reserved but unused space to the disk. */
static void give_room_back(struct file *file)
{
	off_t end = lseek(file->io.descriptor, 0, SEEK_END);

	if (end >= 0 && file->reserved > (uint64_t)end)
		(void)!ftruncate(file->io.descriptor, end);
}

static enum ct_status file_close(
	struct store_output *output, bool is_wanted, struct ct_error *reterr)
{
	struct file *file = (struct file *)output;
	enum ct_status status;

	give_room_back(file);
	status = io_output_close(&file->io, is_wanted, reterr);

	free(file);
	return status;
}

static const struct store_output_ops file_ops = {
	.write = file_write,
	.cut_back = file_cut_back,
	.close = file_close,
};

enum ct_status store_file_open(const char *path, bool keeps_room, struct store_output **ret_output,
	struct ct_error *reterr)
{
	struct file *file = calloc(1, sizeof(*file));
	enum ct_status status;

	if (!file)
		return ct_fail_memory(reterr);
	file->output.ops = &file_ops;
	status = io_output_open(&file->io, path, reterr);
	if (status) {
		free(file);
		return status;
	}
	file->output.keeps_room = keeps_room && file->io.partial_path;
	*ret_output = &file->output;
	return CT_OK;
}

/* ---------------------------------------------------------------- a descriptor */

struct open_file {
	struct store_output output;
	int descriptor;
};

static enum ct_status descriptor_write(
	struct store_output *output, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	return io_write(((struct open_file *)output)->descriptor, bytes, nr_bytes, reterr);
}

static bool descriptor_cut_back(struct store_output *output, uint64_t nr_bytes)
{
	(void)output, (void)nr_bytes;
	return false;
}

static enum ct_status descriptor_close(
	struct store_output *output, bool is_wanted, struct ct_error *reterr)
{
	(void)is_wanted, (void)reterr;
	free(output);
	return CT_OK;
}

enum ct_status store_descriptor_open(
	int descriptor, struct store_output **ret_output, struct ct_error *reterr)
{
	static const struct store_output_ops ops = {
		.write = descriptor_write,
		.cut_back = descriptor_cut_back,
		.close = descriptor_close,
	};
	struct open_file *file = calloc(1, sizeof(*file));

	if (!file)
		return ct_fail_memory(reterr);
	file->output.ops = &ops;
	file->descriptor = descriptor;
	*ret_output = &file->output;
	return CT_OK;
}

/* ---------------------------------------------------------------- any output */

static enum ct_status write_whole(
	struct store_output *output, const void *bytes, size_t nr_bytes, struct ct_error *reterr)
{
	enum ct_status status = output->ops->write(output, bytes, nr_bytes, reterr);

	if (status) {
		output->ops->cut_back(output, output->written.nr_bytes);
		return status;
	}
	output->written.nr_bytes += nr_bytes;
	return CT_OK;
}

static void fill_header(struct store_file_header *header, uint64_t features_incompatible)
{
	*header = (struct store_file_header){
		.header_bytes = sizeof(*header),
		.version = STORE_VERSION,
		.features_incompatible = features_incompatible,
	};
	memcpy(header->magic, STORE_MAGIC, STORE_MAGIC_BYTES);
	header->crc = crc32c(0, header, sizeof(*header));
}

enum ct_status store_output_start(struct store_output *output, struct ct_error *reterr)
{
	struct store_file_header header;

	fill_header(&header, output->packer || output->has_packed ? STORE_FEATURE_PACKED : 0);
	return write_whole(output, &header, sizeof(header), reterr);
}

enum ct_status store_output_begin(
	struct store_output *output, uint32_t generation, uint64_t now_ns, struct ct_error *reterr)
{
	output->generation = generation;
	return output->ops->begin ? output->ops->begin(output, generation, now_ns, reterr) : CT_OK;
}

/*
 * Writes a block. `block` has room for the header, of which everything but the block's place in the file is filled in.
 */
static enum ct_status write_block(struct store_output *output, struct store_block_header header,
	uint8_t *block, struct ct_error *reterr)
{
	enum ct_status status;

	header.marker = STORE_MARKER;
	header.generation = output->generation;
	header.number = output->written.nr_blocks;
	header.crc = 0;
	header.crc = crc32c(
		crc32c(0, &header, sizeof(header)), block + sizeof(header), header.payload_bytes);
	memcpy(block, &header, sizeof(header));
	status = write_whole(output, block, sizeof(header) + header.payload_bytes, reterr);
	if (status == CT_OK)
		output->written.nr_blocks++;
	return status;
}

enum ct_status store_output_block(struct store_output *output, enum store_block_type type,
	uint8_t *block, size_t payload_bytes, struct ct_error *reterr)
{
	struct store_block_header header = {
		.type = (uint16_t)type,
		.payload_bytes = (uint32_t)payload_bytes,
		.raw_bytes = (uint32_t)payload_bytes,
	};

	if (output->packer && store_pack(output->packer, &block, &header.payload_bytes))
		header.flags = STORE_BLOCK_PACKED;
	return write_block(output, header, block, reterr);
}

void store_block_start(struct text *block)
{
	static const struct store_block_header room;

	text_clear(block);
	text_append(block, (const char *)&room, sizeof(room));
}

enum ct_status store_output_text(struct store_output *output, enum store_block_type type,
	const struct text *block, struct ct_error *reterr)
{
	size_t room = sizeof(struct store_block_header);
	enum ct_status status = text_status(block, reterr);

	if (status || block->length == room)
		return status;
	return store_output_block(output, type, (uint8_t *)block->at, block->length - room, reterr);
}

enum ct_status store_output_definitions(struct store_output *output,
	const struct ct_definition *definitions, size_t count, struct ct_error *reterr)
{
	struct text block = {0};
	enum ct_status status;
	size_t i;

	store_block_start(&block);
	for (i = 0; i < count; i++)
		store_definition_add(&block, &definitions[i]);
	status = store_output_text(output, STORE_BLOCK_DEFINITIONS, &block, reterr);
	text_fini(&block);
	return status;
}

enum ct_status store_output_copy(struct store_output *output,
	const struct store_block_header *header, const uint8_t *payload, struct ct_error *reterr)
{
	struct store_block_header copied = *header;
	uint8_t *copy = malloc(sizeof(copied) + header->payload_bytes), *block = copy;
	enum ct_status status;

	if (!copy)
		return ct_fail_memory(reterr);
	memcpy(copy + sizeof(copied), payload, header->payload_bytes);
	if (output->packer && header->flags == 0 &&
		store_pack(output->packer, &block, &copied.payload_bytes))
		copied.flags = STORE_BLOCK_PACKED;
	status = write_block(output, copied, block, reterr);
	free(copy);
	return status;
}

void store_output_cut_back(struct store_output *output, struct store_extent extent)
{
	if (output->ops->cut_back(output, extent.nr_bytes))
		output->written = extent;
}

enum ct_status store_output_close(
	struct store_output *output, bool is_wanted, struct ct_error *reterr)
{
	store_packer_free(output->packer);
	return output->ops->close(output, is_wanted, reterr);
}
