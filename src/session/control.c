/* SPDX-License-Identifier: MIT */
/*
 * Serves one connection at a time, each for a short time: an order is a line, and its answer fits into a socket's
 * buffer.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text.h"
#include "base/thread.h"
#include "session/control.h"
#include "session/control_name.h"

#define NR_NAMES 2 /* the traced process's name, and our own */
#define BACKLOG 8
#define LINE_MS 2000 /* time from the connection to the end of its line */
#define MILLISECOND_NS UINT64_C(1000000)

struct control {
	struct steering *steering;
	pthread_t thread;
	int stopping;            /* an eventfd */
	int listening[NR_NAMES]; /* -1: the name was taken by another process */
};

/* ---------------------------------------------------------------- one connection */

static bool is_welcome(int peer)
{
	struct ucred who;
	socklen_t length = sizeof(who);

	if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &length))
		return false;
	return who.uid == 0 || who.uid == geteuid();
}

/* Ends the line. Bytes after the line are ignored; a line that contains a NUL becomes empty. */
static bool end_line(char *line, size_t nr_bytes)
{
	char *end = memchr(line, '\n', nr_bytes);

	if (!end)
		end = line + nr_bytes;
	*end = '\0';
	if (strlen(line) != (size_t)(end - line))
		*line = '\0';
	return true;
}

/*
 * Reads up to the end of the line, or of what the peer sends. Returns false if the line takes too long, or is too long.
 */
static bool read_line(const struct control *control, int peer, char line[STEERING_ORDER_BYTES + 1])
{
	struct pollfd waited[] = {
		{.fd = peer, .events = POLLIN}, {.fd = control->stopping, .events = POLLIN}};
	uint64_t until_ns = clock_monotonic_ns() + LINE_MS * MILLISECOND_NS, now_ns;
	size_t used = 0;
	ssize_t came;

	while ((now_ns = clock_monotonic_ns()) < until_ns && used < STEERING_ORDER_BYTES) {
		if (poll(waited, 2, (int)((until_ns - now_ns) / MILLISECOND_NS) + 1) < 0 &&
			errno != EINTR)
			return false;
		if (waited[1].revents)
			return false;
		came = recv(peer, line + used, STEERING_ORDER_BYTES - used, MSG_DONTWAIT);
		if (came < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		used += came > 0 ? (size_t)came : 0;
		line[used] = '\0';
		if (came <= 0 || memchr(line, '\n', used))
			return came >= 0 && end_line(line, used);
	}
	return false;
}

static void tell_state(struct text *text, struct steering *steering)
{
	struct ct_record_now now;

	steering_now(steering, &now);
	text_add(text, "ok\n");
#define X(type, name, unit, meaning)                  \
	text_add(text, #name " ");                    \
	text_digits(text, (uint64_t)now.name, 10, 1); \
	text_add(text, "\n");
#include "corotracer/def/now.def"
#undef X
}

static void answer(const struct control *control, int peer)
{
	char line[STEERING_ORDER_BYTES + 1];
	struct text text = {0};
	struct ct_error error;

	if (!read_line(control, peer, line))
		return;
	if (steering_ask(control->steering, line, &error) == CT_OK)
		tell_state(&text, control->steering);
	else
		text_format(&text, "error %s %s\n", ct_status_name(error.status), error.text);
	if (!text.is_broken)
		(void)!send(peer, text_peek(&text), text.length, MSG_NOSIGNAL | MSG_DONTWAIT);
	text_fini(&text);
}

static void take_peer(const struct control *control, int listening)
{
	static const char refusal[] = "error refused this recording is another user's\n";
	int peer = accept4(listening, NULL, NULL, SOCK_CLOEXEC);

	if (peer < 0)
		return;
	if (is_welcome(peer))
		answer(control, peer);
	else
		(void)!send(peer, refusal, sizeof(refusal) - 1, MSG_NOSIGNAL | MSG_DONTWAIT);
	close(peer);
}

static void *take_orders(void *argument)
{
	struct control *control = argument;
	struct pollfd waited[NR_NAMES + 1] = {{.fd = control->stopping, .events = POLLIN}};
	int i;

	for (i = 0; i < NR_NAMES; i++)
		waited[i + 1] = (struct pollfd){.fd = control->listening[i], .events = POLLIN};
	for (;;) {
		if (poll(waited, NR_NAMES + 1, -1) < 0 && errno != EINTR)
			return NULL;
		if (waited[0].revents)
			return NULL;
		for (i = 0; i < NR_NAMES; i++)
			if (waited[i + 1].revents)
				take_peer(control, control->listening[i]);
	}
}

/* ---------------------------------------------------------------- opening and closing */

static int listen_as(int64_t pid)
{
	struct sockaddr_un address;
	socklen_t length = control_name_of(pid, &address);
	int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (made < 0)
		return -1;
	if (bind(made, (const struct sockaddr *)&address, length) == 0 &&
		listen(made, BACKLOG) == 0)
		return made;
	close(made);
	return -1;
}

static void free_control(struct control *control)
{
	int i;

	for (i = 0; i < NR_NAMES; i++)
		if (control->listening[i] >= 0)
			close(control->listening[i]);
	if (control->stopping >= 0)
		close(control->stopping);
	free(control);
}

struct control *control_open(struct steering *steering, int64_t target_pid)
{
	struct control *control = calloc(1, sizeof(*control));

	if (!control)
		return NULL;
	control->steering = steering;
	control->stopping = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	control->listening[0] = listen_as(target_pid);
	control->listening[1] = listen_as(getpid());
	if (control->stopping >= 0 && (control->listening[0] >= 0 || control->listening[1] >= 0) &&
		thread_start(&control->thread, take_orders, control) == 0)
		return control;
	free_control(control);
	return NULL;
}

void control_close(struct control *control)
{
	uint64_t one = 1;

	if (!control)
		return;
	(void)!write(control->stopping, &one, sizeof(one));
	pthread_join(control->thread, NULL);
	free_control(control);
}
