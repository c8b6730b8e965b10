/* SPDX-License-Identifier: MIT */
/*
 * Serving probes of version 1 beside those of version 2.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/collector.h"
#include "collect/service.h"

#define SLACK_NS UINT64_C(1000000000) /* a time so far outside of the run cannot be true */
#define HARVEST_NS UINT64_C(1000000)  /* rings hold much more than they get in that time */
#define QUIET_NS UINT64_C(20000)      /* after so long nothing more is expected at once */
#define BYTES_A_LOOK 4096             /* of one peer; each stands for one waking */
#define STATIONS_LEAST 1000u          /* fewer are not worth serving unasked */

void collect_service_init(struct service *service)
{
	int i;

	collect_channel_init(&service->channel);
	for (i = 0; i < SERVICE_PEERS; i++)
		service->peers[i] = -1;
}

static bool is_served(const struct service *service)
{
	return service->channel.base && !service->was_cut;
}

/* ------------------------------------------------------------------ opening and closing */

static enum ct_status watch(struct collect *collect, int descriptor, struct ct_error *reterr)
{
	struct epoll_event event = {.events = EPOLLIN};

	if (epoll_ctl(collect->waiting, EPOLL_CTL_ADD, descriptor, &event))
		return ct_fail_errno(reterr, "watching the socket of version 1");
	return CT_OK;
}

/* Where nobody asked for a number, it is as large as there is room for. */
static enum ct_status open_channel(
	struct channel *channel, const struct collect_options *options, struct ct_error *reterr)
{
	struct channel_options how = {
		.max_stations = options->max_stations ? options->max_stations : SERVICE_STATIONS,
		.needs_room = options->max_stations == 0,
		.memory_path = options->shm_path,
		.socket_path = options->socket_path,
	};
	enum ct_status status = collect_channel_open(channel, &how, reterr);

	while (status && how.needs_room && how.max_stations > STATIONS_LEAST) {
		how.max_stations /= 10;
		status = collect_channel_open(channel, &how, reterr);
	}
	return status;
}

static void note_name(char note[SERVICE_NOTE_BYTES], enum channel_name name, const char *wanted,
	const char *what, const char *got)
{
	note[0] = '\0';
	if (name == CHANNEL_NAME_LEFT)
		snprintf(note, SERVICE_NOTE_BYTES,
			"'%.160s' was left behind by a recording that was killed: remove it to "
			"have the "
			"name back; the %s of version 1 was '%.160s' instead",
			wanted, what, got);
	else if (name == CHANNEL_NAME_TAKEN)
		snprintf(note, SERVICE_NOTE_BYTES,
			"the name '%.160s' was taken already: the %s of version 1 was '%.160s' "
			"instead, "
			"as the program was told",
			wanted, what, got);
}

static void note_names(struct service *service, const struct collect_options *options)
{
	const struct channel *channel = &service->channel;

	note_name(service->memory_note, channel->memory_name, options->shm_path, "file",
		channel->memory_path);
	note_name(service->socket_note, channel->socket_name, options->socket_path, "socket",
		channel->socket_path);
	snprintf(service->room_note, SERVICE_NOTE_BYTES,
		"a coroutine of version 1 is not in the trace, since all %u stations were taken: "
		"'-n' or "
		"'--v1-stations' makes more",
		(unsigned)channel->max_stations);
}

static enum ct_status open_service(
	struct collect *collect, const struct collect_options *options, struct ct_error *reterr)
{
	struct service *service = &collect->service;
	enum ct_status status = open_channel(&service->channel, options, reterr);

	if (status)
		return status;
	note_names(service, options);
	service->stations.base = service->channel.base;
	service->stations.guard = service->channel.guard;
	service->stations.max_stations = service->channel.max_stations;
	service->settled_ns = clock_monotonic_ns();
	service->stations.from_ns =
		service->settled_ns > SLACK_NS ? service->settled_ns - SLACK_NS : 1;
	if (!collect_station_trace_init(&service->trace, collect, &service->stations))
		return ct_fail_memory(reterr);
	return watch(collect, service->channel.socket, reterr);
}

enum ct_status collect_service_open(
	struct collect *collect, const struct collect_options *options, struct ct_error *reterr)
{
	bool was_asked = options->max_stations || options->shm_path || options->socket_path;
	enum ct_status status;

	if (options->no_version1)
		return CT_OK;
	status = open_service(collect, options, reterr);
	if (status == CT_OK || was_asked)
		return status;
	/* Nobody counts on it: the lack of a folder to write to must not keep anyone from recording. */
	collect_channel_close(&collect->service.channel);
	return CT_OK;
}

void collect_service_close(struct service *service)
{
	int i;

	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] >= 0)
			close(service->peers[i]);
	collect_station_trace_fini(&service->trace);
	collect_stations_fini(&service->stations);
	collect_channel_close(&service->channel);
}

/* ------------------------------------------------------------------ probes that connect */

static void refuse(struct collect *collect, int descriptor, pid_t pid, const char *why)
{
	collect->nr_refused++;
	ct_fail(&collect->refusal, CT_ERR_REFUSED, "process %d was turned away: %s", (int)pid, why);
	close(descriptor);
}

static struct process *take_up(struct collect *collect, pid_t pid)
{
	const struct process_facts nothing = {.program = "", .command_line = ""};
	struct process *process = collect_process_find(collect, pid);

	if (!process)
		process = collect_process_add(collect, pid, &nothing);
	else
		collect_process_refresh(collect, process, &nothing);
	if (!process || !collect_station_trace_own(&collect->service.trace, process))
		return NULL;
	collect_process_map(collect, process);
	return process;
}

static int *find_free_peer(struct service *service)
{
	int i;

	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] < 0)
			return &service->peers[i];
	return NULL;
}

static void welcome(struct collect *collect, int descriptor)
{
	int *peer = find_free_peer(&collect->service);
	struct ucred who = {0};
	socklen_t length = sizeof(who);
	const char *refusal = "the kernel does not tell who it is";

	if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0)
		refusal = collect_admission_refusal(&collect->listener.admission, who.uid, who.pid);
	if (refusal)
		refuse(collect, descriptor, who.pid, refusal);
	else if (!peer)
		refuse(collect, descriptor, who.pid, "too many probes are connected already");
	else if (!take_up(collect, who.pid))
		refuse(collect, descriptor, who.pid, "too many processes are traced already");
	else if (watch(collect, descriptor, NULL))
		refuse(collect, descriptor, who.pid, "it can not be watched");
	else
		*peer = descriptor;
}

/* The bytes have done what they were sent for: the wait is over. */
static void listen_to(int *peer)
{
	char bytes[BYTES_A_LOOK];
	ssize_t length = recv(*peer, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close(*peer);
	*peer = -1;
}

void collect_service_arrivals(struct collect *collect)
{
	struct service *service = &collect->service;
	int i;

	if (!is_served(service))
		return;
	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] >= 0)
			listen_to(&service->peers[i]);
	for (i = 0; i < SERVICE_PEERS; i++) {
		int descriptor = accept4(service->channel.socket, NULL, NULL, SOCK_CLOEXEC);

		if (descriptor < 0)
			return;
		welcome(collect, descriptor);
	}
}

/* ------------------------------------------------------------------ losses */

/* What was found since the last settling. */
static void lose(struct collect *collect, uint32_t reason, uint64_t now, uint64_t *told)
{
	const struct process *process = collect_process_find(collect, collect->target.pid);
	const struct ct_define_loss loss = {
		.process = process ? process->number : 1,
		.reason = reason,
		.count = now - *told,
		.first_monotonic_ns = collect->service.settled_ns,
		.last_monotonic_ns = collect->now_ns,
	};

	collect_output_lose(&collect->output, &loss);
	*told = now;
}

static void settle(struct collect *collect)
{
	struct service *service = &collect->service;

	lose(collect, CTP_LOSS_NO_STATION, service->stations.nr_untraced, &service->told_untraced);
	lose(collect, CTP_LOSS_CORRUPT, service->trace.nr_impossible, &service->told_impossible);
	service->settled_ns = collect->now_ns;
}

/* Nothing that is read from here on would be the target's. How much is missing cannot be known: it is one. */
static void cut(struct collect *collect)
{
	collect->service.was_cut = true;
	collect->service.trace.nr_impossible++;
	settle(collect);
}

/* ------------------------------------------------------------------ scanning and sleeping */

uint64_t collect_service_scan(struct collect *collect, bool is_thorough)
{
	struct service *service = &collect->service;
	const struct stations_consumer consumer = {&service->trace, collect_station_trace_take};
	uint64_t nr_events;

	if (!is_served(service))
		return 0;
	service->stations.alive_ns = service->scanned_ns;
	service->scanned_ns = clock_monotonic_ns();
	service->stations.until_ns = service->scanned_ns + SLACK_NS;
	/* A probe connects before it allocates: whose new stations are is known after this. */
	if (collect_stations_take_up(&service->stations))
		collect_service_arrivals(collect);
	nr_events = collect_stations_scan(&service->stations, &consumer, is_thorough);
	collect_station_trace_put(&service->trace);
	if (collect_guard_was_hit(service->channel.guard))
		cut(collect);
	return nr_events;
}

uint64_t collect_service_harvest(struct collect *collect)
{
	const struct service *service = &collect->service;
	uint64_t nr_events = collect_service_scan(collect, false);
	uint64_t begin_ns = service->scanned_ns;
	uint64_t active_ns = begin_ns;
	uint64_t more;

	while (nr_events > 0 && service->scanned_ns - begin_ns < HARVEST_NS &&
		service->scanned_ns - active_ns < QUIET_NS) {
		more = collect_service_scan(collect, false);
		nr_events += more;
		if (more > 0)
			active_ns = service->scanned_ns;
	}
	return nr_events;
}

bool collect_service_sleep(struct collect *collect)
{
	struct service *service = &collect->service;

	if (!is_served(service))
		return true;
	version1_sleep(service->channel.base);
	return collect_service_scan(collect, false) == 0;
}

bool collect_service_has_peers(const struct service *service)
{
	int i;

	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] >= 0)
			return true;
	return false;
}

void collect_service_wake(struct collect *collect)
{
	if (is_served(&collect->service))
		version1_wake(collect->service.channel.base);
}

/* ------------------------------------------------------------------ the end */

void collect_service_settle(struct collect *collect)
{
	collect_service_scan(collect, true);
	if (is_served(&collect->service))
		settle(collect);
}

void collect_service_last(struct collect *collect, struct process *process)
{
	struct service *service = &collect->service;
	const struct stations_consumer consumer = {&service->trace, collect_station_trace_take};

	collect_service_scan(collect, true);
	if (is_served(service)) {
		collect_stations_finish(&service->stations, &consumer);
		collect_station_trace_put(&service->trace);
		settle(collect);
	}
	collect_station_trace_disown(&service->trace, process);
}
