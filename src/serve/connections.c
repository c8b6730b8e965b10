/* SPDX-License-Identifier: MIT */
/*
 * A list under a lock. A socket is shut down here and closed by libmicrohttpd alone, which takes it out of the list
 * before: its number cannot be another one's meanwhile.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "serve/connections.h"

#define LATE_NS (SERVE_REQUEST_SECONDS * UINT64_C(1000000000))

struct connection {
	struct connection *next, *former;
	struct serve_connections *all;
	int socket;
	bool is_answered; /* its request is whole: it waits for us */
	uint64_t since_ns;
};

struct serve_connections {
	pthread_mutex_t lock;
	struct connection *first;
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

static void begin(struct serve_connections *all, struct MHD_Connection *from, void **place)
{
	const union MHD_ConnectionInfo *information =
		MHD_get_connection_info(from, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct connection *connection = calloc(1, sizeof(*connection));

	/* Without memory for it the time between two bytes is its only bound. */
	*place = connection;
	if (!connection || !information) {
		free(connection);
		*place = NULL;
		return;
	}
	connection->all = all;
	connection->socket = information->connect_fd;
	connection->since_ns = clock_monotonic_ns();
	pthread_mutex_lock(&all->lock);
	connection->next = all->first;
	if (all->first)
		all->first->former = connection;
	all->first = connection;
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

static void note(struct MHD_Connection *from, bool is_answered)
{
	const union MHD_ConnectionInfo *information =
		MHD_get_connection_info(from, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct connection *connection = information ? information->socket_context : NULL;

	if (!connection)
		return;
	pthread_mutex_lock(&connection->all->lock);
	connection->is_answered = is_answered;
	connection->since_ns = clock_monotonic_ns();
	pthread_mutex_unlock(&connection->all->lock);
}

void serve_connections_note_request(struct MHD_Connection *connection)
{
	note(connection, true);
}

void serve_connections_note_answer(struct MHD_Connection *connection)
{
	note(connection, false);
}

void serve_connections_close_slow(struct serve_connections *connections, uint64_t now_ns)
{
	struct connection *connection;

	pthread_mutex_lock(&connections->lock);
	for (connection = connections->first; connection; connection = connection->next)
		if (!connection->is_answered && now_ns - connection->since_ns > LATE_NS &&
			now_ns > connection->since_ns)
			shutdown(connection->socket, SHUT_RDWR);
	pthread_mutex_unlock(&connections->lock);
}
