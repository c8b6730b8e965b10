/* SPDX-License-Identifier: MIT */
/*
 * Outputs that fail: a full disk, a limit, a closed pipe, a folder without write permission. What was written stays
 * valid, and no record disappears without being counted. Rule F-5 of docs/spec/trace-format.md.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "made_trace.h"
#include "store/format.h"

#define LIMIT_BYTES 400000u /* of which the end has its room */
#define NR_RECORDS 300u

/* Records that hardly shrink. */
static void make_records(struct ctp_record *records, uint64_t time, uint64_t *state)
{
	uint32_t i;

	for (i = 0; i < NR_RECORDS; i++)
		records[i] = (struct ctp_record){MADE_EPOCH + time + i, made_random(state) >> 8,
			made_random(state), CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0)};
}

static void limit_files(rlim_t nr_bytes)
{
	struct rlimit limit = {nr_bytes, RLIM_INFINITY};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &limit);
}

static uint64_t count_losses(const struct ct_tables *tables)
{
	uint64_t count = 0;
	uint32_t i;

	for (i = 0; i < tables->nr_losses; i++) {
		CHECK_EQUAL(tables->losses[i].reason, CTP_LOSS_OUTPUT);
		CHECK(tables->losses[i].first <= tables->losses[i].last);
		count += tables->losses[i].count;
	}
	return count;
}

/* Puts records until the sink fails and beyond; returns how many records were taken, and how many were refused. */
static void put_until_full(struct ct_sink *sink, uint64_t *ret_nr_taken, uint64_t *ret_nr_refused)
{
	struct ctp_record records[NR_RECORDS];
	struct ct_error error = {0};
	uint64_t state = 5, round;

	*ret_nr_taken = *ret_nr_refused = 0;
	for (round = 0; round < 100; round++) {
		struct ct_batch batch = {.stream = (uint32_t)(1 + round % 3),
			.thread = (uint32_t)(1 + round % 3),
			.records = records,
			.nr_records = NR_RECORDS};

		make_records(records, round * NR_RECORDS, &state);
		if (sink_put(sink, &batch, &error) == CT_OK) {
			*ret_nr_taken += NR_RECORDS;
			continue;
		}
		*ret_nr_refused += NR_RECORDS;
		CHECK_EQUAL(error.system_errno, EFBIG);
		CHECK(strstr(error.text, "'full.ctrace': writing") != NULL);
	}
}

/* Every record is in the file, or counted there as lost; the writer has kept room for that. */
static void test_limited_file(bool has_room_at_the_end)
{
	struct ct_sink *sink = made_sink("full.ctrace");
	struct ct_source *source;
	struct stat about;
	uint64_t nr_taken, nr_refused, nr_lost;

	made_start(sink, 3);
	limit_files(LIMIT_BYTES);
	put_until_full(sink, &nr_taken, &nr_refused);
	CHECK(nr_refused > 0 && nr_taken > 0);
	CHECK(sink_flush(sink, NULL) == CT_ERR_SYSTEM);
	nr_lost = store_sink_lost(sink);
	CHECK(nr_lost > 0);
	if (has_room_at_the_end)
		limit_files(RLIM_INFINITY);
	made_end(sink, MADE_EPOCH + 100 * NR_RECORDS, nr_taken);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_ERR_SYSTEM);
	limit_files(RLIM_INFINITY);
	CHECK(stat("full.ctrace", &about) == 0);
	source = made_source("full.ctrace");
	CHECK_EQUAL(made_count(source), nr_taken - nr_lost);
	CHECK_EQUAL(source->tables->nr_notes, 0); /* no half block was left behind */
	CHECK_EQUAL(count_losses(source->tables), nr_lost + nr_refused);
	CHECK(source->tables->is_complete);
	source_close(source);
}

/* Makes three events, and a record that says that 100 events are missing before them. */
static void make_telling(struct ctp_record records[4], uint64_t time)
{
	uint32_t i;

	for (i = 0; i < 4; i++)
		records[i] =
			(struct ctp_record){time + i, 7, 7, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0)};
	records[2] = (struct ctp_record){
		time + 2, time - 500, 100, CTP_TAIL(0, CTP_KIND_LOST, CTP_LOSS_FULL, 0)};
}

static const struct ct_loss *loss_for(const struct ct_tables *tables, uint32_t reason)
{
	uint32_t i;

	for (i = 0; i < tables->nr_losses; i++)
		if (tables->losses[i].reason == reason)
			return &tables->losses[i];
	fprintf(stderr, "no loss for reason %u\n", reason);
	exit(1);
}

/* The losses that records told of still count where those records are lost themselves. */
static void test_lost_losses(void)
{
	struct ct_sink *sink = made_sink("telling.ctrace");
	struct ctp_record records[4];
	struct ct_source *source;

	made_start(sink, 1);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	make_telling(records, MADE_EPOCH + 1000);
	CHECK_EQUAL(made_put(sink, 1, records, 4), CT_OK);
	limit_files(4096);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_ERR_SYSTEM);
	make_telling(records, MADE_EPOCH + 2000);
	CHECK_EQUAL(made_put(sink, 1, records, 4), CT_ERR_SYSTEM);
	CHECK_EQUAL(store_sink_lost(sink), 3);
	limit_files(RLIM_INFINITY);
	made_end(sink, MADE_EPOCH + 5000, 3);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_ERR_SYSTEM);
	source = made_source("telling.ctrace");
	CHECK_EQUAL(source->tables->nr_losses, 2);
	CHECK_EQUAL(loss_for(source->tables, CTP_LOSS_OUTPUT)->count, 6);
	CHECK_EQUAL(loss_for(source->tables, CTP_LOSS_FULL)->count, 200);
	CHECK_EQUAL(loss_for(source->tables, CTP_LOSS_FULL)->first, 500);
	source_close(source);
}

/* A block holds as many records as it may when the disk is full: later records are refused, room or not. */
static void test_full_block(void)
{
	struct ct_sink *sink = made_sink("block.ctrace");
	struct ctp_record records[256] = {{0}};
	struct ct_source *source;
	uint32_t i;

	for (i = 0; i < 256; i++)
		records[i] = (struct ctp_record){
			MADE_EPOCH + i, 7, 7, CTP_TAIL(0, CTP_KIND_COUNTER, 0, 0)};
	made_start(sink, 1);
	CHECK_EQUAL(sink_flush(sink, NULL), CT_OK);
	for (i = 0; i < STORE_BLOCK_RECORDS / 256; i++)
		CHECK_EQUAL(made_put(sink, 1, records, 256), CT_OK);
	limit_files(4096);
	CHECK_EQUAL(made_put(sink, 1, records, 256), CT_ERR_SYSTEM);
	limit_files(RLIM_INFINITY);
	CHECK_EQUAL(made_put(sink, 1, records, 256), CT_ERR_SYSTEM);
	CHECK_EQUAL(store_sink_lost(sink), STORE_BLOCK_RECORDS);
	made_end(sink, MADE_EPOCH + 5000, STORE_BLOCK_RECORDS);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_ERR_SYSTEM);
	source = made_source("block.ctrace");
	CHECK_EQUAL(made_count(source), 0);
	CHECK_EQUAL(count_losses(source->tables), STORE_BLOCK_RECORDS + 512);
	source_close(source);
}

/* A disk that is full from the start. */
static void test_full_device(void)
{
	struct ct_error error = {0};
	struct ct_sink *sink = NULL;

	if (access("/dev/full", W_OK) < 0)
		return;
	CHECK_EQUAL(store_sink_open("/dev/full", NULL, &sink, &error), CT_ERR_SYSTEM);
	CHECK_EQUAL(error.system_errno, ENOSPC);
	CHECK(strstr(error.text, "No space left on device") != NULL);
}

/* The reader of the pipe has gone: all records that were taken are lost, and counted. */
static void test_pipe_that_is_closed(void)
{
	struct ctp_record records[NR_RECORDS];
	uint64_t state = 1;
	struct ct_sink *sink;
	int ends[2], saved = dup(STDOUT_FILENO);
	enum ct_status status = CT_OK;
	unsigned round;

	signal(SIGPIPE, SIG_IGN);
	CHECK(pipe(ends) == 0);
	dup2(ends[1], STDOUT_FILENO);
	sink = made_sink("-");
	made_start(sink, 1);
	close(ends[0]);
	for (round = 0; round < 100 && status == CT_OK; round++) {
		make_records(records, round * NR_RECORDS, &state);
		status = made_put(sink, 1, records, NR_RECORDS);
	}
	CHECK_EQUAL(status, CT_ERR_SYSTEM);
	CHECK_EQUAL(store_sink_lost(sink), (round - 1) * NR_RECORDS);
	CHECK_EQUAL(sink_close(sink, true, NULL), CT_ERR_SYSTEM);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(ends[1]);
}

/* One sentence names the file, and no file is left behind. */
static void test_folder_that_may_not_be_written(void)
{
	struct ct_error error = {0};
	struct ct_sink *sink = NULL;

	CHECK_EQUAL(store_sink_open("missing/x.ctrace", NULL, &sink, &error), CT_ERR_NOT_FOUND);
	CHECK_TEXT(error.text, "cannot write 'missing/x.ctrace': No such file or directory");
	if (geteuid() == 0)
		return; /* root may write everywhere */
	CHECK(mkdir("sealed", 0500) == 0);
	CHECK_EQUAL(store_sink_open("sealed/x.ctrace", NULL, &sink, &error), CT_ERR_SYSTEM);
	CHECK_TEXT(error.text, "cannot write 'sealed/x.ctrace': Permission denied");
}

/* A writer that dies at any moment leaves a file that opens up to the last flush. */
static void test_killed_writer(void)
{
	struct ct_source *source;
	int ends[2], status;
	char byte;
	pid_t child;

	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		struct ct_sink *sink = made_sink("killed.ctrace");

		made_start(sink, 1);
		made_put_one(sink, 1, 10, CTP_KIND_RESUME, 1);
		sink_flush(sink, NULL);
		made_put_one(sink, 1, 20, CTP_KIND_SUSPEND, 1);
		if (write(ends[1], "x", 1) == 1)
			raise(SIGKILL);
		_exit(1);
	}
	CHECK_EQUAL(read(ends[0], &byte, 1), 1);
	CHECK_EQUAL(waitpid(child, &status, 0), child);
	CHECK(WIFSIGNALED(status));
	source = made_source("killed.ctrace.partial");
	CHECK_EQUAL(made_count(source), 1);
	CHECK(!source->tables->is_complete);
	CHECK_EQUAL(source->tables->nr_notes, 0);
	source_close(source);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	made_enter();
	test_limited_file(true);
	test_limited_file(false);
	test_lost_losses();
	test_full_block();
	test_full_device();
	test_pipe_that_is_closed();
	test_folder_that_may_not_be_written();
	test_killed_writer();
	return check_result();
}
