/* SPDX-License-Identifier: MIT */
/*
 * Interleaves the probe's own functions and the collector's, step by step: an event beside a harvest, if the ring is
 * full and if it overwrites; threads that claim and give back rings; several threads that intern one site at once.
 * Chunks hold four records, so that a few events are enough. Protocol rules P-21, P-22 and P-23 (events beside
 * harvest), P-25 (full ring), P-26 (overwriting, lapping), P-83 (sharing), P-24 (claims), P-40 (sites).
 */
#include "check.h"
#include "corotracer/ctp.h"
#include "schedule.h"

#undef CTP_CHUNK_BYTES
#define CTP_CHUNK_BYTES 128u

#include "one_ring.h"
#include "corotracer/ctp_probe_cold.h"

#define TEST_KIND CTP_KIND_COUNTER

/* One segment, restored to its first state before each schedule. */
static struct ctp_header *header;
static struct ctp_ring *rings;
static struct proto_layout layout;
static struct ctp_record scratch[CTP_CHUNK_RECORDS];
static struct ring_space space;
static struct ring_reader reader;

static void segment_make(void)
{
	void *memory = NULL;

	if (posix_memalign(&memory, CTP_MAP_ALIGNMENT, CTP_CHUNK_OFFSET + CTP_MAP_ALIGNMENT) != 0)
		exit(1);
	header = memory;
	memset(header, 0, CTP_CHUNK_OFFSET + CTP_MAP_ALIGNMENT);
	rings = ctp_ring_at(header, 0);
	layout.chunk_max = 64;
	layout.chunk_offset = CTP_CHUNK_OFFSET;
	space = (struct ring_space){&layout, header, scratch, NULL};
}

static void segment_reset(uint32_t policy, uint32_t budget)
{
	memset(header, 0, sizeof(*header));
	memset(ctp_orders_of(header), 0, sizeof(struct ctp_orders));
	memset(rings, 0, 4 * sizeof(*rings));
	header->sites_used = 1;
	header->names_used = CTP_NAME_HEAD;
	ctp_orders_of(header)->policy = policy;
	ctp_orders_of(header)->chunks_per_ring = budget;
	memset(&reader, 0, sizeof(reader));
	reader.shared = rings;
	reader.is_overwriting = policy == CTP_POLICY_OVERWRITE_OLDEST;
	memset(&ctp_thread_state, 0, sizeof(ctp_thread_state));
	ctp_process_state.header = header;
	ctp_process_state.chunk_max = layout.chunk_max;
	ctp_process_state.ring_max = CTP_RING_MAX;
	ctp_process_state.site_max = CTP_SITE_MAX;
	ctp_process_state.name_bytes = CTP_NAME_BYTES;
	ctp_process_state.rings_free = 0;
	ctp_process_state.has_thread_key = 0;
	ctp_orders_page.orders.wanted = CTP_WANTED_ENGINE;
	ctp_gate_page.pass = CTP_PASS(1, CTP_CLOCK_COUNTER);
}

/* Events and their harvest. */

static uint64_t emitted;
static uint64_t received;
static uint64_t expected_next;
static uint64_t nr_wrong;

static void emit_next(void)
{
	uint64_t number = emitted++;

	ctp_emit(number, ~number, CTP_TAIL((uint32_t)number, TEST_KIND, number, 0));
}

static void check_record(const struct ctp_record *record)
{
	uint64_t number = record->coro;

	if (CTP_TAIL_KIND(record->tail) != TEST_KIND) {
		nr_wrong += CTP_TAIL_KIND(record->tail) != CTP_KIND_LOST &&
			    CTP_TAIL_KIND(record->tail) != CTP_KIND_THREAD_START;
		return;
	}
	nr_wrong += record->object != ~number || number < expected_next ||
		    record->tail != CTP_TAIL((uint32_t)number, TEST_KIND, number, 0);
	expected_next = number + 1;
	received++;
}

static void harvest(void)
{
	collect_ring_drain(&reader, &space, &consumer);
}

static void harvest_twice(void)
{
	harvest();
	harvest();
}

static void events_reset(uint32_t policy, uint32_t budget, unsigned already)
{
	segment_reset(policy, budget);
	emitted = received = expected_next = nr_wrong = 0;
	while (emitted < already)
		emit_next();
}

static void emit_four(void)
{
	unsigned i;

	for (i = 0; i < 4; i++)
		emit_next();
}

static void emit_seven(void)
{
	unsigned i;

	for (i = 0; i < 7; i++)
		emit_next();
}

static void reset_roomy(void)
{
	events_reset(CTP_POLICY_DROP_NEWEST, 3, 2);
}

static void reset_full(void)
{
	events_reset(CTP_POLICY_DROP_NEWEST, 1, 2);
}

static void reset_overwriting(void)
{
	events_reset(CTP_POLICY_OVERWRITE_OLDEST, 2, 6);
}

/* One chunk: the producer laps the ring between any two steps of the harvest. */
static void reset_lapping(void)
{
	events_reset(CTP_POLICY_OVERWRITE_OLDEST, 1, 2);
}

/* Everything that was written was received, complete and in order, or was counted. */
static bool are_books_right(void)
{
	uint64_t dropped;

	harvest();
	dropped = rings->dropped;
	emit_next(); /* reports a gap, if there is room */
	harvest();
	return nr_wrong == 0 && reader.nr_corrupt == 0 && reader.tail == rings->head &&
	       received + rings->dropped == emitted &&
	       (dropped == rings->dropped ? reader.nr_told == dropped : true);
}

static bool is_overwriting_right(void)
{
	harvest();
	return nr_wrong == 0 && reader.nr_corrupt == 0 && rings->dropped == 0 &&
	       reader.tail == rings->head && expected_next == emitted &&
	       received + reader.nr_overwritten <= rings->head &&
	       received + reader.nr_overwritten + 1 >= rings->head; /* THREAD_START */
}

/* A chunk that passes from ring to ring while the first ring is harvested. */

static struct ctp_thread borrower;

/* Its records would be wrong in the first ring. */
static void borrow(void)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		if ((uintptr_t)borrower.cursor % CTP_CHUNK_BYTES != 0 || ctp_room_make(&borrower))
			ctp_publish(&borrower, 0, 0, 0, CTP_TAIL(0, TEST_KIND, 0, 0));
}

/* The first ring has all three chunks when the second ring comes: from then on its share is one chunk. */
static void reset_sharing(void)
{
	layout.chunk_max = 3;
	events_reset(CTP_POLICY_OVERWRITE_OLDEST, 0, 3 * CTP_CHUNK_RECORDS + 1);
	layout.chunk_max = 64;
	header->rings_used = 2;
	borrower = (struct ctp_thread){.header = header, .ring = &rings[1], .chunk_max = 3};
}

static bool is_sharing_right(void)
{
	uint64_t sequence = rings[1].assigned - 1, i;

	for (i = rings[0].reclaimed; rings[1].assigned && i < rings[0].assigned; i++)
		if (rings[0].chunk[i % CTP_RING_CHUNKS] ==
			rings[1].chunk[sequence % CTP_RING_CHUNKS])
			return false;
	return is_overwriting_right() && rings[1].nr_owned <= 1;
}

/* Rings that pass from thread to thread. */

static struct ctp_ring *claimed[SCHEDULE_ACTORS];

static void claim_as(unsigned actor)
{
	claimed[actor] = ctp_ring_claim(header, 100 + actor);
	if (claimed[actor])
		ctp_store_relaxed(&claimed[actor]->claims, claimed[actor]->claims + 1);
}

static void claim_first(void)
{
	claim_as(0);
}

static void claim_second(void)
{
	claim_as(1);
}

/* Releases its ring, and claims one again. */
static void claim_leave_and_claim(void)
{
	claim_as(2);
	ctp_store_release(&claimed[2]->owner, 0); /* P4 */
	__atomic_fetch_add(&ctp_process_state.rings_free, 1, __ATOMIC_RELEASE);
	claim_as(2);
}

static void reset_claims(void)
{
	segment_reset(CTP_POLICY_DROP_NEWEST, 0);
	memset(claimed, 0, sizeof(claimed));
	ctp_process_state.has_thread_key = 1;
}

static bool are_claims_right(void)
{
	unsigned i;

	for (i = 0; i < 3; i++)
		if (!claimed[i] || claimed[i]->owner != 100 + i ||
			claimed[i] == claimed[(i + 1) % 3])
			return false;
	/* The released ring was taken again, so three rings are enough, and none is free. */
	return header->rings_used == 3 && ctp_process_state.rings_free == 0;
}

/* Sites: two places with the same slot in the table, interned while a third actor looks them up. */

static const void *place_a;
static const void *place_b;
static uint64_t nr_found_wrong;

static void check_place(const void *place)
{
	uint32_t id = ctp_site_lookup(place, CTP_SITE_ADDRESS, NULL);

	if (id != 0)
		nr_found_wrong += ctp_site_at(header, id)->ready != CTP_SITE_ADDRESS ||
				  ctp_site_at(header, id)->address != (uintptr_t)place;
}

static void remember_a(void)
{
	ctp_site_address(place_a, CTP_SITE_ADDRESS);
	check_place(place_b);
}

static void remember_b(void)
{
	ctp_site_address(place_b, CTP_SITE_ADDRESS);
	check_place(place_a);
}

static void look_up_both(void)
{
	check_place(place_a);
	check_place(place_b);
}

static void reset_sites(void)
{
	uint32_t row = ctp_site_hash(place_a, CTP_SITE_ADDRESS, NULL), i;

	segment_reset(CTP_POLICY_DROP_NEWEST, 0);
	for (i = 0; i < CTP_SITE_PROBES; i++)
		ctp_process_state.slots[(row + i) % CTP_SITE_SLOTS] = (struct ctp_site_slot){0};
	memset(ctp_site_at(header, 0), 0, 8 * sizeof(struct ctp_site));
	nr_found_wrong = 0;
}

static bool are_sites_right(void)
{
	look_up_both();
	return nr_found_wrong == 0 && header->sites_refused == 0 &&
	       ctp_site_lookup(place_a, CTP_SITE_ADDRESS, NULL) != 0 &&
	       ctp_site_lookup(place_b, CTP_SITE_ADDRESS, NULL) != 0;
}

/* Two addresses that the table puts into the same slot. */
static void find_places(void)
{
	uintptr_t address = 0x1000;
	uint32_t row;

	place_a = (const void *)address;
	row = ctp_site_hash(place_a, CTP_SITE_ADDRESS, NULL) % CTP_SITE_SLOTS;
	do {
		place_b = (const void *)(address += 16);
	} while (ctp_site_hash(place_b, CTP_SITE_ADDRESS, NULL) % CTP_SITE_SLOTS != row);
}

static const struct schedule_case cases[] = {
	{"event beside harvest", 2, 3, {emit_four, harvest_twice}, reset_roomy, are_books_right},
	{"full ring", 2, 3, {emit_seven, harvest_twice}, reset_full, are_books_right},
	{"overwriting", 2, 3, {emit_four, harvest}, reset_overwriting, is_overwriting_right},
	{"lapping", 2, 3, {emit_four, harvest}, reset_lapping, is_overwriting_right},
	{"sharing", 3, 2, {emit_seven, harvest, borrow}, reset_sharing, is_sharing_right},
	{"claims", 3, 4, {claim_first, claim_second, claim_leave_and_claim}, reset_claims,
		are_claims_right},
	{"sites", 3, 3, {remember_a, remember_b, look_up_both}, reset_sites, are_sites_right},
};

int main(int argc, char **argv)
{
	uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
	unsigned i;

#if CTP_IS_THREAD_SANITIZED
	SKIP("the thread sanitizer does not follow contexts");
#endif
	segment_make();
	find_places();
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t tried = schedule_explore(&cases[i]);
		uint64_t drawn = schedule_random(&cases[i], 1, seeds);

		CHECK(tried > 100);
		CHECK(drawn == seeds);
		fprintf(stderr, "%s: %" PRIu64 " schedules, %" PRIu64 " at random\n", cases[i].name,
			tried, drawn);
	}
	return check_result();
}
