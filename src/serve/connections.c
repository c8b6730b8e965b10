/* SPDX-License-Identifier: MIT */
/*
 * A list of connections under a lock. This file only shuts a socket down. libmicrohttpd closes it, after it has taken
 * the connection out of the list, so the number of a socket in the list cannot belong to another connection.
 */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "serve/connections.h"

#define SECOND UINT64_C(1000000000)

/* The kernel's numbers of TCP states. netinet/tcp.h names them, but the tcp_info there has no byte count. */
#define STATE_CLOSE 7u
#define STATE_CLOSE_WAIT 8u

/* In the order in which connections are closed. */
enum phase {
	/* the peer has closed the connection, and no part of a request has arrived */
	PHASE_LEFT,
	PHASE_SILENT,    /* nothing has arrived yet */
	PHASE_KEPT,      /* nothing has arrived since the answer */
	PHASE_ASKING,    /* a part of a request has arrived */
	PHASE_ANSWERING, /* the request is complete and waits for our answer */
	PHASE_EVENTS,    /* the connection reads events and stays */
	NR_PHASES,
};

struct connection {
	struct connection *next, *former;
	struct serve_connections *all;
	int socket;
	bool is_going;    /* the socket was shut down; the connection has not ended yet */
	enum phase phase; /* the phase that was noted; phase_of refines it */
	uint64_t since_ns;
	uint64_t nr_bytes; /* number of bytes that had arrived by the end of the previous answer */
};

struct serve_connections {
	pthread_mutex_t lock;
	struct connection *first; /* the youngest */
};

struct serve_connections *serve_connections_new(void)
{
	struct serve_connections *connections = calloc(1, sizeof(*connections));

	if (connections)
		pthread_mutex_init(&connections->lock, NULL);
	return connections;
}

void serve_connections_free(struct serve_connections *connections)
{
	if (!connections)
		return;
	pthread_mutex_destroy(&connections->lock);
	free(connections);
}

/*
 * Asks the kernel how many bytes have arrived, because libmicrohttpd reports a request only when the request is
 * complete. The kernel counts the peer's end (FIN) as a byte, too. Returns whether the peer may still send.
 */
static bool count_bytes(int socket, uint64_t *retcount)
{
	struct tcp_info information = {0};
	socklen_t nr_bytes = sizeof(information);
	bool has_end;

	*retcount = 0;
	if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &information, &nr_bytes) < 0)
		return true;
	has_end = information.tcpi_state == STATE_CLOSE_WAIT;
	*retcount =
		information.tcpi_bytes_received - (has_end && information.tcpi_bytes_received > 0);
	return !has_end && information.tcpi_state != STATE_CLOSE;
}

static enum phase phase_of(const struct connection *connection)
{
	uint64_t nr_bytes;
	bool may_send;

	if (connection->phase > PHASE_KEPT)
		return connection->phase;
	may_send = count_bytes(connection->socket, &nr_bytes);
	if (nr_bytes > connection->nr_bytes)
		return PHASE_ASKING;
	return may_send ? connection->phase : PHASE_LEFT;
}

static void let_go(struct connection *connection)
{
	connection->is_going = true;
	shutdown(connection->socket, SHUT_RDWR);
}

static bool may_go(const struct connection *connection, enum phase phase, uint64_t now_ns)
{
	return phase < PHASE_ANSWERING ||
	       (phase == PHASE_ANSWERING &&
		       now_ns > connection->since_ns + SERVE_ANSWER_SECONDS * SECOND);
}

static bool counts(const struct connection *connection)
{
	return !connection->is_going && connection->phase != PHASE_EVENTS;
}

static bool has_too_many(const struct serve_connections *all)
{
	const struct connection *connection;
	unsigned count = 0;

	for (connection = all->first; connection; connection = connection->next)
		count += counts(connection);
	return count > SERVE_CONNECTIONS_MAX;
}

/*
 * Makes room for the first connection of the list, which is new and stays. The kernel is asked about the others only if
 * one of them has to go.
 */
static void make_room(struct serve_connections *all, uint64_t now_ns)
{
	struct connection *connection, *chosen = NULL;
	enum phase phase, least = NR_PHASES;

	if (!has_too_many(all))
		return;
	for (connection = all->first->next; connection; connection = connection->next) {
		if (!counts(connection))
			continue;
		phase = phase_of(connection);
		if (phase <= least && may_go(connection, phase, now_ns)) {
			chosen = connection;
			least = phase;
		}
	}
	if (chosen)
		let_go(chosen);
}

static void begin(struct serve_connections *all, struct MHD_Connection *from, void **place)
{
	const union MHD_ConnectionInfo *information =
		mhd.get_connection_info(from, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *connection = calloc(1, sizeof(*connection));

	/*
	 * If memory is out, the connection is not in the list, and only libmicrohttpd's timeout between two bytes
	 * limits it.
	 */
	*place = connection;
	if (!connection || !information) {
		free(connection);
		*place = NULL;
		return;
	}
	connection->all = all;
	connection->socket = information->connect_fd;
	connection->phase = PHASE_SILENT;
	connection->since_ns = clock_monotonic_ns();
	pthread_mutex_lock(&all->lock);
	connection->next = all->first;
	if (all->first)
		all->first->former = connection;
	all->first = connection;
	make_room(all, connection->since_ns);
	pthread_mutex_unlock(&all->lock);
}

static void end(struct serve_connections *all, struct connection *connection)
{
	pthread_mutex_lock(&all->lock);
	if (connection->former)
		connection->former->next = connection->next;
	else
		all->first = connection->next;
	if (connection->next)
		connection->next->former = connection->former;
	pthread_mutex_unlock(&all->lock);
	free(connection);
}

void serve_connections_notify(void *connections, struct MHD_Connection *connection, void **place,
	enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		begin(connections, connection, place);
	else if (*place)
		end(connections, *place);
}

static void note(struct MHD_Connection *from, enum phase phase)
{
	const union MHD_ConnectionInfo *information =
		mhd.get_connection_info(from, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = information ? information->socket_context : NULL;

	if (!connection)
		return;
	pthread_mutex_lock(&connection->all->lock);
	connection->phase = phase;
	connection->since_ns = clock_monotonic_ns();
	if (phase == PHASE_KEPT)
		count_bytes(connection->socket, &connection->nr_bytes);
	pthread_mutex_unlock(&connection->all->lock);
}

void serve_connections_note_request(struct MHD_Connection *connection)
{
	note(connection, PHASE_ANSWERING);
}

void serve_connections_note_events(struct MHD_Connection *connection)
{
	note(connection, PHASE_EVENTS);
}

void serve_connections_note_answer(struct MHD_Connection *connection)
{
	note(connection, PHASE_KEPT);
}

/* An answer may take any time as long as bytes move; libmicrohttpd checks that. */
static bool is_late(const struct connection *connection, uint64_t now_ns)
{
	return connection->phase < PHASE_ANSWERING &&
	       now_ns > connection->since_ns + SERVE_REQUEST_SECONDS * SECOND;
}

void serve_connections_close_slow(struct serve_connections *connections, uint64_t now_ns)
{
	struct connection *connection;

	pthread_mutex_lock(&connections->lock);
	for (connection = connections->first; connection; connection = connection->next)
		if (!connection->is_going && is_late(connection, now_ns))
			let_go(connection);
	pthread_mutex_unlock(&connections->lock);
}
