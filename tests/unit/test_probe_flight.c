/* SPDX-License-Identifier: MIT */
/*
 * The flight recorder inside a program: its file, who may read it, how its memory is shared among threads, and what a
 * child process gets of it. Protocol rules P-80 to P-84.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "corotracer/ctp_flight.h"
#include "probe_tally.h"

#define MEBIBYTE ((size_t)1 << 20)

static char folder[] = "/tmp/corotracer-flight-XXXXXX";

static const char *path_of(const char *name)
{
	static _Thread_local char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

static size_t size_of(const char *name)
{
	struct stat facts;

	return lstat(path_of(name), &facts) == 0 ? (size_t)facts.st_size : 0;
}

static bool is_locked(const char *name)
{
	int file = open(path_of(name), O_RDONLY | O_CLOEXEC);
	bool is_free = file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0;

	if (file >= 0)
		close(file);
	return file >= 0 && !is_free;
}

/* Maps the file as a reader does, each part of the segment at its own offset. */
static void map_file(const char *name, struct reader *reader)
{
	int file = open(path_of(name), O_RDONLY | O_CLOEXEC);

	reader->bytes = size_of(name);
	reader->header = mmap(NULL, reader->bytes, PROT_READ, MAP_SHARED, file, 0);
	CHECK(reader->header != MAP_FAILED);
	reader_find_orders(reader);
	close(file);
}

/* ------------------------------------------------------------------ the file */

/* P-80, P-81, P-82: the file has the size asked for with all its blocks, and is private, locked and complete. */
static void makes_its_file(void)
{
	struct reader reader = {0};
	struct stat facts;

	unlink(path_of("one"));
	errno = 77;
	CHECK(ctp_record_flight(path_of("one"), 3 * MEBIBYTE + 5));
	CHECK_EQUAL(errno, 77);
	CHECK(lstat(path_of("one"), &facts) == 0);
	CHECK_EQUAL(facts.st_size, 3 * MEBIBYTE);
	CHECK(facts.st_blocks * 512 >= (long)(3 * MEBIBYTE));
	CHECK_EQUAL(facts.st_mode, S_IFREG | 0600);
	CHECK(is_locked("one"));
	emit_numbered(0);
	map_file("one", &reader);
	CHECK_EQUAL(reader.header->magic, CTP_MAGIC);
	CHECK_EQUAL(reader.orders->policy, CTP_POLICY_OVERWRITE_OLDEST);
	CHECK_EQUAL(reader.header->segment_bytes, 3 * MEBIBYTE);
	CHECK_EQUAL(reader_ring(&reader, 0)->head, 2);
	CHECK(ctp_site_address((void *)makes_its_file, CTP_SITE_FUNCTION) == 1);
	CHECK(reader_site(&reader, 1) &&
		reader_site(&reader, 1)->address == (uintptr_t)makes_its_file);
}

static void leaves_a_file(void)
{
	CHECK(ctp_record_flight(path_of("one"), MEBIBYTE));
	CHECK_EQUAL(size_of("one"), MEBIBYTE);
}

static void finds_it_taken(void)
{
	CHECK(!ctp_record_flight(path_of("one"), MEBIBYTE));
	CHECK(!ctp_is_attached());
	emit_numbered(0);
}

/* P-81: a second process leaves a live process's file alone, and replaces that of one that has ended. */
static void two_at_one_path(void)
{
	struct stat before, after;

	CHECK_EQUAL(in_child(makes_its_file), 0);
	CHECK(!is_locked("one"));
	CHECK(ctp_record_flight(path_of("one"), 2 * MEBIBYTE));
	CHECK_EQUAL(size_of("one"), 2 * MEBIBYTE);
	CHECK(lstat(path_of("one"), &before) == 0);
	CHECK_EQUAL(in_child(finds_it_taken), 0);
	CHECK(lstat(path_of("one"), &after) == 0);
	CHECK_EQUAL(before.st_ino, after.st_ino);
}

static void put_file(const char *name, const char *text)
{
	FILE *file = fopen(path_of(name), "w");

	CHECK(file && fputs(text, file) >= 0);
	if (file)
		fclose(file);
}

/* P-81: a file that is no segment is never replaced, whoever asks for it. */
static void replaces_no_other_file(void)
{
	char zeros[8192] = {0};

	put_file("thesis",
		"Chapter one. It was a dark and stormy night, and nobody had a copy of this.");
	CHECK(!ctp_record_flight(path_of("thesis"), MEBIBYTE));
	CHECK_EQUAL(size_of("thesis"), 75);
	put_file("disk", "");
	CHECK(truncate(path_of("disk"), sizeof(zeros)) == 0);
	CHECK(!ctp_record_flight(path_of("disk"), MEBIBYTE));
	CHECK_EQUAL(size_of("disk"), sizeof(zeros));
	unlink(path_of("link"));
	CHECK(symlink("thesis", path_of("link")) == 0);
	CHECK(!ctp_record_flight(path_of("link"), MEBIBYTE));
	CHECK_EQUAL(size_of("link"), 6);
	CHECK(!ctp_record_flight(folder, MEBIBYTE));
	CHECK(mkfifo(path_of("pipe"), 0600) == 0);
	CHECK(!ctp_record_flight(path_of("pipe"), MEBIBYTE));
	CHECK(!ctp_is_attached());
}

/* P-80: the variable goes before the program's wish; %p is replaced, and sizes are written as people write them. */
static void asked_by_environment(void)
{
	char expected[64];

	setenv(CTP_FLIGHT_ENVIRONMENT, path_of("env,%p.%%,2MiB"), 1);
	CHECK(ctp_record_flight(path_of("unwanted"), 0));
	snprintf(expected, sizeof(expected), "env,%d.%%", (int)getpid());
	CHECK_EQUAL(size_of(expected), 2 * MEBIBYTE);
	CHECK_EQUAL(size_of("unwanted"), 0);
}

static void asked_by_environment_alone(void)
{
	setenv(CTP_FLIGHT_ENVIRONMENT, path_of("alone"), 1);
	CHECK(ctp_attach());
	CHECK_EQUAL(size_of("alone"), CTP_FLIGHT_BYTES);
}

/* An engine that is there goes before the flight recorder; an engine whose socket is gone does not count. */
static void prefers_the_engine(void)
{
	struct reader reader;

	reader_listen();
	CHECK(ctp_record_flight(path_of("beside"), MEBIBYTE));
	CHECK(reader_take(&reader));
	CHECK_EQUAL(reader.orders->policy, CTP_POLICY_DROP_NEWEST);
	CHECK_EQUAL(size_of("beside"), 0);
}

static void engine_is_gone(void)
{
	setenv(CTP_ENVIRONMENT, "corotracer-nobody-listens-here", 1);
	CHECK(ctp_record_flight(path_of("beside"), MEBIBYTE));
	CHECK_EQUAL(size_of("beside"), MEBIBYTE);
}

/* ------------------------------------------------------------------ what cannot be had */

/* P-82, P-5: the file is smaller where the limit asks for that, and there is none where the limit leaves too little. */
static void limited_file_size(void)
{
	struct rlimit limit = {2 * MEBIBYTE, RLIM_INFINITY};

	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(ctp_record_flight(path_of("limited"), 0));
	CHECK_EQUAL(size_of("limited"), 2 * MEBIBYTE);
	emit_some();
}

static void too_limited_file_size(void)
{
	struct rlimit limit = {MEBIBYTE - 1, RLIM_INFINITY};

	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
	CHECK(!ctp_record_flight(path_of("small"), 0));
	CHECK_EQUAL(access(path_of("small"), F_OK), -1);
	emit_some();
}

static void no_folder(void)
{
	CHECK(!ctp_record_flight(path_of("nowhere/file"), 0));
	emit_some();
}

/* ------------------------------------------------------------------ in memory alone */

/* P-80: without a path the segment is a sealed memfd that stays open for a reader who comes later. */
static void in_memory(void)
{
	struct reader reader = {0};
	int memory = -1;

	CHECK(ctp_record_flight(NULL, 2 * MEBIBYTE));
	memory = ctp_process_state.descriptor;
	CHECK(fcntl(memory, F_GET_SEALS) & F_SEAL_SHRINK);
	reader.bytes = 2 * MEBIBYTE;
	reader.header = mmap(NULL, reader.bytes, PROT_READ, MAP_SHARED, memory, 0);
	CHECK(reader.header != MAP_FAILED);
	emit_numbered(0);
	CHECK_EQUAL(reader_ring(&reader, 0)->head, 2);
}

/* ------------------------------------------------------------------ sharing the bound */

#define SHARERS 8u

static pthread_barrier_t everyone;
static uint32_t may_end;

static void *fill_and_wait(void *context)
{
	emit_many(context);
	pthread_barrier_wait(&everyone);
	while (!ctp_load_acquire(&may_end)) /* P2 */
		emit_numbered(0);
	return NULL;
}

/* Counts, for every chunk of the segment, how many rings have it in flight, or laid out for other rings. */
static uint32_t count_shared_chunks(const struct reader *reader)
{
	uint32_t *owners = calloc(reader->header->chunk_max + 1, sizeof(*owners));
	uint32_t i, wrong = 0;
	uint64_t sequence;

	for (i = 0; i < reader->header->rings_used; i++) {
		const struct ctp_ring *ring = reader_ring(reader, i);

		for (sequence = ring->reclaimed; sequence < ring->assigned; sequence++)
			wrong += owners[ring->chunk[sequence % CTP_RING_CHUNKS]]++;
		if (ring->surplus)
			wrong += owners[ring->surplus - 1]++;
	}
	free(owners);
	return wrong;
}

static bool has_everyone_grown(const struct reader *reader)
{
	uint32_t i;

	for (i = 0; i <= SHARERS; i++)
		if (ctp_load_relaxed(&reader_ring(reader, i)->nr_owned) < 2)
			return false;
	return true;
}

/*
 * P-83: a ring that has all chunks lays some out for threads that come later; those have room from their first event.
 */
static void latecomers_find_room(void)
{
	pthread_t threads[SHARERS];
	uint64_t many = 1000000, few = 50000;
	struct reader reader = {0};
	uint32_t i, share;

	CHECK(ctp_record_flight(path_of("shared"), 8 * MEBIBYTE));
	map_file("shared", &reader);
	pthread_barrier_init(&everyone, NULL, SHARERS + 1);
	emit_many(&many);
	CHECK(reader_ring(&reader, 0)->nr_owned > reader.header->chunk_max / 2);
	for (i = 0; i < SHARERS; i++)
		CHECK(pthread_create(&threads[i], NULL, fill_and_wait, &few) == 0);
	pthread_barrier_wait(&everyone);
	while (!has_everyone_grown(&reader))
		emit_many(&few);
	ctp_store_release(&may_end, 1); /* P2 */
	for (i = 0; i < SHARERS; i++)
		pthread_join(threads[i], NULL);
	share = reader.header->chunk_max / (SHARERS + 1);
	CHECK_EQUAL(reader.header->rings_used, SHARERS + 1);
	CHECK_EQUAL(count_shared_chunks(&reader), 0);
	for (i = 0; i <= SHARERS; i++)
		CHECK_EQUAL(reader_ring(&reader, i)->dropped, 0);
	CHECK(reader_ring(&reader, 1)->nr_owned <= share);
	CHECK_EQUAL(size_of("shared"), 8 * MEBIBYTE);
}

static void *emit_once(void *context)
{
	emit_numbered(*(uint64_t *)context);
	return NULL;
}

/* P-83, P-28: however many threads come and go, their rings are used again, and the file keeps its size. */
static void coming_and_going(void)
{
	uint64_t i, threads = IS_SANITIZED ? 1000 : 10000;
	struct reader reader = {0};
	const struct ctp_ring *ring;

	CHECK(ctp_record_flight(path_of("many"), MEBIBYTE));
	map_file("many", &reader);
	for (i = 0; i < threads; i++) {
		pthread_t thread;

		CHECK(pthread_create(&thread, NULL, emit_once, &i) == 0);
		pthread_join(thread, NULL);
	}
	ring = reader_ring(&reader, 0);
	CHECK_EQUAL(reader.header->rings_used, 1);
	CHECK_EQUAL(ring->head, 3 * threads);
	CHECK_EQUAL(ring->dropped + reader.header->untraced_events, 0);
	CHECK_EQUAL(size_of("many"), MEBIBYTE);
}

static pthread_barrier_t crowd;

static void *emit_in_crowd(void *context)
{
	emit_numbered(*(uint64_t *)context);
	pthread_barrier_wait(&crowd);
	return NULL;
}

/* P-83, P-28: more threads at a time than there are rings or chunks: events that find no room are counted. */
static void too_many_threads(void)
{
	enum { CROWD = 64 };
	pthread_t threads[CROWD];
	struct reader reader = {0};
	uint64_t number = 0, found = 0, dropped = 0;
	uint32_t i;

	CHECK(ctp_record_flight(path_of("crowd"), MEBIBYTE));
	map_file("crowd", &reader);
	pthread_barrier_init(&crowd, NULL, CROWD);
	for (i = 0; i < CROWD; i++)
		CHECK(pthread_create(&threads[i], NULL, emit_in_crowd, &number) == 0);
	for (i = 0; i < CROWD; i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < reader.header->rings_used; i++) {
		found += reader_ring(&reader, i)->head > 1;
		dropped += reader_ring(&reader, i)->dropped;
	}
	CHECK(found > 0 && dropped > 0 && reader.header->untraced_events > 0);
	CHECK_EQUAL(found + dropped + reader.header->untraced_events, CROWD);
}

/* ------------------------------------------------------------------ children */

static void wait_for_byte(int pipe_end)
{
	char byte;

	while (read(pipe_end, &byte, 1) < 0 && errno == EINTR)
		;
}

/* The child's parent is gone: the file is free for another process, and what the child emits goes nowhere. */
static void outlive_parent(int parent_ends)
{
	struct reader reader = {0};
	uint64_t head;

	wait_for_byte(parent_ends);
	CHECK(!is_locked("parent"));
	CHECK(!ctp_is_attached());
	map_file("parent", &reader);
	head = reader_ring(&reader, 0)->head;
	emit_numbered(1);
	CHECK_EQUAL(reader_ring(&reader, 0)->head, head);
}

/* P-84: a forked child does not keep its parent's file from being replaced. */
static void child_holds_no_lock(void)
{
	int ends[2], told[2];
	char verdict = 1;

	CHECK(pipe(ends) == 0 && pipe(told) == 0);
	if (fork() == 0) {
		CHECK(ctp_record_flight(path_of("parent"), MEBIBYTE));
		emit_numbered(0);
		if (fork() == 0) {
			close(ends[1]);
			outlive_parent(ends[0]);
			verdict = (char)check_result();
			_exit(write(told[1], &verdict, 1) != 1);
		}
		CHECK(is_locked("parent"));
		_exit(check_result());
	}
	close(told[1]);
	close(ends[1]);
	CHECK_EQUAL(read(told[0], &verdict, 1), 1);
	CHECK_EQUAL(verdict, 0);
}

static void attach_in_child(void)
{
	char expected[64];

	CHECK(!ctp_is_attached());
	CHECK(ctp_record_flight(path_of("family.%p"), MEBIBYTE));
	snprintf(expected, sizeof(expected), "family.%d", (int)getpid());
	CHECK_EQUAL(size_of(expected), MEBIBYTE);
	emit_some();
}

/* P-84: with %p a child that asks has a file of its own; its parent's is left alone. */
static void child_has_its_own(void)
{
	char name[64];
	struct reader reader = {0};

	CHECK(ctp_record_flight(path_of("family.%p"), MEBIBYTE));
	emit_numbered(0);
	snprintf(name, sizeof(name), "family.%d", (int)getpid());
	CHECK_EQUAL(in_child(attach_in_child), 0);
	CHECK(is_locked(name));
	map_file(name, &reader);
	CHECK_EQUAL(reader_ring(&reader, 0)->head, 2);
	emit_numbered(1);
	CHECK_EQUAL(reader_ring(&reader, 0)->head, 3);
}

static void refused_sizes(void)
{
	CHECK(!ctp_record_flight(path_of("tiny"), 1000));
	setenv(CTP_FLIGHT_ENVIRONMENT, path_of("tiny,16"), 1);
	CHECK(!ctp_attach());
	CHECK_EQUAL(size_of("tiny"), 0);
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CHECK(system(command) == 0);
}

int main(void)
{
	unsetenv(CTP_ENVIRONMENT);
	unsetenv(CTP_FLIGHT_ENVIRONMENT);
	if (!mkdtemp(folder))
		return 1;
	CHECK_EQUAL(in_child(makes_its_file), 0);
	CHECK_EQUAL(in_child(leaves_a_file), 0);
	CHECK_EQUAL(in_child(two_at_one_path), 0);
	CHECK_EQUAL(in_child(replaces_no_other_file), 0);
	CHECK_EQUAL(in_child(asked_by_environment), 0);
	CHECK_EQUAL(in_child(asked_by_environment_alone), 0);
	CHECK_EQUAL(in_child(prefers_the_engine), 0);
	CHECK_EQUAL(in_child(engine_is_gone), 0);
	CHECK_EQUAL(in_child(limited_file_size), 0);
	CHECK_EQUAL(in_child(too_limited_file_size), 0);
	CHECK_EQUAL(in_child(no_folder), 0);
	CHECK_EQUAL(in_child(in_memory), 0);
	CHECK_EQUAL(in_child(latecomers_find_room), 0);
	CHECK_EQUAL(in_child(coming_and_going), 0);
	CHECK_EQUAL(in_child(too_many_threads), 0);
	CHECK_EQUAL(in_child(child_holds_no_lock), 0);
	CHECK_EQUAL(in_child(child_has_its_own), 0);
	CHECK_EQUAL(in_child(refused_sizes), 0);
	remove_folder();
	return check_result();
}
