/* SPDX-License-Identifier: MIT */
/*
 * The collector with hostile peers: descriptors that are not memory, memory that was never written or is taken away
 * again, floods, other users. The engine keeps running, says in a sentence what it refused, and spends limited work on
 * such peers. Protocol rules P-1, P-3, P-4, P-12.
 *
 * argv[1] is tests/targets/collect_target: a program must be recorded meanwhile.
 */
#include <grp.h>
#include <malloc.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define MADE_CHUNKS 256u /* the most that a ring can have */
#include "peer.h"

#define OTHER_USER 12345
#define NOBODY 65534
#define RING_RECORDS ((uint64_t)CTP_RING_CHUNKS * CTP_CHUNK_RECORDS)

/* ------------------------------------------------------------------ descriptors */

static int open_again(int descriptor, int flags)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", descriptor);
	again = open(path, flags | O_CLOEXEC);
	close(descriptor);
	return again;
}

/* P-12 */
static void test_wrong_descriptors(void)
{
	struct fixture f;
	int sealed;

	open_fixture(&f);
	expect_refusal(&f, socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "not shared memory");
	expect_refusal(&f, open("/dev/zero", O_RDWR | O_CLOEXEC), "turned away");
	expect_refusal(&f, eventfd(0, EFD_CLOEXEC), "not shared memory");
	expect_refusal(&f, epoll_create1(EPOLL_CLOEXEC), "not shared memory");
	expect_refusal(&f, open("/proc/self", O_RDONLY | O_CLOEXEC), "not shared memory");
	expect_refusal(&f, open("/dev/shm", O_RDONLY | O_CLOEXEC), "sealed");
	expect_refusal(&f, open_again(make_memory(MFD_ALLOW_SEALING, 1 << 20), O_PATH), "sealed");
	sealed = make_memory(MFD_ALLOW_SEALING, 1 << 20);
	CHECK_EQUAL(fcntl(sealed, F_ADD_SEALS, F_SEAL_SHRINK), 0);
	expect_refusal(&f, open_again(sealed, O_RDONLY), "mapping its memory");
	sealed = make_memory(MFD_ALLOW_SEALING, 1 << 20);
	CHECK_EQUAL(fcntl(sealed, F_ADD_SEALS, F_SEAL_WRITE), 0);
	expect_refusal(&f, sealed, "mapping its memory");
	CHECK_EQUAL(f.stats.nr_segments, 1);
	close_fixture(&f);
}

/* ------------------------------------------------------------------ memory */

static uint64_t count_blocks(const struct made_segment *made)
{
	struct stat facts;

	if (fstat(made->descriptor, &facts))
		abort();
	return (uint64_t)facts.st_blocks;
}

static void step_until_corrupt(struct fixture *f, uint64_t count)
{
	int i;

	for (i = 0; i < STEPS_MAX && keep_count_lost(&f->keep, CTP_LOSS_CORRUPT) < count; i++)
		step(f);
	CHECK_EQUAL(keep_count_lost(&f->keep, CTP_LOSS_CORRUPT), count);
}

/*
 * P-1. Records, sites and rings that are claimed but were never written: reading them would allocate memory. Such
 * records are counted, and no page is allocated.
 */
static void test_memory_never_written(void)
{
	struct made_segment made;
	struct fixture f;
	uint64_t nr_blocks;

	open_fixture(&f);
	made_open(&made);
	made_claim(&made, 0, 99);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	step(&f);
	nr_blocks = count_blocks(&made);
	made.header->rings_used = MADE_RINGS;
	made.header->sites_used = MADE_SITES;
	made.rings[0].chunk[0] = 5;
	ctp_store_release(&made.rings[0].head, 1 + 1000);
	step_until_corrupt(&f, 1000);
	CHECK_EQUAL(count_blocks(&made), nr_blocks);
	/* The next chunk was written up to here: that part is read. */
	made.rings[0].chunk[0] = 6;
	made_emit(&made, 0, 1, 0, CTP_KIND_RESUME, 0);
	step(&f);
	CHECK_EQUAL(nr_recorded(&f), f.nr_before + 2);
	CHECK_EQUAL(keep_count_lost(&f.keep, CTP_LOSS_CORRUPT), 1000);
	made_close(&made);
	close_fixture(&f);
}

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Pages that vanish while the engine reads them read as zeros, or are not read, without other effects. */
static void test_punched_holes(void)
{
	struct made_segment made;
	uint64_t state = 0x9e3779b97f4a7c15;
	struct fixture f;
	int i;

	open_fixture(&f);
	made_open(&made);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	f.keep.is_order_ignored = true;
	for (i = 0; i < 300; i++) {
		uint64_t page = random_word(&state) % (made.nr_bytes / CTP_PAGE_BYTES);

		made_fill(&made); /* the test itself uses the header */
		if (i % 3 == 0)
			made_claim(&made, (unsigned)i % MADE_RINGS, 99);
		made_emit(&made, (unsigned)i % MADE_RINGS, 1, 0, CTP_KIND_RESUME, 0);
		if (i % 2)
			page = random_word(&state) % 8; /* header, rings, sites */
		CHECK_EQUAL(fallocate(made.descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
				    (off_t)(page * CTP_PAGE_BYTES), CTP_PAGE_BYTES),
			0);
		step(&f);
	}
	CHECK(f.stats.nr_events > f.nr_before);
	made_close(&made);
	close_fixture(&f);
}

/* P-4. One lie gives one loss; later records are read. */
static void test_head_goes_back(void)
{
	struct made_segment made;
	struct fixture f;
	int i;

	open_fixture(&f);
	made_open(&made);
	made_claim(&made, 0, 99);
	for (i = 0; i < 100; i++)
		made_emit(&made, 0, 1, 0, CTP_KIND_RESUME, 0);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	ctp_store_release(&made.rings[0].head, 50);
	step_until_corrupt(&f, 1);
	made_emit(&made, 0, 1, 0, CTP_KIND_RESUME, 0);
	step(&f);
	CHECK_EQUAL(nr_recorded(&f), f.nr_before + 102);
	made_close(&made);
	close_fixture(&f);
}

/* P-3. Unknown kinds are not an error. */
static void test_impossible_kinds(void)
{
	struct made_segment made;
	struct fixture f;
	unsigned kind;

	open_fixture(&f);
	made_open(&made);
	made_claim(&made, 0, 99);
	for (kind = 200; kind < 256; kind++)
		made_emit(&made, 0, 1, 0, kind, 255);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	step(&f);
	for (kind = 200; kind < 256; kind++)
		CHECK_EQUAL(keep_count_kind(&f.keep, kind), 1);
	CHECK_EQUAL(f.stats.nr_lost, 0);
	made_close(&made);
	close_fixture(&f);
}

/* ------------------------------------------------------------------ floods */

static void flood(const struct fixture *f)
{
	struct ctp_hello hello = {CTP_MAGIC, CTP_VERSION, CTP_ROLE_PROBE};
	int memory = make_memory(MFD_ALLOW_SEALING, 1 << 20);
	unsigned i;

	for (i = 0;; i++) {
		if (i % 3 == 0)
			close(connect_peer(f));
		else
			greet(f, &hello, sizeof(hello) - i % 2, &memory, i % 3 - 1);
	}
}

static pid_t start_flood(const struct fixture *f)
{
	pid_t child = fork();

	if (child == 0) {
		alarm(60);
		flood(f);
	}
	return child;
}

static void end_flood(pid_t child)
{
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
}

/* A peer that connects without end does not delay other peers' events, and costs no memory and no descriptor. */
static void test_flood_of_connections(void)
{
	pid_t floods[2];
	struct made_segment made;
	struct fixture f;
	size_t nr_descriptors, nr_bytes;
	uint64_t nr_steps = 0;

	open_fixture(&f);
	made_open(&made);
	made_claim(&made, 0, 99);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	step(&f);
	nr_descriptors = count_descriptors();
	nr_bytes = mallinfo2().uordblks;
	floods[0] = start_flood(&f);
	floods[1] = start_flood(&f);
	while (f.stats.nr_refused < 2000) {
		made_emit(&made, 0, 1, 0, CTP_KIND_RESUME, 0);
		step(&f);
		CHECK_EQUAL(nr_recorded(&f), f.nr_before + 1 + ++nr_steps);
	}
	end_flood(floods[0]);
	end_flood(floods[1]);
	CHECK(mallinfo2().uordblks < nr_bytes + (1 << 20));
	while (count_descriptors() > nr_descriptors)
		step(&f);
	CHECK(f.stats.refusal && f.stats.refusal[0]);
	made_close(&made);
	close_fixture(&f);
}

/*
 * A ring can always be full at no cost for its peer, if all its chunks are the same one. Other rings still have their
 * turn.
 */
static void test_flood_of_records(void)
{
	struct made_segment made;
	struct fixture f;
	uint64_t before, kept;
	unsigned i, k;

	open_fixture(&f);
	made_open(&made);
	memset(made.base + made.header->chunk_offset, 0, CTP_CHUNK_BYTES);
	for (i = 0; i < MADE_RINGS; i++)
		made.rings[i].owner = 99 + i;
	made.header->rings_used = MADE_RINGS;
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	for (k = 0; k < 3; k++) {
		for (i = 0; i < MADE_RINGS; i++)
			ctp_store_release(&made.rings[i].head, made.rings[i].tail + RING_RECORDS);
		before = nr_kept(&f);
		step(&f);
		kept = nr_kept(&f) - before;
		/* A look with a heartbeat omits no ring. */
		CHECK(kept == 2 * RING_RECORDS || kept == MADE_RINGS * RING_RECORDS);
		f.keep.records.count = f.nr_before;
	}
	/* In turn: the last two rings were full, too. A look with a heartbeat reads all of them. */
	CHECK(made.rings[0].tail >= 2 * RING_RECORDS);
	CHECK(made.rings[3].tail >= RING_RECORDS);
	made_close(&made);
	close_fixture(&f);
}

/* ------------------------------------------------------------------ users */

static void become(uid_t user)
{
	if (setgroups(0, NULL) || setresgid(user, user, user) || setresuid(user, user, user))
		_exit(2);
}

/* A process of another user sends valid memory. */
static void hand_over_as(const struct fixture *f, uid_t user)
{
	struct made_segment made;
	int status = -1;
	pid_t child = fork();

	if (child == 0) {
		become(user);
		made_open(&made);
		hand_over(f, made.descriptor);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

/*
 * The superuser's engine accepts programs that become other users, if they descend from the target, or if all are
 * wanted.
 */
static void test_other_user_before_superuser(void)
{
	struct fixture f;

	open_fixture(&f);
	hand_over_as(&f, OTHER_USER);
	step_until_refused(&f, 1);
	CHECK(f.stats.refusal && strstr(f.stats.refusal, "does not descend"));
	close_fixture(&f);
	open_fixture_for(&f, true);
	hand_over_as(&f, OTHER_USER);
	step_until_attached(&f, 2);
	CHECK_EQUAL(f.stats.nr_refused, 0);
	close_fixture(&f);
}

/* The sender waits in another process, which still has the rights that the engine's process has given up. */
static void run_engine_of_nobody(int to_peer, int from_peer)
{
	struct fixture f;
	char byte;

	become(NOBODY);
	if (access(target, X_OK)) {
		fprintf(stderr,
			"not tried: another user's peer, since nobody can run the target\n");
		_exit(0);
	}
	open_fixture(&f);
	CHECK_EQUAL(write(to_peer, f.socket_name, sizeof(f.socket_name)), sizeof(f.socket_name));
	CHECK_EQUAL(read(from_peer, &byte, 1), 1);
	step_until_refused(&f, 1);
	CHECK(f.stats.refusal && strstr(f.stats.refusal, "another user"));
	CHECK_EQUAL(f.stats.nr_segments, 1);
	close_fixture(&f);
	_exit(check_result());
}

static void test_other_user_before_user(void)
{
	int to_peer[2], from_peer[2], status = -1;
	struct fixture f;
	pid_t engine;

	if (pipe(to_peer) || pipe(from_peer))
		abort();
	engine = fork();
	if (engine == 0)
		run_engine_of_nobody(to_peer[1], from_peer[0]);
	close(to_peer[1]);
	if (read(to_peer[0], f.socket_name, sizeof(f.socket_name)) == sizeof(f.socket_name)) {
		hand_over_as(&f, OTHER_USER);
		CHECK_EQUAL(write(from_peer[1], "", 1), 1);
	}
	CHECK(waitpid(engine, &status, 0) == engine && status == 0);
	close(to_peer[0]);
	close(from_peer[0]);
	close(from_peer[1]);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		SKIP("the target's path is the first argument");
	target = argv[1];
	test_wrong_descriptors();
	test_memory_never_written();
	test_punched_holes();
	test_head_goes_back();
	test_impossible_kinds();
	test_flood_of_connections();
	test_flood_of_records();
	if (geteuid() == 0) {
		test_other_user_before_superuser();
		test_other_user_before_user();
	} else {
		fprintf(stderr, "not tried: other users, which needs to be the superuser\n");
	}
	return check_result();
}
