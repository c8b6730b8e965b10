/* SPDX-License-Identifier: MIT */
/*
 * An HTTP server on this machine that gives the answers of a list, one to each request, whatever is asked for; it keeps
 * what was asked. Answers may be cut short, or not come at all until the client gives up.
 */
#ifndef TESTS_SCRIPTED_SERVER_H
#define TESTS_SCRIPTED_SERVER_H

#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#define SCRIPTED_MOST 32
#define SCRIPTED_BYTES 65536

struct scripted_answer {
	/* The first line and the headers, without the empty line. NULL: silence until the client closes. */
	const char *head;
	const char *body;
};

struct scripted_server {
	int listening;
	unsigned port;
	const struct scripted_answer *answers;
	unsigned nr_answers;
	unsigned nr_asked;
	char asked[SCRIPTED_MOST][SCRIPTED_BYTES]; /* each request, headers and body */
	pthread_t thread;
	int has_ended; /* the thread was waited for: what was asked may be read */
};

/* Reads one request into `asked`; false: the client closed. */
static inline int scripted_read(int connection, char *asked)
{
	size_t length = 0, wanted = 0;
	const char *end, *said;
	ssize_t got;

	for (;;) {
		got = recv(connection, asked + length, SCRIPTED_BYTES - 1 - length, 0);
		if (got <= 0)
			return 0;
		length += (size_t)got;
		asked[length] = '\0';
		end = strstr(asked, "\r\n\r\n");
		said = end ? strcasestr(asked, "\r\nContent-Length:") : NULL;
		wanted = said && said < end ? strtoul(said + 17, NULL, 10) : 0;
		if (end && length >= (size_t)(end - asked) + 4 + wanted)
			return 1;
	}
}

static inline void scripted_answer(int connection, const struct scripted_answer *answer)
{
	char byte;

	if (!answer->head) {
		while (recv(connection, &byte, 1, 0) > 0)
			;
		return;
	}
	dprintf(connection, "%s\r\nConnection: close\r\n\r\n%s", answer->head,
		answer->body ? answer->body : "");
}

static inline void *scripted_run(void *context)
{
	struct scripted_server *server = context;
	int connection;

	while (server->nr_asked < server->nr_answers &&
		(connection = accept(server->listening, NULL, NULL)) >= 0) {
		if (scripted_read(connection, server->asked[server->nr_asked]))
			scripted_answer(connection, &server->answers[server->nr_asked++]);
		close(connection);
	}
	return NULL;
}

static inline struct scripted_server *scripted_open(
	const struct scripted_answer *answers, unsigned nr_answers)
{
	struct scripted_server *server = calloc(1, sizeof(*server));
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);

	server->answers = answers;
	server->nr_answers = nr_answers;
	server->listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(server->listening, (struct sockaddr *)&address, sizeof(address)) ||
		listen(server->listening, 8) ||
		getsockname(server->listening, (struct sockaddr *)&address, &length))
		abort();
	server->port = ntohs(address.sin_port);
	pthread_create(&server->thread, NULL, scripted_run, server);
	return server;
}

/* Waits until all answers were given; call it when nothing is asked any more, and before what was asked is read. */
static inline void scripted_wait(struct scripted_server *server)
{
	if (server->has_ended)
		return;
	shutdown(server->listening, SHUT_RDWR);
	pthread_join(server->thread, NULL);
	server->has_ended = 1;
}

static inline void scripted_close(struct scripted_server *server)
{
	scripted_wait(server);
	close(server->listening);
	free(server);
}

#endif
