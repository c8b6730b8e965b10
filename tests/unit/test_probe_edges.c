/* SPDX-License-Identifier: MIT */
/*
 * The probe in unusual programs: more threads than rings, threads that the C library does not know, filters and limits
 * that deny what the probe needs. Protocol rules P-5, P-11, P-24, P-28.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "probe_tally.h"

#define EVENTS 3u

/* ------------------------------------------------------------------ many threads */

static pthread_barrier_t all_have_emitted;

static void *emit_and_stay(void *unused)
{
	uint64_t i;

	for (i = 0; i < EVENTS; i++)
		emit_numbered(i);
	pthread_barrier_wait(&all_have_emitted);
	return unused;
}

/* Runs `count` threads that all live at once. */
static bool run_crowd(unsigned count)
{
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t small;
	unsigned i;

	pthread_barrier_init(&all_have_emitted, NULL, count + 1);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (i = 0; i < count; i++)
		if (pthread_create(&threads[i], &small, emit_and_stay, NULL))
			return false;
	pthread_barrier_wait(&all_have_emitted);
	for (i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&all_have_emitted);
	free(threads);
	return true;
}

/* Every event, to the last one, is either read or counted among the events of threads without a ring. */
static void check_books(struct reader *reader, struct tally *tally, uint64_t emitted)
{
	uint64_t lost = reader->header->untraced_events;
	uint32_t i;

	reader_drain_all(reader, tally_record, tally);
	for (i = 0; i < reader->header->rings_used; i++)
		lost += reader_ring(reader, i)->dropped + reader_ring(reader, i)->nested;
	CHECK_EQUAL(tally->numbered + lost, emitted);
	CHECK_EQUAL(tally->starts, tally->stops);
	CHECK_EQUAL(tally->unpaired + tally->torn, 0);
}

/* P-28: more threads than rings. A sanitizer cannot run so many threads, so the test has fewer rings there. */
static void more_threads_than_rings(void)
{
	unsigned rings = IS_SANITIZED ? 60 : CTP_RING_MAX, threads = rings + 100;
	struct tally tally = {0};
	struct reader reader;

	attach(&reader);
	ctp_process_state.ring_max = rings;
	CHECK(run_crowd(threads));
	CHECK_EQUAL(reader.header->rings_used, rings);
	CHECK_EQUAL(reader.header->untraced_events, 100 * EVENTS);
	check_books(&reader, &tally, threads * EVENTS);
	CHECK_EQUAL(tally.starts, rings);
	/* All rings are free again, and the next threads find them. */
	CHECK(run_crowd(rings));
	CHECK_EQUAL(reader.header->untraced_events, 100 * EVENTS);
	check_books(&reader, &tally, (threads + rings) * EVENTS);
}

/* P-24: over the process's life there are many more threads than rings; rings and their chunks are used again. */
static void waves_of_threads(void)
{
	unsigned wave = IS_SANITIZED ? 50 : 600, waves = IS_SANITIZED ? 4 : 10, i;
	struct tally tally = {0};
	struct reader reader;

	attach(&reader);
	for (i = 0; i < waves; i++) {
		CHECK(run_crowd(wave));
		check_books(&reader, &tally, (uint64_t)(i + 1) * wave * EVENTS);
	}
	CHECK_EQUAL(tally.numbered, (uint64_t)waves * wave * EVENTS);
	CHECK_EQUAL(reader.header->rings_used, wave);
	CHECK_EQUAL(reader.header->chunks_used, wave);
}

/* ------------------------------------------------------------------ threads of no library */

/* A bare thread shares everything with its creator but the thread-local storage, which it has of its own. */
#define BARE_THREAD                                                                         \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM | \
		CLONE_SETTLS | CLONE_CHILD_CLEARTID)

#if defined(__x86_64__) && defined(__GLIBC__) && !IS_SANITIZED
#include <dlfcn.h>

static int emit_bare(void *argument)
{
	emit_numbered(*(uint64_t *)argument);
	syscall(SYS_exit, 0);
	return 0;
}

/* The storage that the C library itself prepares for a thread; two words in it are the thread's own address. */
static void *make_thread_storage(void)
{
	void *(*allocate)(void *);
	uintptr_t *storage;

	*(void **)&allocate = dlsym(RTLD_DEFAULT, "_dl_allocate_tls");
	storage = allocate ? allocate(NULL) : NULL;
	if (storage)
		storage[0] = storage[2] = (uintptr_t)storage;
	return storage;
}

static void run_bare_thread(void *storage, char *stack, uint64_t number)
{
	static pid_t alive;
	pid_t thread;

	__atomic_store_n(&alive, 1, __ATOMIC_RELAXED);
	thread = clone(emit_bare, stack + 65536, BARE_THREAD, &number, NULL, storage, &alive);
	CHECK(thread > 0);
	while (thread > 0 && __atomic_load_n(&alive, __ATOMIC_ACQUIRE) != 0)
		sched_yield();
}

/*
 * Threads made by a system call end without telling the probe. Where no other ring is left, their rings are found all
 * the same.
 */
static void threads_by_system_call(void)
{
	char *stack = malloc(65536);
	struct tally tally = {0};
	struct reader reader;
	uint64_t i;

	attach(&reader);
	ctp_process_state.ring_max = 2;
	for (i = 0; i < 5; i++) {
		void *storage = make_thread_storage();

		if (!storage)
			break;
		run_bare_thread(storage, stack, i);
	}
	if (i == 0)
		fprintf(stderr, "not tried: threads by system call, for want of storage\n");
	reader_drain_all(&reader, tally_record, &tally);
	CHECK_EQUAL(tally.numbered, i);
	CHECK_EQUAL(tally.starts, i);
	CHECK_EQUAL(tally.stops + tally.torn, 0);
	CHECK_EQUAL(reader.header->untraced_events, 0);
	CHECK(reader.header->rings_used <= 2);
}
#endif

/* ------------------------------------------------------------------ filters */

/* From here on the kernel answers the call with this number by `action`, and all other calls by `other_action`. */
static bool filter_calls(long number, uint32_t action, uint32_t other_action)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, other_action),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

static bool filter_call(long number, uint32_t action)
{
	return filter_calls(number, action, SECCOMP_RET_ALLOW);
}

static size_t count_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

static long refused_call;

/*
 * Emits two chunks of events. All of them are read or counted; where there is no segment at all they count as untraced.
 */
static void emit_and_check(struct reader *reader)
{
	uint64_t i, count = 2 * CTP_CHUNK_RECORDS, lost;
	struct tally tally = {0};

	errno = 7;
	for (i = 0; i < count; i++)
		emit_numbered(i);
	CHECK_EQUAL(errno, 7);
	reader_drain_all(reader, tally_record, &tally);
	lost = reader->header->untraced_events + reader_ring(reader, 0)->dropped;
	CHECK_EQUAL(tally.numbered + lost, count);
	CHECK_EQUAL(tally.torn, 0);
}

/* P-5: whichever call that attaching needs is refused, the program runs on, and no descriptor is left open. */
static void refused_before(void)
{
	size_t nr_descriptors = count_descriptors();
	struct reader reader;

	/* Without this the probe would wait for another engine. */
	setenv(CTP_ATTACH_ENVIRONMENT, "0", 1);
	CHECK(filter_call(refused_call, SECCOMP_RET_ERRNO | EPERM));
	errno = 7;
	if (ctp_attach()) {
		CHECK_EQUAL(errno, 7);
		if (reader_take(&reader))
			emit_and_check(&reader);
	} else {
		CHECK_EQUAL(errno, 7);
		CHECK_EQUAL(ctp_coro_new(), 0);
		emit_numbered(1);
		CHECK_EQUAL(count_descriptors(), nr_descriptors);
		CHECK(!reader_take(&reader)); /* it may have connected */
	}
}

static void refused_after(void)
{
	struct reader reader;

	attach(&reader);
	CHECK(filter_call(refused_call, SECCOMP_RET_ERRNO | EPERM));
	emit_and_check(&reader);
}

static void try_refusals(void)
{
	const long calls[] = {SYS_memfd_create, SYS_ftruncate, SYS_fcntl, SYS_mmap, SYS_madvise,
		SYS_socket, SYS_connect, SYS_sendmsg, SYS_getsockopt, SYS_getrandom, SYS_gettid,
		SYS_rt_sigprocmask, SYS_membarrier, SYS_futex, SYS_prlimit64, SYS_openat};
	size_t i;

	for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		refused_call = calls[i];
		if (in_child(refused_before) || in_child(refused_after)) {
			fprintf(stderr, "where system call %ld is refused\n", refused_call);
			CHECK(false);
		}
	}
}

/* A thread that has its ring, and room in it, makes no system call: any call would end the process. */
static void warm_thread(void)
{
	struct reader reader;
	uint64_t i;

	attach(&reader);
	emit_numbered(0);
	CHECK(filter_calls(SYS_exit_group, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS));
	for (i = 1; i < CTP_CHUNK_RECORDS - 1; i++)
		emit_numbered(i);
	_exit(check_failures != 0 || reader_ring(&reader, 0)->head != CTP_CHUNK_RECORDS);
}

/* A filter that ends the process at a call which only attaching makes does nothing to a program that has attached. */
static void killed_for_what_is_over(void)
{
	struct reader reader;

	attach(&reader);
	CHECK(filter_call(SYS_memfd_create, SECCOMP_RET_KILL_PROCESS));
	CHECK(filter_call(SYS_membarrier, SECCOMP_RET_KILL_PROCESS));
	CHECK(filter_call(SYS_ftruncate, SECCOMP_RET_KILL_PROCESS));
	CHECK(filter_call(SYS_socket, SECCOMP_RET_KILL_PROCESS));
	emit_and_check(&reader);
}

/* ------------------------------------------------------------------ limits */

static void few_descriptors(void)
{
	rlim_t most;

	for (most = 3; most < 16; most++) {
		struct rlimit limit = {most, most};
		struct reader reader;
		pid_t child = fork();
		int status;

		if (child == 0) {
			setrlimit(RLIMIT_NOFILE, &limit);
			errno = 7;
			ctp_attach();
			emit_numbered(1);
			_exit(errno != 7);
		}
		CHECK(waitpid(child, &status, 0) == child && status == 0);
		while (reader_take(&reader))
			munmap(reader.header, reader.bytes);
	}
}

/* P-11: a program may limit files and address space at any later time; the probe makes nothing larger then. */
static void limits_set_later(void)
{
	struct rlimit none = {0, RLIM_INFINITY};
	struct reader reader;

	attach(&reader);
	CHECK(setrlimit(RLIMIT_FSIZE, &none) == 0);
	if (!IS_SANITIZED)
		CHECK(setrlimit(RLIMIT_AS, &none) == 0);
	emit_and_check(&reader);
	CHECK_EQUAL(reader_ring(&reader, 0)->dropped + reader.header->untraced_events, 0);
}

int main(void)
{
	reader_listen();
	CHECK_EQUAL(in_child(more_threads_than_rings), 0);
	CHECK_EQUAL(in_child(waves_of_threads), 0);
#if defined(__x86_64__) && defined(__GLIBC__) && !IS_SANITIZED
	CHECK_EQUAL(in_child(threads_by_system_call), 0);
#endif
	CHECK_EQUAL(in_child(few_descriptors), 0);
	CHECK_EQUAL(in_child(limits_set_later), 0);
	if (!IS_SANITIZED && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0) {
		try_refusals();
		CHECK_EQUAL(in_child(killed_for_what_is_over), 0);
		CHECK_EQUAL(in_child(warm_thread), 0);
	}
	return check_result();
}
