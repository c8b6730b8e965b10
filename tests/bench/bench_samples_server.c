/* SPDX-License-Identifier: MIT */
/*
 * What it costs the throughput of a server that the kernel samples where its threads run: answers in slices with perf
 * events on all its threads against slices without, in turns, while one thread here asks on all connections at once.
 *
 *	bench_samples_server HZ PAIRS PORT PID
 *
 * As by the engine, threads are left alone that have got a processor more than 2,000 times a second of late: in the
 * last slice without perf events. The output counts those that were watched, on average.
 */
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "kernel/perf_thread.h"
#include "kernel/procfs.h"

#define SLICE_NS 40000000
#define CONNECTIONS 512
#define THREADS 64u
#define TURNS_A_SECOND 2000u

#define LINE_BYTES 1000

static char line[LINE_BYTES];
static atomic_ulong nr_answers;

struct server {
	pid_t pid;
	clockid_t clock;
	uint64_t tids[THREADS];
	unsigned count;
	bool is_hasty[THREADS];
	unsigned long nr_watched; /* in all slices */
};

struct taken {
	double per_second; /* answers */
	double per_cpu_second;
};

/* ---------------------------------------------------------------- the load */

static int connect_to(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int socket_there = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(socket_there, (struct sockaddr *)&address, sizeof(address)) ||
		write(socket_there, line, sizeof(line)) < 0) {
		perror("the server");
		exit(1);
	}
	return socket_there;
}

/* Each connection has one question under way. */
static void *ask(void *argument)
{
	int port = *(const int *)argument, epoll = epoll_create1(EPOLL_CLOEXEC), i, count;
	struct epoll_event events[CONNECTIONS];
	static char answer[4 * LINE_BYTES];

	for (i = 0; i < CONNECTIONS; i++) {
		struct epoll_event event = {.events = EPOLLIN, .data.fd = connect_to(port)};

		epoll_ctl(epoll, EPOLL_CTL_ADD, event.data.fd, &event);
	}
	for (;;) {
		count = epoll_wait(epoll, events, CONNECTIONS, -1);
		for (i = 0; i < count; i++) {
			ssize_t got = read(events[i].data.fd, answer, sizeof(answer));

			if (got <= 0)
				exit(1);
			if (answer[got - 1] != '\n')
				continue;
			atomic_fetch_add_explicit(&nr_answers, 1, memory_order_relaxed);
			if (write(events[i].data.fd, line, sizeof(line)) < 0)
				exit(1);
		}
	}
	return NULL;
}

/* ---------------------------------------------------------------- the server */

static bool note_thread(void *context, int tid)
{
	struct server *server = context;

	if (server->count < THREADS)
		server->tids[server->count++] = (uint64_t)tid;
	return true;
}

static uint64_t turns_of(const struct server *server, unsigned thread)
{
	struct procfs_account account;

	return procfs_account(server->pid, server->tids[thread], &account) ? account.nr_turns : 0;
}

static void note_threads(struct server *server)
{
	int folder = procfs_open(server->pid);

	if (folder < 0 || !procfs_numbers_at(folder, "task", note_thread, server))
		exit(1);
	close(folder);
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		exit(1);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct taken slice(const struct server *server)
{
	const struct timespec pause = {0, SLICE_NS};
	uint64_t ns = ns_of(CLOCK_MONOTONIC), cpu_ns = ns_of(server->clock);
	unsigned long count = atomic_load(&nr_answers);

	nanosleep(&pause, NULL);
	count = atomic_load(&nr_answers) - count;
	ns = ns_of(CLOCK_MONOTONIC) - ns;
	cpu_ns = ns_of(server->clock) - cpu_ns;
	return (struct taken){
		(double)count * 1e9 / (double)ns, (double)count * 1e9 / (double)cpu_ns};
}

static struct taken slice_without(struct server *server)
{
	uint64_t turns[THREADS], ns = ns_of(CLOCK_MONOTONIC);
	struct taken taken;
	unsigned i;

	for (i = 0; i < server->count; i++)
		turns[i] = turns_of(server, i);
	taken = slice(server);
	ns = ns_of(CLOCK_MONOTONIC) - ns;
	for (i = 0; i < server->count; i++)
		server->is_hasty[i] =
			turns_of(server, i) - turns[i] > ns * TURNS_A_SECOND / 1000000000u;
	return taken;
}

static struct taken slice_with(struct server *server, unsigned hz)
{
	struct perf_thread watches[THREADS] = {0};
	struct taken taken;
	unsigned i;

	for (i = 0; i < server->count; i++) {
		if (server->is_hasty[i])
			continue;
		if (!perf_thread_open(&watches[i], (pid_t)server->tids[i], hz, true)) {
			perror("perf_event_open");
			exit(1);
		}
		server->nr_watched++;
	}
	taken = slice(server);
	for (i = 0; i < server->count; i++)
		perf_thread_close(&watches[i]);
	return taken;
}

/* ---------------------------------------------------------------- the figures */

static int compare(const void *one, const void *other)
{
	double a = *(const double *)one, b = *(const double *)other;

	return a < b ? -1 : a > b;
}

static void put_ratio(const char *name, double *ratios, unsigned count)
{
	qsort(ratios, count, sizeof(*ratios), compare);
	printf(", \"%s\": %.4f, \"%s_quartiles\": [%.4f, %.4f]", name, ratios[count / 2], name,
		ratios[count / 4], ratios[count * 3 / 4]);
}

static void measure(struct server *server, unsigned hz, unsigned nr_pairs)
{
	double *ratios = calloc(nr_pairs, sizeof(*ratios));
	double *cpu_ratios = calloc(nr_pairs, sizeof(*cpu_ratios));
	struct taken with = {0}, without = {0};
	unsigned count = 0;

	if (!ratios || !cpu_ratios)
		exit(1);
	while (count < nr_pairs) {
		if (count % 2)
			with = slice_with(server, hz);
		without = slice_without(server);
		if (count % 2 == 0)
			with = slice_with(server, hz);
		/* On a busy machine a slice may pass without any. */
		if (without.per_second == 0 || with.per_second == 0)
			continue;
		ratios[count] = with.per_second / without.per_second;
		cpu_ratios[count++] = with.per_cpu_second / without.per_cpu_second;
	}
	printf("{\"loop\": \"server\", \"hz\": %u, \"pairs\": %u, \"threads\": %u, ", hz, nr_pairs,
		server->count);
	printf("\"watched\": %.2f, \"per_second\": %.0f",
		(double)server->nr_watched / (double)nr_pairs, without.per_second);
	put_ratio("ratio", ratios, nr_pairs);
	put_ratio("cpu_ratio", cpu_ratios, nr_pairs);
	printf("}\n");
	free(ratios);
	free(cpu_ratios);
}

int main(int argc, char **argv)
{
	struct server server = {0};
	pthread_t load;
	int port;

	if (argc < 5)
		return 2;
	memset(line, 'a', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	port = atoi(argv[3]);
	server.pid = atoi(argv[4]);
	if (clock_getcpuclockid(server.pid, &server.clock) ||
		pthread_create(&load, NULL, ask, &port))
		return 1;
	while (!atomic_load(&nr_answers))
		nanosleep(&(struct timespec){0, 10000000}, NULL);
	note_threads(&server);
	slice_without(&server);
	measure(&server, (unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
	return 0;
}
