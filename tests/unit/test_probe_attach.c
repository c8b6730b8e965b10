/* SPDX-License-Identifier: MIT */
/*
 * Attaching: what the engine gets in the segment, and all the ways in which a program stays untraced without noticing.
 * Protocol rules P-5, P-10, P-11, P-12, P-41, P-50.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "corotracer/ctp_flight.h"
#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

static void no_environment(void)
{
	struct reader reader;

	unsetenv(CTP_ENVIRONMENT);
	setenv(CTP_ATTACH_ENVIRONMENT, "0", 1);
	errno = 7;
	CHECK(!ctp_attach());
	CHECK_EQUAL(errno, 7);
	CHECK(!ctp_is_attached());
	CHECK_EQUAL(ctp_coro_new(), 0);
	CHECK_EQUAL(CTP_SITE("nowhere"), 0);
	CHECK_EQUAL(ctp_site_address((void *)&no_environment, CTP_SITE_FUNCTION), 0);
	ctp_emit(1, 2, CTP_TAIL(0, CTP_KIND_WAKE, 0, 0));
	ctp_detach();
	CHECK_EQUAL(errno, 7);
	CHECK(!reader_take(&reader));
}

static void no_engine(void)
{
	setenv(CTP_ENVIRONMENT, "corotracer-nobody-listens-here", 1);
	setenv(CTP_ATTACH_ENVIRONMENT, "0", 1);
	errno = 7;
	CHECK(!ctp_attach());
	CHECK_EQUAL(errno, 7);
	CHECK(!ctp_is_attached());
	/*
	 * Nothing is left behind: the next descriptor above the probe's floor is free, and the page of orders wants no
	 * events.
	 */
	CHECK(fcntl(200, F_GETFD) == -1);
	CHECK_EQUAL(ctp_orders_page.orders.wanted, 0);
}

static void check_header(const struct reader *reader)
{
	const struct ctp_header *header = reader->header;
	uint64_t end = header->chunk_offset + (uint64_t)header->chunk_max * CTP_CHUNK_BYTES;
	uint8_t none[16] = {0};

	CHECK(header->magic == CTP_MAGIC);
	CHECK_EQUAL(header->version, CTP_VERSION);
	CHECK_EQUAL(header->header_bytes, sizeof(struct ctp_header));
	CHECK_EQUAL(header->features_incompatible, 0);
	CHECK_EQUAL(header->segment_bytes, reader->bytes);
	CHECK_EQUAL(header->ring_max, CTP_RING_MAX);
	CHECK_EQUAL(header->site_max, CTP_SITE_MAX);
	CHECK(header->orders_offset >= sizeof(*header));
	CHECK(header->ring_offset >= header->orders_offset + sizeof(struct ctp_orders));
	CHECK(header->site_offset >= header->ring_offset + CTP_RING_MAX * CTP_RING_STRIDE);
	CHECK(header->name_offset >= header->site_offset + CTP_SITE_MAX * sizeof(struct ctp_site));
	CHECK(header->chunk_offset >= header->name_offset + header->name_bytes);
	CHECK_EQUAL(header->chunk_offset % CTP_CHUNK_BYTES, 0);
	CHECK(end <= reader->bytes);
	CHECK_EQUAL(header->pid, getpid());
	CHECK_EQUAL(header->state, CTP_SEGMENT_LIVE);
	CHECK(header->clock == CTP_CLOCK_COUNTER || header->clock == CTP_CLOCK_MONOTONIC);
	CHECK(header->clock_counter != 0 && header->clock_monotonic_ns != 0);
	CHECK(header->clock_realtime_ns > UINT64_C(1500000000000000000));
	CHECK(memcmp(header->identity, none, sizeof(none)) != 0);
}

static void check_memfd(const struct reader *reader)
{
	int seals = fcntl(reader->descriptor, F_GET_SEALS);

	CHECK(seals & F_SEAL_SHRINK);
	CHECK(seals & F_SEAL_GROW);
	CHECK(seals & F_SEAL_SEAL);
	CHECK(ftruncate(reader->descriptor, 0) == -1);
	/* The probe's own descriptor has a high number, and is closed in programs that the process executes. */
	CHECK(fcntl(200, F_GETFD) == FD_CLOEXEC);
}

static void count_record(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	(void)ring;
	(void)position;
	if (CTP_TAIL_KIND(record.tail) == CTP_KIND_WAKE)
		++*(unsigned *)context;
}

/*
 * P-16, P-18: before events are wanted the probe writes nothing but gives out ids; events begin when the reader wants
 * them.
 */
static void waits(void)
{
	struct reader reader = {.descriptor = 200};
	unsigned seen = 0, i;

	unsetenv(CTP_ENVIRONMENT);
	errno = 7;
	CHECK(!ctp_attach());
	CHECK(!ctp_is_attached() && ctp_attachment() == 0);
	CHECK_EQUAL(errno, 7);
	CHECK_EQUAL(ctp_coro_new(), 1);
	ctp_wake(1, 1, CTP_SITE("unwanted"), CTP_OUTCOME_QUEUED);
	reader_map(&reader);
	check_memfd(&reader);
	check_header(&reader);
	CHECK_EQUAL(reader.header->rings_used, 0);
	CHECK_EQUAL(reader.header->sites_used, 1);
	for (i = 1; i <= 2; i++) {
		ctp_store_relaxed(&reader.orders->wanted, i << CTP_WANTED_BITS | CTP_WANTED_ENGINE);
		CHECK(ctp_is_attached() && ctp_attachment() != 0);
		ctp_wake(1, 1, CTP_SITE("wanted"), CTP_OUTCOME_QUEUED);
		ctp_store_relaxed(&reader.orders->wanted, 0);
		ctp_wake(1, 1, CTP_SITE("wanted"), CTP_OUTCOME_QUEUED);
	}
	reader_drain_all(&reader, count_record, &seen);
	CHECK_EQUAL(seen, 2);
	CHECK_EQUAL(ctp_coro_new(), 2);
	/* The waiting segment gives way to what the program asks for later; ids go on. */
	CHECK(ctp_record_flight(NULL, 0));
	CHECK_EQUAL(ctp_coro_new(), 3);
}

/* P-16: where the address space is limited, the probe does not reserve any for waiting. */
static void does_not_wait(void)
{
	struct rlimit limit = {UINT64_C(1) << 40, RLIM_INFINITY};

	unsetenv(CTP_ENVIRONMENT);
	CHECK(!ctp_attach_as(CTP_ROLE_LEDGER));
	CHECK(fcntl(200, F_GETFD) == -1);
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	CHECK(!ctp_attach());
	CHECK(fcntl(200, F_GETFD) == -1);
	CHECK_EQUAL(ctp_coro_new(), 0);
}

static void name_too_long(void)
{
	char name[300];

	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	setenv(CTP_ENVIRONMENT, name, 1);
	CHECK(!ctp_attach());
	setenv(CTP_ENVIRONMENT, "", 1);
	CHECK(!ctp_attach());
}

#define OTHER_USER 12345

/*
 * An engine that runs as another user and must not get this program's memory. Its exit status says whether it got
 * anything.
 */
static void listen_as_other_user(int ready, int asked)
{
	struct reader reader;
	char byte;

	if (setresgid(OTHER_USER, OTHER_USER, OTHER_USER) ||
		setresuid(OTHER_USER, OTHER_USER, OTHER_USER))
		_exit(2);
	reader_listen();
	CHECK(write(ready, getenv(CTP_ENVIRONMENT), strlen(getenv(CTP_ENVIRONMENT))) > 0);
	CHECK(read(asked, &byte, 1) == 1);
	_exit(reader_take(&reader) || check_failures);
}

/* P-12, seen from the program. */
static void engine_of_another_user(void)
{
	int ready[2], asked[2], status;
	char name[64] = "";
	pid_t engine;

	CHECK(pipe(ready) == 0 && pipe(asked) == 0);
	engine = fork();
	if (engine == 0)
		listen_as_other_user(ready[1], asked[0]);
	CHECK(read(ready[0], name, sizeof(name) - 1) > 0);
	setenv(CTP_ENVIRONMENT, name, 1);
	errno = 7;
	CHECK(!ctp_attach());
	CHECK_EQUAL(errno, 7);
	CHECK(write(asked[1], "", 1) == 1);
	CHECK(waitpid(engine, &status, 0) == engine && status == 0);
}

static void layout(void)
{
	int lowest = dup(STDIN_FILENO), after;
	struct reader reader;

	close(lowest);
	errno = 7;
	CHECK(ctp_attach());
	CHECK_EQUAL(errno, 7);
	CHECK(ctp_is_attached());
	/* The program's own descriptors keep their numbers. */
	after = dup(STDIN_FILENO);
	CHECK_EQUAL(after, lowest);
	close(after);
	CHECK(reader_take(&reader));
	CHECK(reader.hello.magic == CTP_MAGIC);
	CHECK_EQUAL(reader.hello.version, CTP_VERSION);
	CHECK_EQUAL(reader.hello.role, CTP_ROLE_PROBE);
	CHECK_EQUAL(reader.header->role, CTP_ROLE_PROBE);
	check_header(&reader);
	check_memfd(&reader);
	CHECK_EQUAL(reader.header->rings_used, 0);
}

static void twice(void)
{
	struct reader reader;

	CHECK(ctp_attach_as(CTP_ROLE_LEDGER));
	CHECK(ctp_attach());
	CHECK(reader_take(&reader));
	CHECK_EQUAL(reader.hello.role, CTP_ROLE_LEDGER);
	CHECK(!reader_take(&reader));
}

static void detach_and_attach(void)
{
	struct reader first, second;
	unsigned seen_first = 0, seen_second = 0;
	uint64_t ids[2];
	uint32_t site = 0;
	int round;

	CHECK(ctp_attach() && reader_take(&first));
	for (round = 0; round < 2; round++) {
		site = CTP_SITE("both");
		ids[round] = ctp_coro_new();
		ctp_wake(ids[round], 1, site, CTP_OUTCOME_QUEUED);
		if (round == 0) {
			ctp_detach();
			ctp_wake(1, 1, site, CTP_OUTCOME_QUEUED);
			CHECK_EQUAL(first.header->state, CTP_SEGMENT_CLOSED);
			CHECK(ctp_attach() && reader_take(&second));
		}
	}
	reader_drain_all(&first, count_record, &seen_first);
	reader_drain_all(&second, count_record, &seen_second);
	CHECK_EQUAL(seen_first, 1);
	CHECK_EQUAL(seen_second, 1);
	CHECK(memcmp(first.header->identity, second.header->identity, 16) != 0);
	/* The site was interned once, in the first segment, and the second segment knows it, too. */
	CHECK(site != 0 && reader_site(&second, site));
	CHECK_TEXT(reader_text(&second, reader_site(&second, site)->reason), "both");
	CHECK(ids[0] != 0 && ids[1] != 0 && ids[0] != ids[1]);
	CHECK(second.header->ids_used >= first.header->ids_used);
}

/* Without the probe's care SIGXFSZ would end the child, which in_child would report. */
static void file_size_limit(rlim_t bytes)
{
	struct rlimit limit = {bytes, RLIM_INFINITY};

	CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
}

static void file_size_tiny(void)
{
	struct reader reader;

	file_size_limit(4096);
	CHECK(!ctp_attach());
	file_size_limit(30 << 20);
	CHECK(!ctp_attach());
	CHECK(!reader_take(&reader));
}

static void file_size_small(void)
{
	struct reader reader;
	unsigned seen = 0, i;

	file_size_limit(64 << 20);
	CHECK(ctp_attach() && reader_take(&reader));
	check_header(&reader);
	CHECK(reader.bytes <= 64 << 20);
	for (i = 0; i < 5000; i++)
		ctp_wake(0, i, 0, CTP_OUTCOME_QUEUED);
	reader_drain_all(&reader, count_record, &seen);
	CHECK_EQUAL(seen, 5000);
}

static void address_space_small(void)
{
	struct rlimit limit = {600 << 20, RLIM_INFINITY};
	struct reader reader;

	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	if (mmap(NULL, UINT64_C(700) << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		MAP_FAILED) {
		fprintf(stderr, "not tried: little address space, for an emulator gives more\n");
		return;
	}
	CHECK(ctp_attach());
	limit.rlim_cur = RLIM_INFINITY;
	CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
	CHECK(reader_take(&reader));
	check_header(&reader);
	CHECK(reader.header->chunk_max < CTP_CHUNK_MAX);
}

static void no_descriptors(void)
{
	struct rlimit limit = {3, 3};
	struct reader reader;

	CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	CHECK(!ctp_attach());
	CHECK(!ctp_is_attached());
	CHECK(!reader_take(&reader));
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(layout), 0);
	CHECK_EQUAL(in_child(no_environment), 0);
	CHECK_EQUAL(in_child(no_engine), 0);
	CHECK_EQUAL(in_child(waits), 0);
	if (!IS_SANITIZED)
		CHECK_EQUAL(in_child(does_not_wait), 0);
	CHECK_EQUAL(in_child(name_too_long), 0);
	CHECK_EQUAL(in_child(twice), 0);
	if (geteuid() == 0)
		CHECK_EQUAL(in_child(engine_of_another_user), 0);
	else
		fprintf(stderr,
			"not tried: another user's engine, which needs to be the superuser\n");
	CHECK_EQUAL(in_child(detach_and_attach), 0);
	CHECK_EQUAL(in_child(file_size_tiny), 0);
	CHECK_EQUAL(in_child(file_size_small), 0);
	if (!IS_SANITIZED) /* those need the address space for themselves */
		CHECK_EQUAL(in_child(address_space_small), 0);
	CHECK_EQUAL(in_child(no_descriptors), 0);
	return check_result();
}
