/* SPDX-License-Identifier: MIT */
/*
 * The collector with peers that this test plays itself: what is accepted and what is refused, exact losses, and memory
 * that changes while the engine reads it.
 *
 * argv[1] is tests/targets/collect_target: a program must be recorded meanwhile.
 */
#include "base/clock.h"
#include "peer.h"

/* ------------------------------------------------------------------ tests */

/* P-12 */
static void test_wrong_memory(void)
{
	char path[] = "/dev/shm/corotracer-test-XXXXXX";
	struct fixture f;
	int pipe_ends[2];
	int huge;

	open_fixture(&f);
	expect_refusal(&f, make_memory(0, 1 << 20), "sealed");
	expect_refusal(&f, make_memory(MFD_ALLOW_SEALING, 100), "100 bytes");
	expect_refusal(&f, make_memory(MFD_ALLOW_SEALING, 1ll << 40), "bytes");
	expect_refusal(&f, make_memory(MFD_ALLOW_SEALING, 1 << 20), "magic");
	expect_refusal(&f, mkstemp(path), "sealed");
	unlink(path);
	expect_refusal(&f, open("/etc/passwd", O_RDONLY | O_CLOEXEC), "not shared memory");
	if (pipe(pipe_ends))
		abort();
	expect_refusal(&f, pipe_ends[0], "not shared memory");
	close(pipe_ends[1]);
	huge = make_memory(MFD_HUGETLB | MFD_ALLOW_SEALING, 2 << 20);
	if (huge >= 0)
		expect_refusal(&f, huge, "not shared memory");
	CHECK_EQUAL(f.stats.nr_segments, 1);
	close_fixture(&f);
}

/* If the peer has not set a seal, the engine sets it before it reads the size. */
static void test_seal_is_added(void)
{
	struct made_segment made;
	struct fixture f;
	int unsealed;

	open_fixture(&f);
	made_open(&made);
	unsealed = make_memory(MFD_ALLOW_SEALING, (off_t)made.nr_bytes);
	CHECK_EQUAL(write(unsealed, made.base, made.nr_bytes), made.nr_bytes);
	hand_over(&f, unsealed);
	step_until_attached(&f, 2);
	CHECK(fcntl(unsealed, F_GET_SEALS) & F_SEAL_SHRINK);
	CHECK(ftruncate(unsealed, 4096) != 0);
	close(unsealed);
	made_close(&made);
	close_fixture(&f);
}

/* P-10 */
static void test_wrong_greetings(void)
{
	struct ctp_hello hello = {CTP_MAGIC, CTP_VERSION, CTP_ROLE_PROBE};
	struct made_segment made;
	struct fixture f;
	int many[12];
	size_t i;

	open_fixture(&f);
	made_open(&made);
	for (i = 0; i < 12; i++)
		many[i] = made.descriptor;
	greet(&f, &hello, sizeof(hello) - 1, many, 1);
	greet(&f, &hello, sizeof(hello), many, 0);
	greet(&f, &hello, sizeof(hello), many, 2);
	greet(&f, &hello, sizeof(hello), many, 12);
	hello.version = 9;
	greet(&f, &hello, sizeof(hello), many, 1);
	hello.magic = 0;
	greet(&f, &hello, sizeof(hello), many, 1);
	close(connect_peer(&f)); /* disconnects without a word */
	step_until_refused(&f, 7);
	CHECK_EQUAL(f.stats.nr_segments, 1);
	made_close(&made);
	close_fixture(&f);
}

/* Silent peers do not delay other peers forever. */
static void test_silent_peers(void)
{
	struct made_segment made;
	struct fixture f;
	int silent[70];
	size_t i;

	open_fixture(&f);
	for (i = 0; i < 70; i++)
		silent[i] = connect_peer(&f);
	made_open(&made);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	/* Six silent peers stand before it in the queue: seven must have been refused. */
	CHECK(f.stats.nr_refused >= 7);
	for (i = 0; i < 70; i++)
		close(silent[i]);
	made_close(&made);
	close_fixture(&f);
}

/* P-17: a segment that was taken cannot be taken by another engine at the same time. */
static void test_twice(void)
{
	struct made_segment made;
	struct fixture f;

	open_fixture(&f);
	made_open(&made);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	hand_over(&f, made.descriptor);
	step_until_refused(&f, 1);
	CHECK(strstr(f.stats.refusal, "another recording has its memory") != NULL);
	made_close(&made);
	close_fixture(&f);
}

/* More peers than are accepted at a time; their descriptors are closed in the end. */
static void test_bound(void)
{
	struct made_segment made;
	struct fixture f;
	size_t nr_at_first = count_descriptors(), nr_before;
	int i;

	open_fixture(&f);
	nr_before = count_descriptors();
	for (i = 0; i < 300; i++) {
		made_open(&made);
		hand_over(&f, made.descriptor);
		step(&f);
		made_close(&made);
	}
	step_until_refused(&f, 300 - 255);
	CHECK_EQUAL(f.stats.nr_segments, 256);
	CHECK(strstr(f.stats.refusal, "too many segments") != NULL);
	CHECK(count_descriptors() <= nr_before + 255 + 1); /* and the descriptor of the process */
	close_fixture(&f);
	CHECK_EQUAL(count_descriptors(), nr_at_first);
}

static void add_site(struct made_segment *made, uint32_t id, const char *file)
{
	static uint32_t at = 8;

	made->sites[id].file = at;
	made->sites[id].line = id;
	at = made_name(made, at, file);
	ctp_store_release(&made->sites[id].ready, CTP_SITE_SOURCE);
	if (made->header->sites_used <= id)
		ctp_store_relaxed(&made->header->sites_used, id + 1);
}

/* The process of the segment that was attached last. */
static uint64_t last_pid(const struct fixture *f)
{
	const struct ct_definition *segment = NULL, *process = NULL;
	size_t i = 0;

	while (keep_find(&f->keep, CT_DEFINE_SEGMENT, i))
		segment = keep_find(&f->keep, CT_DEFINE_SEGMENT, i++);
	for (i = 0; segment && (process = keep_find(&f->keep, CT_DEFINE_PROCESS, i)); i++)
		if (process->process.process == segment->segment.process)
			return process->process.pid;
	return 0;
}

/* The kernel says that the peer is the engine itself, as gVisor says of all: the segment says which process it is. */
static void test_peer_that_seems_the_engine(void)
{
	struct made_segment made;
	struct fixture f;

	open_fixture(&f);
	made_open(&made);
	made.header->pid = (uint64_t)f.stats.target_pid;
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	CHECK_EQUAL(last_pid(&f), f.stats.target_pid);
	made_close(&made);
	made_open(&made);
	made.header->pid = UINT64_MAX; /* no process has this id */
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 3);
	CHECK_EQUAL(last_pid(&f), getpid());
	made_close(&made);
	close_fixture(&f);
}

static size_t count_sites(const struct fixture *f)
{
	size_t count = 0;

	while (keep_find(&f->keep, CT_DEFINE_SITE, count))
		count++;
	return count;
}

/* A peer with one ring, attached by the engine. */
static void open_with_ring(struct fixture *f, struct made_segment *made)
{
	open_fixture(f);
	made_open(made);
	made_claim(made, 0, 99);
	hand_over(f, made->descriptor);
	step_until_attached(f, 2);
}

/* P-40. A site that has a number but is not ready does not delay later sites. */
static void test_sites_out_of_order(void)
{
	struct made_segment made;
	struct fixture f;
	size_t nr_sites;

	open_with_ring(&f, &made);
	nr_sites = count_sites(&f);
	add_site(&made, 2, "two.c");
	made_emit(&made, 0, 0, 2, CTP_KIND_RESUME, 0);
	step(&f);
	CHECK_EQUAL(count_sites(&f), nr_sites + 1);
	add_site(&made, 1, "one.c");
	add_site(&made, 200, "two hundred.c");
	made_emit(&made, 0, 0, 1, CTP_KIND_RESUME, 0);
	made_emit(&made, 0, 0, 200, CTP_KIND_RESUME, 0);
	step(&f);
	CHECK_EQUAL(count_sites(&f), nr_sites + 3);
	CHECK_TEXT(keep_find(&f.keep, CT_DEFINE_SITE, nr_sites + 1)->site.file, "one.c");
	/* Impossible offsets: no name, and no harm. */
	made.sites[3].file = UINT32_MAX;
	made.sites[3].function = MADE_NAME_BYTES - 2;
	ctp_store_release(&made.sites[3].ready, CTP_SITE_SOURCE);
	made_emit(&made, 0, 0, 3, CTP_KIND_RESUME, 0);
	step(&f);
	CHECK_EQUAL(count_sites(&f), nr_sites + 4);
	CHECK_TEXT(keep_find(&f.keep, CT_DEFINE_SITE, nr_sites + 3)->site.file, "");
	made_close(&made);
	close_fixture(&f);
}

static size_t count_stacks(const struct fixture *f, uint32_t caller)
{
	const struct ct_definition *definition;
	size_t count = 0, i;

	for (i = 0; (definition = keep_find(&f->keep, CT_DEFINE_STACK, i)); i++)
		count += definition->stack.caller == caller;
	return count;
}

/*
 * P-45. Callers are defined in order, whenever each becomes ready; only in source sites does the number name a caller.
 */
static void test_callers(void)
{
	struct made_segment made;
	struct fixture f;
	size_t nr_sites;

	open_with_ring(&f, &made);
	nr_sites = count_sites(&f);
	made.sites[70].address = 3;
	add_site(&made, 70, "inner.c");
	made_emit(&made, 0, 0, 0, CTP_KIND_RESUME, 0);
	step(&f);
	CHECK_EQUAL(count_sites(&f), nr_sites);
	add_site(&made, 3, "outer.c");
	made.sites[71].address = 3;
	ctp_store_relaxed(&made.header->sites_used, 72);
	ctp_store_release(&made.sites[71].ready, 200); /* a kind of a later version */
	made_emit(&made, 0, 0, 70, CTP_KIND_RESUME, 0);
	step(&f);
	CHECK_EQUAL(count_sites(&f), nr_sites + 3);
	CHECK_TEXT(keep_find(&f.keep, CT_DEFINE_SITE, nr_sites)->site.file, "outer.c");
	CHECK_EQUAL(keep_find(&f.keep, CT_DEFINE_SITE, nr_sites + 1)->site.address, 0);
	CHECK_EQUAL(keep_find(&f.keep, CT_DEFINE_SITE, nr_sites + 2)->site.address, 3);
	CHECK_EQUAL(count_stacks(&f, 3), 1);
	made_close(&made);
	close_fixture(&f);
}

/* P-25, P-27, P-28. emitted = read + lost, each loss once: reported in the stream or defined, never both. */
static void test_losses(void)
{
	struct made_segment made;
	struct fixture f;
	int i;

	open_fixture(&f);
	made_open(&made);
	made_claim(&made, 0, 99);
	made_claim(&made, 1, 98);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	made.rings[0].dropped = 50; /* reported in the stream, except 20 */
	made_emit(&made, 0, 30, 0, CTP_KIND_LOST, CTP_LOSS_FULL);
	made.rings[1].dropped = 7; /* never reported */
	made.rings[0].nested = 3;
	made.header->untraced_events = 11;
	made.header->sites_refused = 2;
	for (i = 0; i < 200 && keep_count_lost(&f.keep, CTP_LOSS_NESTED) == 0; i++)
		step(&f);
	CHECK_EQUAL(f.stats.nr_lost, 30 + 3 + 11);
	CHECK_EQUAL(f.stats.nr_sites_refused, 2);
	made.rings[0].nested = 4;
	made.rings[1].nested = 5;
	made.header->untraced_events = 12;
	for (i = 0; i < 200 && keep_count_lost(&f.keep, CTP_LOSS_NESTED) < 9; i++)
		step(&f);
	collect_signal(f.collect, SIGKILL, false, NULL);
	while (collect_step(f.collect, 100, NULL) == CT_OK)
		;
	CHECK_EQUAL(keep_count_lost(&f.keep, CTP_LOSS_FULL), 20 + 7);
	CHECK_EQUAL(keep_count_lost(&f.keep, CTP_LOSS_NESTED), 4 + 5);
	CHECK_EQUAL(keep_count_lost(&f.keep, CTP_LOSS_NO_RING), 12);
	collect_stats(f.collect, &f.stats);
	CHECK_EQUAL(f.stats.nr_lost, 50 + 7 + 9 + 12);
	CHECK_EQUAL(
		/* the record of the loss is not an event */
		f.stats.nr_events + 1, f.keep.records.count);
	made_close(&made);
	close_fixture(&f);
}

static struct made_segment *losing;
static uint64_t lost_ns;

static enum ct_status put_and_lose(
	struct ct_sink *sink, const struct ct_batch *batch, struct ct_error *reterr)
{
	/* The engine's own records about threads come after losses were settled. */
	if (CTP_TAIL_KIND(batch->records[0].tail) == CTP_KIND_RESUME) {
		losing->rings[0].nested++;
		lost_ns = clock_monotonic_ns();
	}
	return keep_put(sink, batch, reterr);
}

/* Events lost while the engine empties rings are within the reported interval. */
static void test_loss_meanwhile(void)
{
	static const struct ct_sink_ops ops = {put_and_lose, keep_define, keep_flush, keep_close};
	const struct ct_definition *loss = NULL;
	struct made_segment made;
	struct fixture f;

	open_with_ring(&f, &made);
	losing = &made;
	f.keep.sink.ops = &ops;
	while (!loss) {
		made_emit(&made, 0, 1, 0, CTP_KIND_RESUME, 0);
		step(&f);
		loss = keep_find(&f.keep, CT_DEFINE_LOSS, 0);
	}
	f.keep.sink.ops = &keep_ops;
	CHECK(loss->loss.last_monotonic_ns >= lost_ns);
	CHECK(loss->loss.first_monotonic_ns < lost_ns);
	made_close(&made);
	close_fixture(&f);
}

/* Returns once the engine has counted losses again. */
static void step_until_settled(struct fixture *f, struct made_segment *made)
{
	uint64_t nr_nested = ++made->rings[0].nested;

	while (keep_count_lost(&f->keep, CTP_LOSS_NESTED) < nr_nested)
		step(f);
}

/* The loss that no record has reported, when the ring is given up. */
static const struct ct_define_loss *finish_with_gap(struct fixture *f)
{
	const struct ct_definition *loss;
	size_t i;

	collect_signal(f->collect, SIGKILL, false, NULL);
	while (collect_step(f->collect, 100, NULL) == CT_OK)
		;
	for (i = 0; (loss = keep_find(&f->keep, CT_DEFINE_LOSS, i)); i++)
		if (loss->loss.reason == CTP_LOSS_FULL)
			return &loss->loss;
	abort();
}

/* A record that reports a part of a gap may have waited in the ring: the rest may have begun with the gap. */
static void test_gap_that_shrinks(void)
{
	const struct ct_define_loss *loss;
	struct made_segment made;
	struct fixture f;
	uint64_t began_ns;

	open_with_ring(&f, &made);
	made.rings[0].dropped = 10;
	began_ns = clock_monotonic_ns();
	step_until_settled(&f, &made);
	step_until_settled(&f, &made);
	made_emit(&made, 0, 4, 0, CTP_KIND_LOST, CTP_LOSS_FULL);
	step_until_settled(&f, &made);
	loss = finish_with_gap(&f);
	CHECK_EQUAL(loss->count, 6);
	CHECK(loss->first_monotonic_ns < began_ns);
	made_close(&made);
	close_fixture(&f);
}

/* A new gap of the same size as the one that was reported meanwhile lasts longer. */
static void test_gap_of_equal_size(void)
{
	const struct ct_define_loss *loss;
	struct made_segment made;
	struct fixture f;
	uint64_t dropped_ns;

	open_with_ring(&f, &made);
	made.rings[0].dropped = 10;
	step_until_settled(&f, &made);
	made_emit(&made, 0, 10, 0, CTP_KIND_LOST, CTP_LOSS_FULL);
	made.rings[0].dropped = 20;
	dropped_ns = clock_monotonic_ns();
	step_until_settled(&f, &made);
	loss = finish_with_gap(&f);
	CHECK_EQUAL(loss->count, 10);
	CHECK(loss->last_monotonic_ns >= dropped_ns);
	made_close(&made);
	close_fixture(&f);
}

static void expect_note(const struct fixture *f, size_t index, const char *words, uint64_t count)
{
	const struct ct_definition *note = keep_find(&f->keep, CT_DEFINE_NOTE, index);

	CHECK(note && strstr(note->note.text, words));
	CHECK_EQUAL(note ? note->note.count : 0, count);
}

/* Notes about missing data stand in the trace before its end, and equal the messages. */
static void test_notes(void)
{
	const struct ct_note *notes;
	struct made_segment made;
	struct fixture f;
	uint32_t nr_notes;

	open_fixture(&f);
	CHECK(collect_notes(f.collect, &nr_notes) && nr_notes == 0);
	made_open(&made);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	made.header->sites_refused = 12;
	expect_refusal(&f, make_memory(0, 1 << 20), "sealed");
	expect_refusal(&f, make_memory(MFD_ALLOW_SEALING, 100), "100 bytes");
	finish(&f);
	expect_note(&f, 0, "turned away", 2);
	expect_note(&f, 0, "100 bytes", 2);
	expect_note(&f, 1, "no room for a further site", 12);
	CHECK(!keep_find(&f.keep, CT_DEFINE_NOTE, 2));
	CHECK_EQUAL(f.keep.definitions.at[f.keep.definitions.count - 1].type, CT_DEFINE_END);
	notes = collect_notes(f.collect, &nr_notes);
	CHECK_EQUAL(nr_notes, 2);
	CHECK(strstr(notes[1].text, "no room for a further site") && notes[1].count == 12);
	made_close(&made);
	collect_close(f.collect);
	keep_fini(&f.keep);
}

static uint64_t random_word(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Values that hostile peers like to write. */
static uint64_t wild_word(uint64_t *state)
{
	static const uint64_t favourites[] = {0, 1, 63, 255, 4095, 65536, UINT32_MAX,
		UINT64_C(1) << 32, UINT64_C(1) << 63, UINT64_MAX};
	uint64_t random = random_word(state);

	if (random % 3)
		return favourites[random / 3 % (sizeof(favourites) / sizeof(favourites[0]))];
	return random_word(state) >> (random / 3 % 64);
}

/* P-1, P-4. Memory that changes at random after it was accepted, above all header, rings and sites. */
static void test_memory_gone_mad(void)
{
	const size_t interesting = made_bytes() - (size_t)(MADE_CHUNKS - 1) * CTP_CHUNK_BYTES;
	struct made_segment made;
	uint64_t state = 0x9e3779b97f4a7c15;
	struct fixture f;
	int i;
	int k;

	open_fixture(&f);
	made_open(&made);
	made_claim(&made, 0, 99);
	made_claim(&made, 1, 98);
	hand_over(&f, made.descriptor);
	step_until_attached(&f, 2);
	f.keep.is_order_ignored = true; /* it uses sites that it never interned */
	for (i = 0; i < 300; i++) {
		for (k = 0; k < 50; k++) {
			uint64_t word = wild_word(&state);

			memcpy(made.base + random_word(&state) % interesting / 8 * 8, &word,
				sizeof(word));
		}
		made.rings[0].head = made.rings[0].tail + random_word(&state) % 5000;
		step(&f);
	}
	CHECK(f.stats.nr_events > f.nr_before);
	made_close(&made);
	close_fixture(&f);
}

int main(int argc, char **argv)
{
	if (argc < 2)
		SKIP("the target's path is the first argument");
	target = argv[1];
	test_wrong_memory();
	test_seal_is_added();
	test_wrong_greetings();
	test_silent_peers();
	test_twice();
	test_bound();
	test_peer_that_seems_the_engine();
	test_sites_out_of_order();
	test_callers();
	test_losses();
	test_loss_meanwhile();
	test_gap_that_shrinks();
	test_gap_of_equal_size();
	test_notes();
	test_memory_gone_mad();
	return check_result();
}
