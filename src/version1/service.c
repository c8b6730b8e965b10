/* SPDX-License-Identifier: MIT */
/*
 * Serves probes of version 1 beside those of version 2.
 */
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "version1/service.h"

#define SLACK_NS UINT64_C(1000000000) /* a time that lies this far outside the run cannot be true */
#define HARVEST_NS UINT64_C(1000000)  /* rings hold much more than they get in this time */
#define QUIET_NS UINT64_C(20000)      /* after this time without an event none is expected soon; */
/* after this time, if waiting longer was in vain again and again */
#define QUIET_LEAST_NS UINT64_C(2000)
#define GAPS_WAITED 4
#define IN_VAIN_MOST 4u
#define IN_VAIN_AGAIN 16u
#define BYTES_A_LOOK 4096    /* of one peer; each byte is one wake */
#define STATIONS_LEAST 1000u /* with room for fewer, version 1 is not served unless requested */

void version1_service_init(struct service *service)
{
	int i;

	version1_channel_init(&service->channel);
	for (i = 0; i < SERVICE_PEERS; i++)
		service->peers[i] = -1;
}

static bool is_served(const struct service *service)
{
	return service->channel.base && !service->was_cut;
}

/* ------------------------------------------------------------------ opening and closing */

/* If no number was requested, the number of stations depends on the free space. */
static enum ct_status open_channel(
	struct channel *channel, const struct channel_options *options, struct ct_error *reterr)
{
	struct channel_options how = {
		.max_stations = options->max_stations ? options->max_stations : SERVICE_STATIONS,
		.needs_room = options->max_stations == 0,
		.memory_path = options->memory_path,
		.socket_path = options->socket_path,
	};
	enum ct_status status = version1_channel_open(channel, &how, reterr);

	while (status && how.needs_room && how.max_stations > STATIONS_LEAST) {
		how.max_stations /= 10;
		status = version1_channel_open(channel, &how, reterr);
	}
	return status;
}

static void note_name(char note[SERVICE_NOTE_BYTES], enum channel_name name, const char *wanted,
	const char *what, const char *got)
{
	note[0] = '\0';
	if (name == CHANNEL_NAME_LEFT)
		snprintf(note, SERVICE_NOTE_BYTES,
			"'%.160s' was left behind by an earlier recording: remove it to have the "
			"name back; the %s of version 1 was '%.160s' instead",
			wanted, what, got);
	else if (name == CHANNEL_NAME_TAKEN)
		snprintf(note, SERVICE_NOTE_BYTES,
			"the name '%.160s' was taken already: the %s of version 1 was '%.160s' "
			"instead, "
			"as the program was told",
			wanted, what, got);
}

static void note_names(struct service *service, const struct channel_options *options)
{
	const struct channel *channel = &service->channel;

	note_name(service->memory_note, channel->memory_name, options->memory_path, "file",
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
	struct service *service, const struct channel_options *options, struct ct_error *reterr)
{
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
	if (!version1_station_trace_init(&service->trace, &service->engine, &service->stations))
		return ct_fail_memory(reterr);
	service->quiet_ns = QUIET_NS;
	return service->engine.ops->watch(
		service->engine.context, service->channel.socket, false, reterr);
}

enum ct_status version1_service_open(struct service *service, const struct version1_engine *engine,
	const struct channel_options *options, struct ct_error *reterr)
{
	bool was_asked = options->max_stations || options->memory_path || options->socket_path;
	enum ct_status status;

	service->engine = *engine;
	status = open_service(service, options, reterr);
	if (status == CT_OK || was_asked)
		return status;
	/* Version 1 was not requested, so the lack of a writable folder must not prevent a recording. */
	version1_channel_close(&service->channel);
	return CT_OK;
}

void version1_service_close(struct service *service)
{
	int i;

	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] >= 0)
			close(service->peers[i]);
	version1_station_trace_fini(&service->trace);
	version1_stations_fini(&service->stations);
	version1_channel_close(&service->channel);
}

/* ------------------------------------------------------------------ probes that connect */

static bool take_up(struct service *service, pid_t pid)
{
	const struct version1_engine *engine = &service->engine;
	struct process *process = engine->ops->take_up(engine->context, pid);

	return process && version1_station_trace_own(&service->trace, process);
}

static int *find_free_peer(struct service *service)
{
	int i;

	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] < 0)
			return &service->peers[i];
	return NULL;
}

/* NULL: the probe is accepted, and *peer is its entry. */
static const char *refusal(
	struct service *service, int descriptor, const struct ucred *who, int *peer)
{
	const struct version1_engine *engine = &service->engine;
	const char *why = engine->ops->refusal(engine->context, who->uid, who->pid);

	if (why)
		return why;
	if (!peer)
		return "too many probes are connected already";
	if (!take_up(service, who->pid))
		return "too many processes are traced already";
	if (engine->ops->watch(engine->context, descriptor, true, NULL))
		return "it cannot be watched";
	return NULL;
}

static void welcome(struct service *service, int descriptor)
{
	int *peer = find_free_peer(service);
	struct ucred who = {0};
	socklen_t length = sizeof(who);
	const char *why = "the kernel does not say who it is";

	if (getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &who, &length) == 0)
		why = refusal(service, descriptor, &who, peer);
	if (!why) {
		*peer = descriptor;
		return;
	}
	service->engine.ops->refuse(service->engine.context, who.pid, why);
	close(descriptor);
}

/* The bytes are dropped: their arrival has already ended the wait. */
static void listen_to(int *peer)
{
	char bytes[BYTES_A_LOOK];
	ssize_t length = recv(*peer, bytes, sizeof(bytes), MSG_DONTWAIT);

	if (length > 0 || (length < 0 && (errno == EAGAIN || errno == EINTR)))
		return;
	close(*peer);
	*peer = -1;
}

void version1_service_listen(struct service *service)
{
	int i;

	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] >= 0)
			listen_to(&service->peers[i]);
}

void version1_service_arrivals(struct service *service)
{
	int i;

	if (!is_served(service))
		return;
	version1_service_listen(service);
	for (i = 0; i < SERVICE_PEERS; i++) {
		int descriptor = accept4(service->channel.socket, NULL, NULL, SOCK_CLOEXEC);

		if (descriptor < 0)
			return;
		welcome(service, descriptor);
	}
}

/* ------------------------------------------------------------------ losses */

/* Reports the losses found since the last settling. */
static void lose(const struct service *service, uint32_t reason, uint64_t now, uint64_t *told)
{
	service->engine.ops->lose(service->engine.context, reason, now - *told, service->settled_ns,
		service->scanned_ns);
	*told = now;
}

static void settle(struct service *service)
{
	lose(service, CTP_LOSS_NO_STATION, service->stations.nr_untraced, &service->told_untraced);
	lose(service, CTP_LOSS_CORRUPT, service->trace.nr_impossible, &service->told_impossible);
	service->settled_ns = service->scanned_ns;
}

/*
 * Whatever is read from now on does not come from the target. The number of missing events is unknown, so one is
 * counted.
 */
static void cut(struct service *service)
{
	service->was_cut = true;
	service->trace.nr_impossible++;
	settle(service);
}

/* ------------------------------------------------------------------ scanning and sleeping */

uint64_t version1_service_scan(struct service *service, bool is_thorough)
{
	const struct stations_consumer consumer = {&service->trace, version1_station_trace_take};
	uint64_t nr_events;

	if (!is_served(service))
		return 0;
	service->stations.alive_ns = service->scanned_ns;
	service->scanned_ns = clock_monotonic_ns();
	service->stations.until_ns = service->scanned_ns + SLACK_NS;
	/* A probe connects before it allocates a station, so after this call the owners of new stations are known. */
	if (version1_stations_take_up(&service->stations))
		version1_service_arrivals(service);
	nr_events = version1_stations_scan(&service->stations, &consumer, is_thorough);
	version1_station_trace_put(&service->trace);
	if (version1_guard_was_hit(service->channel.guard))
		cut(service);
	return nr_events;
}

/* If the program wrote as soon as the engine slept, waiting is worth while, unless it was in vain again and again. */
static bool is_worth_waiting(const struct service *service, uint64_t began_ns)
{
	return began_ns - service->slept_ns < 2 * QUIET_NS &&
	       (service->nr_in_vain < IN_VAIN_MOST || service->nr_in_vain % IN_VAIN_AGAIN == 0);
}

/* Otherwise the next harvest waits for a few times the longest gap of this one, or half as long as this one. */
static void adapt(struct service *service, uint64_t began_ns, uint64_t gap_ns)
{
	uint64_t quiet_ns = service->quiet_ns / 2;

	service->nr_in_vain = gap_ns ? 0 : service->nr_in_vain + 1;
	if (is_worth_waiting(service, began_ns))
		quiet_ns = QUIET_NS;
	if (quiet_ns < GAPS_WAITED * gap_ns)
		quiet_ns = GAPS_WAITED * gap_ns;
	if (quiet_ns < QUIET_LEAST_NS)
		quiet_ns = QUIET_LEAST_NS;
	service->quiet_ns = quiet_ns < QUIET_NS ? quiet_ns : QUIET_NS;
}

enum harvest version1_service_harvest(struct service *service)
{
	uint64_t nr_events = version1_service_scan(service, false);
	uint64_t begin_ns = service->scanned_ns;
	uint64_t active_ns = begin_ns;
	uint64_t gap_ns = 0;

	if (nr_events == 0)
		return HARVEST_NOTHING;
	/* A shortened file is no longer scanned, so its scan time does not advance. */
	while (is_served(service) && service->scanned_ns - active_ns < service->quiet_ns) {
		if (service->scanned_ns - begin_ns >= HARVEST_NS)
			return HARVEST_GOES_ON;
		if (version1_service_scan(service, false) == 0)
			continue;
		if (service->scanned_ns - active_ns > gap_ns)
			gap_ns = service->scanned_ns - active_ns;
		active_ns = service->scanned_ns;
	}
	adapt(service, begin_ns, gap_ns);
	return HARVEST_IS_QUIET;
}

bool version1_service_sleep(struct service *service)
{
	if (!is_served(service))
		return true;
	version1_sleep(service->channel.base);
	if (version1_service_scan(service, false) > 0)
		return false;
	service->slept_ns = service->scanned_ns;
	return true;
}

bool version1_service_has_peers(const struct service *service)
{
	int i;

	for (i = 0; i < SERVICE_PEERS; i++)
		if (service->peers[i] >= 0)
			return true;
	return false;
}

void version1_service_wake(struct service *service)
{
	if (is_served(service))
		version1_wake(service->channel.base);
}

/* ------------------------------------------------------------------ the end */

void version1_service_settle(struct service *service)
{
	version1_service_scan(service, true);
	if (is_served(service))
		settle(service);
}

void version1_service_last(struct service *service, struct process *process)
{
	const struct stations_consumer consumer = {&service->trace, version1_station_trace_take};

	version1_service_scan(service, true);
	if (is_served(service)) {
		version1_stations_finish(&service->stations, &consumer);
		version1_station_trace_put(&service->trace);
		settle(service);
	}
	version1_station_trace_disown(&service->trace, process);
}
