/* SPDX-License-Identifier: MIT */
/*
 * A program without tracing, for the tests of the descriptor ledger: each sub-command is one thing that real programs
 * do with descriptors. The program itself checks that every call behaves like libc's, and exits 1 if one does not; the
 * test judges what the ledger wrote. Must never link any part of corotracer.
 */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "need.h"

/* Runs before every constructor, including the ledger's: forwarding must already work. */
static int early_pair[2] = {-1, -1};
static ssize_t early_written;

static void early(void)
{
	if (pipe(early_pair) == 0)
		early_written = write(early_pair[1], "early", 5);
}

__attribute__((section(".preinit_array"), used)) static void (*const early_entry)(void) = early;

static int do_early(void)
{
	char buffer[8];

	NEED(early_written == 5);
	NEED(read(early_pair[0], buffer, sizeof(buffer)) == 5);
	NEED(memcmp(buffer, "early", 5) == 0);
	NEED(close(early_pair[0]) == 0 && close(early_pair[1]) == 0);
	return 0;
}

/* A single place in the code, even if the compiler unrolls loops around it. */
__attribute__((noinline)) static void close_here(int fd)
{
	NEED(close(fd) == 0);
}

/* Uses the same number three times. */
static int do_reuse(void)
{
	int first = socket(AF_UNIX, SOCK_STREAM, 0);
	int i;

	NEED(first >= 0);
	for (i = 0; i < 3; i++) {
		close_here(first);
		NEED(socket(AF_UNIX, SOCK_STREAM, 0) == first);
	}
	NEED(close(first) == 0);
	return 0;
}

static int do_pair(void)
{
	struct iovec part;
	char buffer[16];
	int pair[2];

	NEED(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) == 0);
	NEED(write(pair[0], "abc", 3) == 3);
	NEED(read(pair[1], buffer, sizeof(buffer)) == 3);
	NEED(read(pair[1], buffer, sizeof(buffer)) == -1 && errno == EAGAIN);
	NEED(send(pair[1], "defg", 4, MSG_NOSIGNAL) == 4);
	part.iov_base = buffer;
	part.iov_len = sizeof(buffer);
	NEED(readv(pair[0], &part, 1) == 4);
	NEED(shutdown(pair[0], SHUT_WR) == 0);
	NEED(recv(pair[1], buffer, sizeof(buffer), 0) == 0);
	NEED(close(pair[0]) == 0 && close(pair[1]) == 0);
	return 0;
}

static int do_file(void)
{
	char path[] = "/tmp/ledger_target.XXXXXX";
	int made = mkstemp(path);
	int fd;

	NEED(made >= 0 && close(made) == 0);
	fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	NEED(fd >= 0);
	NEED(write(fd, "abc", 3) == 3);
	NEED(close(fd) == 0);
	NEED(unlink(path) == 0);
	fd = open("/tmp", O_TMPFILE | O_RDWR, 0640);
	NEED(fd >= 0 || errno == EOPNOTSUPP);
	if (fd >= 0)
		NEED(close(fd) == 0);
	return 0;
}

static int do_dup(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int number;

	NEED(fd >= 0);
	NEED(dup2(fd, 50) == 50);
	NEED(dup2(fd, 50) == 50); /* closes the previous file */
	NEED(dup2(50, 50) == 50); /* does nothing */
	NEED(dup2(999, 50) == -1 && errno == EBADF);
	NEED(dup3(50, 50, 0) == -1 && errno == EINVAL);
	NEED(dup3(fd, 51, O_CLOEXEC) == 51);
	number = fcntl(fd, F_DUPFD_CLOEXEC, 60);
	NEED(number == 60);
	NEED(fcntl(60, F_GETFD) == FD_CLOEXEC);
	NEED(fcntl(60, F_SETFL, fcntl(60, F_GETFL) | O_NONBLOCK) == 0);
	NEED(close(fd) == 0 && close(50) == 0 && close(51) == 0 && close(60) == 0);
	return 0;
}

static int do_epoll(void)
{
	struct epoll_event event = {
		.events = EPOLLIN | EPOLLET | EPOLLONESHOT, .data.u64 = UINT64_C(0xfeedfacecafe)};
	struct epoll_event ready[4];
	eventfd_t value;
	int set = epoll_create1(EPOLL_CLOEXEC);
	int fd = eventfd(0, EFD_NONBLOCK);

	NEED(set >= 0 && fd >= 0);
	NEED(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0);
	NEED(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == -1 && errno == EEXIST);
	NEED(epoll_wait(set, ready, 4, 0) == 0);
	NEED(eventfd_write(fd, 7) == 0);
	NEED(epoll_wait(set, ready, 4, -1) == 1 && ready[0].data.u64 == event.data.u64);
	NEED(eventfd_read(fd, &value) == 0 && value == 7);
	event.events = EPOLLIN | EPOLLOUT;
	NEED(epoll_ctl(set, EPOLL_CTL_MOD, fd, &event) == 0);
	NEED(epoll_wait(set, ready, 4, 250) == 1);
	NEED(epoll_ctl(set, EPOLL_CTL_DEL, fd, NULL) == 0);
	NEED(epoll_wait(set, ready, 4, 1) == 0);
	NEED(epoll_wait(-1, ready, 4, 1) == -1 && errno == EBADF);
	NEED(close(fd) == 0 && close(set) == 0);
	return 0;
}

static int do_poll(void)
{
	struct pollfd fds[2];
	struct timeval limit = {1, 0};
	fd_set readable;
	int pair[2];

	NEED(pipe2(pair, O_CLOEXEC) == 0);
	NEED(write(pair[1], "x", 1) == 1);
	fds[0].fd = pair[0];
	fds[0].events = POLLIN;
	fds[1].fd = pair[1];
	fds[1].events = POLLOUT;
	NEED(poll(fds, 2, 1000) == 2);
	FD_ZERO(&readable);
	FD_SET(pair[0], &readable);
	NEED(select(pair[0] + 1, &readable, NULL, NULL, &limit) == 1);
	NEED(close(pair[0]) == 0 && close(pair[1]) == 0);
	return 0;
}

static int do_accept(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof(address);
	int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);
	int server;

	NEED(listener >= 0 && client >= 0);
	NEED(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	NEED(listen(listener, 4) == 0);
	NEED(getsockname(listener, (struct sockaddr *)&address, &length) == 0);
	NEED(accept(listener, NULL, NULL) == -1 && errno == EAGAIN);
	NEED(connect(client, (struct sockaddr *)&address, sizeof(address)) == 0);
	server = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	NEED(server >= 0);
	NEED(close(server) == 0 && close(client) == 0 && close(listener) == 0);
	return 0;
}

/* A second client of the same path waits in the listener's queue; a third connect is refused, and made again. */
static int do_accept_path(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	struct sockaddr_un nowhere = {.sun_family = AF_UNIX, .sun_path = "/nonexistent/path"};
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	int first = socket(AF_UNIX, SOCK_STREAM, 0);
	int second = socket(AF_UNIX, SOCK_STREAM, 0);
	int server, other;

	snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "ledger-%d", getpid());
	NEED(bind(listener, (struct sockaddr *)&address, sizeof(address)) == 0);
	NEED(listen(listener, 4) == 0);
	NEED(connect(first, (struct sockaddr *)&nowhere, sizeof(nowhere)) == -1);
	NEED(connect(second, (struct sockaddr *)&address, sizeof(address)) == 0);
	NEED(connect(first, (struct sockaddr *)&address, sizeof(address)) == 0);
	server = accept(listener, NULL, NULL);
	other = accept(listener, NULL, NULL);
	NEED(server >= 0 && other >= 0);
	NEED(close(other) == 0 && close(server) == 0 && close(second) == 0 && close(first) == 0);
	NEED(close(listener) == 0);
	return 0;
}

/*
 * Datagrams: two of the process itself, of which only the first is news; one that is read without its sender; and one
 * of another process, after which nothing is news.
 */
static int do_datagrams(void)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct sockaddr_storage from;
	struct iovec part = {.iov_base = (char[8]){0}, .iov_len = 8};
	struct mmsghdr messages[2] = {{.msg_hdr = {.msg_name = &from,
					       .msg_namelen = sizeof(from),
					       .msg_iov = &part,
					       .msg_iovlen = 1}},
		{.msg_hdr = {.msg_name = &from,
			 .msg_namelen = sizeof(from),
			 .msg_iov = &part,
			 .msg_iovlen = 1}}};
	socklen_t length = sizeof(address), from_length = sizeof(from);
	int server = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int client = socket(AF_INET, SOCK_DGRAM, 0);
	int i, status;
	pid_t other;

	NEED(server >= 0 && client >= 0);
	NEED(bind(server, (struct sockaddr *)&address, sizeof(address)) == 0);
	NEED(getsockname(server, (struct sockaddr *)&address, &length) == 0);
	for (i = 0; i < 2; i++)
		NEED(sendto(client, "x", 1, 0, (struct sockaddr *)&address, length) == 1);
	NEED(recvfrom(server, part.iov_base, 8, 0, (struct sockaddr *)&from, &from_length) == 1);
	NEED(recvmmsg(server, messages, 2, MSG_DONTWAIT, NULL) == 1);
	NEED(sendto(server, "yy", 2, 0, (struct sockaddr *)&from, from_length) == 2);
	NEED(recv(client, part.iov_base, 8, 0) == 2);
	other = fork();
	if (other == 0) {
		int fd = socket(AF_INET, SOCK_DGRAM, 0);

		_exit(sendto(fd, "zzz", 3, 0, (struct sockaddr *)&address, length) != 3);
	}
	NEED(waitpid(other, &status, 0) == other && status == 0);
	for (i = 0; i < 2; i++) {
		NEED(recvfrom(server, part.iov_base, 8, 0, NULL, NULL) == (i ? 1 : 3));
		NEED(i || sendto(client, "x", 1, 0, (struct sockaddr *)&address, length) == 1);
	}
	NEED(close(client) == 0 && close(server) == 0);
	return 0;
}

static int do_timer(void)
{
	struct itimerspec value = {.it_value = {.tv_sec = 100}};
	struct itimerspec none = {.it_value = {.tv_sec = 0}};
	int fd = timerfd_create(CLOCK_REALTIME, 0);

	NEED(fd >= 0);
	NEED(timerfd_settime(fd, 0, &value, NULL) == 0);
	NEED(clock_gettime(CLOCK_REALTIME, &value.it_value) == 0);
	value.it_value.tv_sec += 200;
	value.it_interval.tv_sec = 5;
	NEED(timerfd_settime(fd, TFD_TIMER_ABSTIME, &value, NULL) == 0);
	NEED(timerfd_settime(fd, 0, &none, NULL) == 0);
	NEED(close(fd) == 0);
	return 0;
}

static void send_descriptor(int through, int fd)
{
	char byte = 'd';
	struct iovec part = {&byte, 1};
	union {
		struct cmsghdr header;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room)};

	memset(&control, 0, sizeof(control));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
	NEED(sendmsg(through, &message, 0) == 1);
}

static int do_types(void)
{
	sigset_t none;
	int fds[5];
	int i;

	sigemptyset(&none);
	fds[0] = open("/dev/null", O_RDONLY);
	fds[1] = memfd_create("types", MFD_CLOEXEC);
	fds[2] = signalfd(-1, &none, 0);
	fds[3] = inotify_init1(IN_CLOEXEC);
	fds[4] = dup(fds[3]);
	for (i = 4; i >= 0; i--)
		NEED(fds[i] >= 0 && close(fds[i]) == 0);
	return 0;
}

static int do_received(void)
{
	char byte;
	struct iovec part = {&byte, 1};
	char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control)};
	int pair[2], received;

	NEED(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
	send_descriptor(pair[0], 0);
	NEED(recvmsg(pair[1], &message, 0) == 1);
	memcpy(&received, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(received));
	NEED(close(received) == 0 && close(pair[0]) == 0 && close(pair[1]) == 0);
	return 0;
}

/* errno is unchanged by success, and is libc's own after a failure. */
static int do_errno(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	int set = epoll_create1(0);
	int fd = eventfd(0, EFD_NONBLOCK);
	char byte;

	errno = 4242;
	NEED(epoll_ctl(set, EPOLL_CTL_ADD, fd, &event) == 0 && errno == 4242);
	NEED(epoll_wait(set, &event, 1, 0) == 0 && errno == 4242);
	NEED(eventfd_write(fd, 1) == 0 && errno == 4242);
	NEED(poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1) == 1 && errno == 4242);
	NEED(fcntl(fd, F_GETFD) == 0 && errno == 4242);
	NEED(close(fd) == 0 && errno == 4242);
	NEED(close(fd) == -1 && errno == EBADF);
	NEED(close(-1) == -1 && errno == EBADF);
	NEED(read(fd, &byte, 1) == -1 && errno == EBADF);
	NEED(write(1 << 25, &byte, 1) == -1 && errno == EBADF);
	NEED(dup(fd) == -1 && errno == EBADF);
	NEED(open("/nonexistent/file", O_RDONLY) == -1 && errno == ENOENT);
	NEED(accept(set, NULL, NULL) == -1 && errno == ENOTSOCK);
	NEED(connect(fd, NULL, 0) == -1 && errno == EBADF);
	NEED(epoll_wait(set, NULL, 0, 0) == -1 && errno == EINVAL);
	NEED(close(set) == 0);
	return 0;
}

/* Closes descriptors in a signal handler that runs at any instant. */
static volatile sig_atomic_t handler_closed;

static void close_in_handler(int number)
{
	int kept = errno;
	int fd = dup(0);

	(void)number;
	NEED(fd >= 0 && close(fd) == 0);
	handler_closed++;
	errno = kept;
}

static int do_handler(void)
{
	struct sigaction action = {.sa_handler = close_in_handler, .sa_flags = SA_RESTART};
	struct itimerval tick = {{0, 200}, {0, 200}};
	struct itimerval none = {{0, 0}, {0, 0}};
	long closed = 0;

	NEED(sigaction(SIGALRM, &action, NULL) == 0);
	NEED(setitimer(ITIMER_REAL, &tick, NULL) == 0);
	while (handler_closed < 300) {
		int fd = socket(AF_UNIX, SOCK_STREAM, 0);

		NEED(fd >= 0 && close(fd) == 0);
		closed++;
	}
	NEED(setitimer(ITIMER_REAL, &none, NULL) == 0);
	printf("%ld\n", closed + handler_closed);
	return 0;
}

/* A child closes its own copy; the parent's stays open. */
static int await_child(pid_t child)
{
	int status;

	NEED(child > 0);
	NEED(waitpid(child, &status, 0) == child);
	NEED(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return 0;
}

static int do_fork(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t child;

	NEED(fd >= 0);
	child = fork();
	if (child == 0) {
		NEED(close(fd) == 0);
		NEED(socket(AF_UNIX, SOCK_STREAM, 0) == fd);
		_exit(0);
	}
	await_child(child);
	NEED(close(fd) == 0);
	return 0;
}

static int do_vfork(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t child;

	NEED(fd >= 0);
	child = vfork();
	if (child == 0) {
		close(fd);
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	await_child(child);
	NEED(close(fd) == 0);
	return 0;
}

static int do_exec(const char *self)
{
	NEED(close(socket(AF_UNIX, SOCK_STREAM, 0)) == 0);
	execl(self, self, "reuse", (char *)NULL);
	return 1;
}

static int do_close_all(void)
{
	int fd;

	for (fd = 3; fd < 1024; fd++)
		close(fd); /* closes the segment's descriptor, too */
	fd = socket(AF_UNIX, SOCK_STREAM, 0);
	NEED(fd == 3);
	NEED(close_range(3, ~0u, 0) == 0);
	NEED(socket(AF_UNIX, SOCK_STREAM, 0) == 3);
	return 0;
}

/* ------------------------------------------------------------ threads */

static void *open_and_close(void *unused)
{
	int i;

	for (i = 0; i < 2000; i++)
		NEED(close(eventfd(0, 0)) == 0);
	return unused;
}

static int do_threads(void)
{
	pthread_t threads[4];
	int i;

	for (i = 0; i < 4; i++)
		NEED(pthread_create(&threads[i], NULL, open_and_close, NULL) == 0);
	for (i = 0; i < 4; i++)
		NEED(pthread_join(threads[i], NULL) == 0);
	return 0;
}

/* A thread that is cancelled inside a wrapped call unwinds through it. */
static void count_cleanup(void *counter)
{
	++*(int *)counter;
}

static void *read_for_ever(void *end)
{
	static int cleaned;
	char byte;

	pthread_cleanup_push(count_cleanup, &cleaned);
	NEED(read(*(int *)end, &byte, 1) != 1);
	pthread_cleanup_pop(1);
	return &cleaned;
}

static int do_cancel(void)
{
	pthread_t thread;
	void *result;
	int pair[2];

	NEED(pipe(pair) == 0);
	NEED(pthread_create(&thread, NULL, read_for_ever, &pair[0]) == 0);
	NEED(pthread_cancel(thread) == 0);
	NEED(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED);
	return 0;
}

/* ------------------------------------------------------------ cost */

static double nanoseconds_each(int fd, int rounds)
{
	struct timespec begin, end;
	char byte = 0;
	int i;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (i = 0; i < rounds; i++)
		NEED(write(fd, &byte, 0) == 0);
	clock_gettime(CLOCK_MONOTONIC, &end);
	return ((double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec)) /
	       rounds;
}

/* Nanoseconds of one empty write: to a file (forwarded) and to a pipe (recorded). */
static int do_cost(void)
{
	int pair[2];
	int file = open("/tmp", O_TMPFILE | O_RDWR, 0600);

	NEED(file >= 0 && pipe(pair) == 0);
	nanoseconds_each(pair[1], 20000);
	printf("%.1f %.1f\n", nanoseconds_each(file, 200000), nanoseconds_each(pair[1], 200000));
	return 0;
}

/* ------------------------------------------------------------ main */

static const struct {
	const char *name;
	int (*run)(void);
} commands[] = {
	{"early", do_early},
	{"reuse", do_reuse},
	{"pair", do_pair},
	{"file", do_file},
	{"dup", do_dup},
	{"epoll", do_epoll},
	{"poll", do_poll},
	{"accept", do_accept},
	{"accept-path", do_accept_path},
	{"datagrams", do_datagrams},
	{"timer", do_timer},
	{"types", do_types},
	{"received", do_received},
	{"errno", do_errno},
	{"handler", do_handler},
	{"fork", do_fork},
	{"vfork", do_vfork},
	{"close-all", do_close_all},
	{"threads", do_threads},
	{"cancel", do_cancel},
	{"cost", do_cost},
};

int main(int nr_arguments, char **arguments)
{
	size_t i;

	if (nr_arguments != 2)
		return 2;
	if (strcmp(arguments[1], "exec") == 0)
		return do_exec(arguments[0]);
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(arguments[1], commands[i].name) == 0)
			return commands[i].run();
	}
	return 2;
}
