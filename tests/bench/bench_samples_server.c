/* SPDX-License-Identifier: MIT */
/*
 * What it costs the throughput of a server that the kernel samples where its threads run: answers in slices with perf
 * events on all its threads against slices without, in turns, while one thread here asks on all connections at once.
 *
 *	bench_samples_server HZ PAIRS PORT PID
 *
 * Threads that the engine would leave alone, because they get a processor more than 2,000 times a second, are left alone
 * here, too; the output counts the others.
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
#define CONNECTIONS 64
#define THREADS 64u
#define TURNS_A_SECOND 2000u

static const char line[] = "abcdefghijklmnopqrstuvwxyz\n";
static atomic_ulong nr_answers;

struct server {
	pid_t pid;
	clockid_t clock;
	uint64_t tids[THREADS];
	unsigned count;
	unsigned nr_left; /* alone */
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
		write(socket_there, line, sizeof(line) - 1) < 0) {
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
	char answer[256];

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
			if (write(events[i].data.fd, line, sizeof(line) - 1) < 0)
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

/* Leaves out the hasty ones. */
static void choose_threads(struct server *server)
{
	const struct timespec second = {1, 0};
	uint64_t turns[THREADS];
	unsigned i, kept = 0;
	int folder = procfs_open(server->pid);

	if (folder < 0 || !procfs_numbers_at(folder, "task", note_thread, server))
		exit(1);
	close(folder);
	for (i = 0; i < server->count; i++)
		turns[i] = turns_of(server, i);
	nanosleep(&second, NULL);
	for (i = 0; i < server->count; i++)
		if (turns_of(server, i) - turns[i] <= TURNS_A_SECOND)
			server->tids[kept++] = server->tids[i];
	server->nr_left = server->count - kept;
	server->count = kept;
}

static uint64_t ns_of(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		exit(1);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static struct taken slice(const struct server *server, unsigned hz)
{
	struct perf_thread watches[THREADS] = {0};
	const struct timespec pause = {0, SLICE_NS};
	uint64_t ns, cpu_ns;
	unsigned long count;
	unsigned i;

	for (i = 0; hz && i < server->count; i++)
		if (!perf_thread_open(&watches[i], (pid_t)server->tids[i], hz, true)) {
			perror("perf_event_open");
			exit(1);
		}
	ns = ns_of(CLOCK_MONOTONIC);
	cpu_ns = ns_of(server->clock);
	count = atomic_load(&nr_answers);
	nanosleep(&pause, NULL);
	count = atomic_load(&nr_answers) - count;
	ns = ns_of(CLOCK_MONOTONIC) - ns;
	cpu_ns = ns_of(server->clock) - cpu_ns;
	for (i = 0; i < server->count; i++)
		perf_thread_close(&watches[i]);
	return (struct taken){
		(double)count * 1e9 / (double)ns, (double)count * 1e9 / (double)cpu_ns};
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

static void measure(const struct server *server, unsigned hz, unsigned nr_pairs)
{
	double *ratios = calloc(nr_pairs, sizeof(*ratios));
	double *cpu_ratios = calloc(nr_pairs, sizeof(*cpu_ratios));
	struct taken with = {0}, without = {0};
	unsigned i;

	if (!ratios || !cpu_ratios)
		exit(1);
	for (i = 0; i < nr_pairs; i++) {
		if (i % 2)
			with = slice(server, hz);
		without = slice(server, 0);
		if (i % 2 == 0)
			with = slice(server, hz);
		ratios[i] = with.per_second / without.per_second;
		cpu_ratios[i] = with.per_cpu_second / without.per_cpu_second;
	}
	printf("{\"loop\": \"server\", \"hz\": %u, \"pairs\": %u, \"threads\": %u, \"left_alone\": "
	       "%u, \"per_second\": "
	       "%.0f",
		hz, nr_pairs, server->count, server->nr_left, without.per_second);
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
	port = atoi(argv[3]);
	server.pid = atoi(argv[4]);
	if (clock_getcpuclockid(server.pid, &server.clock) ||
		pthread_create(&load, NULL, ask, &port))
		return 1;
	choose_threads(&server);
	measure(&server, (unsigned)atoi(argv[1]), (unsigned)atoi(argv[2]));
	return 0;
}
