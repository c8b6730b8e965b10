/* SPDX-License-Identifier: MIT */
/*
 * Child processes of a traced process: however a child was made, it writes nothing into its parent's rings; it may
 * attach again, and what it interned before stays valid. Protocol rule P-14. Also what the kernel may refuse on the
 * way: the page that is wiped on fork, and memory for a chunk.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "corotracer/ctp_probe.h"
#include "probe_reader.h"

#define TEST_KIND CTP_KIND_COUNTER

static void emit_numbered(uint64_t number)
{
	ctp_emit(number, ~number, CTP_TAIL((uint32_t)number, TEST_KIND, number, number >> 8));
}

struct tally {
	uint64_t numbered;
	uint64_t torn;
	uint64_t out_of_order;
	uint64_t next;
	uint64_t starts;
	uint64_t last_tid;
	uint32_t last_site;
};

static void tally_record(void *context, uint32_t ring, uint64_t position, struct ctp_record record)
{
	struct tally *tally = context;
	uint64_t number = record.coro;

	(void)ring;
	(void)position;
	tally->last_site = CTP_TAIL_SITE(record.tail);
	if (CTP_TAIL_KIND(record.tail) == CTP_KIND_THREAD_START) {
		tally->starts++;
		tally->last_tid = record.object;
	}
	if (CTP_TAIL_KIND(record.tail) != TEST_KIND)
		return;
	tally->torn += record.object != ~number ||
		       record.tail != CTP_TAIL((uint32_t)number, TEST_KIND, number, number >> 8);
	tally->out_of_order += number != tally->next;
	tally->next = number + 1;
	tally->numbered++;
}

static void attach(struct reader *reader)
{
	CHECK(ctp_attach());
	CHECK(reader_take(reader));
}

static int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static pid_t make_by_fork(void)
{
	return fork();
}

static pid_t make_by_system_call(void)
{
	return (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL);
}

#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 34)
static pid_t make_by_bare_fork(void)
{
	return _Fork();
}
#else
#define make_by_bare_fork make_by_system_call
#endif

static void child_is_detached(pid_t (*make)(void))
{
	struct tally tally = {0};
	struct reader reader;
	pid_t child;
	uint64_t i;

	attach(&reader);
	for (i = 0; i < 10; i++)
		emit_numbered(i);
	child = make();
	if (child == 0) {
		bool is_attached = ctp_is_attached();

		for (i = 0; i < 3 * CTP_CHUNK_RECORDS; i++)
			emit_numbered(1000000 + i);
		_exit(is_attached || ctp_coro_new() != 0);
	}
	CHECK_EQUAL(status_of(child), 0);
	CHECK(ctp_is_attached());
	for (i = 10; i < 20; i++)
		emit_numbered(i);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, 20);
	CHECK_EQUAL(tally.torn + tally.out_of_order, 0);
	CHECK_EQUAL(reader.header->rings_used, 1);
	CHECK_EQUAL(reader_ring(&reader, 0)->nested + reader_ring(&reader, 0)->dropped, 0);
}

static void detached_after_fork(void)
{
	child_is_detached(make_by_fork);
}

static void detached_after_system_call(void)
{
	child_is_detached(make_by_system_call);
}

static void detached_after_bare_fork(void)
{
	child_is_detached(make_by_bare_fork);
}

/* What a child compares with, kept from before the fork. */
struct kept {
	uint32_t here;
	uint32_t address;
	uint64_t id;
};

static uint32_t site_here(void)
{
	return CTP_SITE("kept over fork");
}

static void keep(struct kept *kept)
{
	kept->here = site_here();
	kept->address = ctp_site_address((void *)&site_here, CTP_SITE_FUNCTION);
	kept->id = ctp_coro_new();
}

static int attached_child(const struct kept *kept, const struct reader *parent)
{
	struct ctp_header *old = ctp_process_state.header;
	struct tally tally = {0};
	struct reader reader;
	struct kept now;
	uint64_t i;

	check_failures = 0;
	CHECK(old->magic == CTP_MAGIC);
	attach(&reader);
	/* The parent's memory is out of the child's reach, at its old address, too. */
	CHECK(old->magic == 0);
	old->magic = 1;
	CHECK(parent->header->magic == CTP_MAGIC);
	CHECK_EQUAL(reader.header->pid, getpid());
	CHECK(reader.header->pid != parent->header->pid);
	CHECK(memcmp(reader.header->identity, parent->header->identity, 16) != 0);
	keep(&now);
	CHECK_EQUAL(now.here, kept->here);
	CHECK_EQUAL(now.address, kept->address);
	CHECK(now.id > kept->id);
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, now.here)->reason), "kept over fork");
	CHECK_TEXT(reader_text(&reader, reader_site(&reader, now.here)->function), "site_here");
	CHECK_EQUAL(reader_site(&reader, now.address)->address, (uintptr_t)&site_here);
	CHECK_EQUAL(CTP_SITE("new in the child"), parent->header->sites_used);
	for (i = 0; i < 3 * CTP_CHUNK_RECORDS; i++)
		emit_numbered(i);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, i);
	CHECK_EQUAL(tally.starts, 1);
	CHECK_EQUAL(tally.last_tid, getpid());
	CHECK_EQUAL(tally.torn + tally.out_of_order, 0);
	/* The parent's descriptor is closed in the child: the child's own descriptor took the same number. */
	CHECK_EQUAL(ctp_process_state.descriptor, 201);
	return check_failures != 0;
}

static void attach_in_child(void)
{
	struct tally tally = {0};
	struct reader reader;
	struct kept kept;
	pid_t child;
	uint64_t i;

	attach(&reader);
	keep(&kept);
	for (i = 0; i < 10; i++)
		emit_numbered(i);
	child = fork();
	if (child == 0)
		_exit(attached_child(&kept, &reader));
	CHECK_EQUAL(status_of(child), 0);
	emit_numbered(i);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, 11);
	CHECK_EQUAL(tally.out_of_order + tally.torn, 0);
}

static void *attach_thread(void *context)
{
	(void)context;
	return ctp_attach() ? context : NULL;
}

/* Another thread of the child attaches first: the forked thread must not go on in its parent's ring. */
static void attach_by_other_thread(void)
{
	struct tally tally = {0};
	struct reader reader;
	pid_t child;

	attach(&reader);
	emit_numbered(0);
	child = fork();
	if (child == 0) {
		struct reader own;
		pthread_t thread;
		void *result = NULL;

		check_failures = 0;
		CHECK(pthread_create(&thread, NULL, attach_thread, &own) == 0);
		pthread_join(thread, &result);
		CHECK(result == &own && reader_take(&own));
		emit_numbered(0);
		CHECK_EQUAL(reader_drain_all(&own, tally_record, &tally), 2);
		_exit(check_failures != 0);
	}
	CHECK_EQUAL(status_of(child), 0);
	emit_numbered(1);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, 2);
	CHECK_EQUAL(tally.starts, 1);
}

static int child_with_claimed_slots(void)
{
	struct reader reader;
	uint32_t id;

	check_failures = 0;
	attach(&reader);
	id = ctp_site_address((void *)&child_with_claimed_slots, CTP_SITE_FUNCTION);
	CHECK(id != 0);
	CHECK_EQUAL(ctp_site_address((void *)&child_with_claimed_slots, CTP_SITE_FUNCTION), id);
	return check_failures != 0;
}

/* A thread of the parent was about to fill a slot of the table of sites. That thread does not exist in the child. */
static void slots_claimed_at_fork(void)
{
	struct reader reader;
	unsigned i;
	pid_t child;

	attach(&reader);
	for (i = 0; i < CTP_SITE_SLOTS; i++)
		ctp_process_state.slots[i].claimed = 1;
	child = fork();
	if (child == 0)
		_exit(child_with_claimed_slots());
	CHECK_EQUAL(status_of(child), 0);
}

/* In each generation a process attaches, forks and ends. Descriptors do not pile up. */
static void generations(void)
{
	struct reader reader;
	unsigned generation;

	attach(&reader);
	emit_numbered(0);
	for (generation = 0; generation < 5; generation++) {
		pid_t child = fork();

		if (child != 0)
			_exit(status_of(child) != 0 || check_failures != 0);
		munmap(reader.header, reader.bytes);
		close(reader.descriptor);
		attach(&reader);
		emit_numbered(generation);
		CHECK_EQUAL(reader_ring(&reader, 0)->head, 2);
		CHECK(ctp_process_state.descriptor <= 201);
		CHECK_EQUAL(reader.header->ids_used % CTP_ID_BLOCK, 0);
	}
}

struct busy_thread {
	uint32_t is_done;
	uint64_t count;
};

static void *emit_until_done(void *context)
{
	struct busy_thread *busy = context;

	while (!ctp_load_acquire(&busy->is_done)) {
		emit_numbered(busy->count++);
		ctp_site_address(
			(void *)(uintptr_t)(0x1000 + busy->count % 4000), CTP_SITE_ADDRESS);
	}
	return NULL;
}

/* The test forks while another thread is anywhere within an event, or within a site. */
static void fork_beside_events(void)
{
	struct busy_thread busy = {0, 0};
	struct reader reader;
	struct ctp_ring *ring;
	pthread_t thread;
	unsigned round;

	attach(&reader);
	ring = reader_ring(&reader, 0);
	reader.orders->policy = CTP_POLICY_OVERWRITE_OLDEST;
	CHECK(pthread_create(&thread, NULL, emit_until_done, &busy) == 0);
	/* A thread that has not run yet has no ring. */
	while (!ctp_load_acquire(&ring->head))
		sched_yield();
	for (round = 0; round < 50; round++) {
		pid_t child = fork();

		if (child == 0) {
			struct reader own;

			check_failures = 0;
			attach(&own);
			CHECK(ctp_site_address((void *)&attach, CTP_SITE_FUNCTION) != 0);
			emit_numbered(0);
			CHECK_EQUAL(reader_ring(&own, 0)->head, 2);
			_exit(check_failures != 0);
		}
		CHECK_EQUAL(status_of(child), 0);
	}
	ctp_store_release(&busy.is_done, 1);
	pthread_join(thread, NULL);
	/* The ring has each event once: THREAD_START, the thread's events, THREAD_STOP. */
	CHECK_EQUAL(ring->head + ring->dropped, busy.count + 2);
}

extern char **environ;

static void spawned_children(void)
{
	struct tally tally = {0};
	char *arguments[] = {(char[]){"true"}, NULL};
	struct reader reader;
	pid_t child;
	uint64_t i;

	attach(&reader);
	for (i = 0; i < 50; i++) {
		emit_numbered(2 * i);
		if (i % 2 == 0) {
			CHECK(posix_spawnp(&child, "true", NULL, NULL, arguments, environ) == 0);
		} else {
			child = vfork();
			if (child == 0)
				_exit(0);
		}
		CHECK_EQUAL(status_of(child), 0);
		CHECK(ctp_is_attached());
		emit_numbered(2 * i + 1);
	}
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, 100);
	CHECK_EQUAL(tally.torn + tally.out_of_order, 0);
}

/* Emulators of a kernel may not know filters, and may accept advice without following it. */
static bool has_filters(void)
{
	return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

static bool is_advice_followed(void)
{
	char *page = mmap(
		NULL, CTP_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pid_t child;

	CHECK(page != MAP_FAILED && madvise(page, CTP_PAGE_BYTES, MADV_WIPEONFORK) == 0);
	page[0] = 1;
	child = make_by_system_call();
	if (child == 0)
		_exit(page[0]);
	return status_of(child) == 0;
}

/* From here on the kernel answers the advice `advice` with `error`. Returns false where no filter can be had. */
static bool refuse_advice(uint32_t advice, uint32_t error)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, advice, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static void kernel_does_not_wipe(void)
{
	CHECK(refuse_advice(MADV_WIPEONFORK, EINVAL));
	child_is_detached(make_by_fork);
}

/* This definition stands before the C library's, for the probe as well. */
static long page_bytes;
long __sysconf(int name);

long sysconf(int name)
{
	return name == _SC_PAGESIZE && page_bytes ? page_bytes : __sysconf(name);
}

/* P-15. Data of the program that shares a page with the gate must not be wiped by the kernel. */
static void pages_are_larger_than_the_gate(void)
{
	struct reader reader;
	pid_t child;

	page_bytes = 65536;
	child_is_detached(make_by_fork);
	ctp_detach();
	attach(&reader);
	CHECK_EQUAL(reader.header->features_compatible & CTP_FEATURE_WANTED, 0);
	ctp_store_relaxed(&reader.orders->wanted, 0);
	CHECK(ctp_is_attached());
	ctp_gate_page.rest_of_page[0] = 7;
	child = fork();
	if (child == 0)
		_exit(ctp_gate_page.rest_of_page[0]);
	CHECK_EQUAL(status_of(child), 7);
}

static void attach_where_kernel_does_not_wipe(void)
{
	CHECK(refuse_advice(MADV_WIPEONFORK, EINVAL));
	attach_in_child();
}

static void emit_without_populating(uint32_t error, uint64_t *ret_written, uint64_t *ret_dropped)
{
	struct tally tally = {0};
	struct reader reader;
	uint64_t i;

	CHECK(refuse_advice(23 /* MADV_POPULATE_WRITE */, error));
	attach(&reader);
	errno = 7;
	for (i = 0; i < 3 * CTP_CHUNK_RECORDS; i++)
		emit_numbered(i);
	CHECK_EQUAL(errno, 7);
	reader_drain_all(&reader, tally_record, &tally);
	CHECK(reader.header->chunks_used <= (error == EINVAL ? 4 : 1));
	*ret_written = tally.numbered;
	*ret_dropped = reader_ring(&reader, 0)->dropped;
}

static void kernel_does_not_populate(void)
{
	uint64_t written, dropped;

	emit_without_populating(EINVAL, &written, &dropped);
	CHECK_EQUAL(written, 3 * CTP_CHUNK_RECORDS);
	CHECK_EQUAL(dropped, 0);
}

static void kernel_has_no_memory(void)
{
	uint64_t written, dropped;

	emit_without_populating(ENOMEM, &written, &dropped);
	CHECK_EQUAL(written, 0);
	CHECK_EQUAL(dropped, 3 * CTP_CHUNK_RECORDS);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(detached_after_fork), 0);
	if (is_advice_followed()) {
		CHECK_EQUAL(in_child(detached_after_system_call), 0);
		CHECK_EQUAL(in_child(detached_after_bare_fork), 0);
	} else {
		fprintf(stderr, "not tried: a child made without the C library\n");
	}
	CHECK_EQUAL(in_child(attach_in_child), 0);
	CHECK_EQUAL(in_child(attach_by_other_thread), 0);
	CHECK_EQUAL(in_child(slots_claimed_at_fork), 0);
	CHECK_EQUAL(in_child(generations), 0);
	CHECK_EQUAL(in_child(fork_beside_events), 0);
	CHECK_EQUAL(in_child(spawned_children), 0);
	CHECK_EQUAL(in_child(pages_are_larger_than_the_gate), 0);
	if (has_filters()) {
		CHECK_EQUAL(in_child(kernel_does_not_wipe), 0);
		CHECK_EQUAL(in_child(attach_where_kernel_does_not_wipe), 0);
		CHECK_EQUAL(in_child(kernel_does_not_populate), 0);
		CHECK_EQUAL(in_child(kernel_has_no_memory), 0);
	} else {
		fprintf(stderr, "not tried: a kernel that refuses, for there are no filters\n");
	}
	return check_result();
}
