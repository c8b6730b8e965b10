/* SPDX-License-Identifier: MIT */
/*
 * Any bytes, sent to a server as a client would send them. Every answer must be HTTP/1.1, and the server's own answers
 * must have the policy; the token must never appear, and no order may be carried out without it; and the server must
 * keep running.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "corotracer/serve.h"
#include "memory_file.h"

#define ANSWER_BYTES 65536
/* an incomplete request is closed only after 10 s, so the harness does not wait for that */
#define SILENT_MS 5
#define CHECK_EVERY 64
#define TOKEN_IS "#token="

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes);

static const char trace[] = "trace from=0 until=2s\n"
			    "process 1 pid=100 program=/bin/server probe ledger\n"
			    "thread 1 tid=101 name=worker-0\n"
			    "site 1 kind=source file=/src/server.cpp line=40 function=accept_loop\n"
			    "1ms t1 create c1 0x11010 @1\n"
			    "+1us t1 suspend c1 descriptor:7 @1\n";

static struct ct_serve *served;

static void close_server(void)
{
	ct_serve_close(served);
}

/* Started only once, because requests do not change it. */
static struct ct_serve *the_server(void)
{
	static struct memory_file file;
	struct ct_serve_options options = {.size = sizeof(options), .listen = "127.0.0.1:0"};

	if (served)
		return served;
	file_set(&file, (const uint8_t *)trace, strlen(trace));
	options.path = file.path;
	require(ct_serve_open(&options, &served, NULL) == CT_OK);
	require(atexit(close_server) == 0);
	return served;
}

static uint16_t port_of(const struct ct_serve *serve)
{
	return (uint16_t)strtoul(strrchr(ct_serve_url(serve), ':') + 1, NULL, 10);
}

static const char *token_of(const struct ct_serve *serve)
{
	return strstr(ct_serve_url(serve), TOKEN_IS) + strlen(TOKEN_IS);
}

static int open_client(const struct ct_serve *serve)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_port = htons(port_of(serve)),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct linger at_once = {.l_onoff = 1};
	int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	require(client >= 0);
	/* The server notices a reset at once, but the end of half a request only when the request is late. */
	setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
	require(connect(client, (struct sockaddr *)&address, sizeof(address)) == 0);
	return client;
}

/* The server may close a refused request before it has read all of it. */
static void send_all(int client, const uint8_t *bytes, size_t nr_bytes)
{
	while (nr_bytes > 0) {
		ssize_t sent = send(client, bytes, nr_bytes, MSG_NOSIGNAL);

		if (sent <= 0)
			return;
		bytes += sent;
		nr_bytes -= (size_t)sent;
	}
}

/* Receives the answers, up to their end, to silence, or to events, which have no end. */
static size_t receive(int client, char *answer)
{
	struct pollfd readable = {.fd = client, .events = POLLIN};
	size_t length = 0;
	ssize_t got;

	while (length < ANSWER_BYTES && !strstr(answer, "text/event-stream") &&
		poll(&readable, 1, SILENT_MS) == 1) {
		got = recv(client, answer + length, ANSWER_BYTES - length, 0);
		if (got <= 0)
			break;
		length += (size_t)got;
		answer[length] = '\0';
	}
	return length;
}

static size_t exchange(
	const struct ct_serve *serve, const uint8_t *bytes, size_t nr_bytes, char *answer)
{
	int client = open_client(serve);
	size_t length;

	answer[0] = '\0';
	send_all(client, bytes, nr_bytes);
	length = receive(client, answer);
	close(client);
	return length;
}

static void check(const struct ct_serve *serve, const char *answer)
{
	require(!*answer || strncmp(answer, "HTTP/1.1 ", 9) == 0);
	require(!strstr(answer, token_of(serve)));
	/* Only orders conflict with what is served, and no order is read without the token. */
	require(strncmp(answer, "HTTP/1.1 409", 12) != 0);
	if (strncmp(answer, "HTTP/1.1 200", 12) == 0 && strstr(answer, "\r\n\r\n"))
		require(strstr(answer, "Content-Security-Policy: default-src 'none'"));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t nr_bytes)
{
	static const char plain[] = "GET /api/v1/state HTTP/1.1\r\nHost: localhost\r\n"
				    "Connection: close\r\n\r\n";
	static char answer[ANSWER_BYTES + 1];
	static unsigned nr_inputs;
	struct ct_serve *serve = the_server();

	/*
	 * The fuzzer sees the values with which its inputs are compared, and so finds the token; a real client cannot.
	 */
	if (memmem(bytes, nr_bytes, token_of(serve), strlen(token_of(serve))))
		return 0;
	exchange(serve, bytes, nr_bytes, answer);
	check(serve, answer);
	if (nr_inputs++ % CHECK_EVERY == 0) {
		while (exchange(serve, (const uint8_t *)plain, strlen(plain), answer) == 0)
			;
		require(strncmp(answer, "HTTP/1.1 200", 12) == 0);
	}
	return 0;
}
