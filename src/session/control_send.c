/* SPDX-License-Identifier: MIT */
/*
 * The counterpart of control.c: sends an order to a recording that another program makes. Another process may have
 * taken the name, so the peer's identity is checked first.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/failure.h"
#include "corotracer/control.h"
#include "session/control_name.h"
#include "session/steering_order.h"

#define PATIENCE_SECONDS 10 /* longer than the recording's own time-out */

static bool is_owner(int64_t pid, uid_t user)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%lld", (long long)pid);
	return stat(path, &status) == 0 && status.st_uid == user;
}

static enum ct_status check_peer(int peer, int64_t pid, struct ct_error *reterr)
{
	struct ucred who;
	socklen_t length = sizeof(who);

	if (getsockopt(peer, SOL_SOCKET, SO_PEERCRED, &who, &length))
		return ct_fail_errno(reterr, "asking who answers");
	if (who.uid == 0 || who.uid == geteuid() || is_owner(pid, who.uid))
		return CT_OK;
	return ct_fail(reterr, CT_ERR_REFUSED,
		"process %lld: what takes its orders is another user's", (long long)pid);
}

static enum ct_status connect_to(int peer, int64_t pid, struct ct_error *reterr)
{
	struct timeval patience = {.tv_sec = PATIENCE_SECONDS};
	struct sockaddr_un address;
	socklen_t length = control_name_of(pid, &address);

	setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(peer, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
	if (connect(peer, (const struct sockaddr *)&address, length) == 0)
		return check_peer(peer, pid, reterr);
	if (errno != ECONNREFUSED && errno != ENOENT)
		return ct_fail_errno(
			reterr, "reaching the recording of process %lld", (long long)pid);
	return ct_fail(reterr, CT_ERR_NOT_FOUND,
		"process %lld is not recorded here, and records nothing itself", (long long)pid);
}

static enum ct_status send_order(int peer, const char *order, struct ct_error *reterr)
{
	struct iovec parts[] = {
		{(void *)(uintptr_t)order, strlen(order)}, {(void *)(uintptr_t) "\n", 1}};
	struct msghdr message = {.msg_iov = parts, .msg_iovlen = 2};

	if (parts[0].iov_len >= STEERING_ORDER_BYTES || strchr(order, '\n'))
		return ct_fail(reterr, CT_ERR_USAGE, "an order is one line, and shorter than that");
	/* A recording that refuses the peer says so before it has read the order, and closes the connection. */
	if (sendmsg(peer, &message, MSG_NOSIGNAL) < 0 && errno != EPIPE)
		return ct_fail_errno(reterr, "giving the order");
	return CT_OK;
}

static enum ct_status read_answer(int peer, char *answer, size_t nr_bytes, struct ct_error *reterr)
{
	size_t used = 0;
	ssize_t came = 1;

	while (came > 0 && used + 1 < nr_bytes) {
		came = recv(peer, answer + used, nr_bytes - 1 - used, 0);
		if (came < 0 && errno == EINTR) {
			came = 1;
			continue;
		}
		used += came > 0 ? (size_t)came : 0;
	}
	answer[used] = '\0';
	return used ? CT_OK : ct_fail(reterr, CT_ERR_BUSY, "the recording has not answered");
}

static enum ct_status status_named(const char *name, size_t length)
{
	static const struct {
		enum ct_status status;
		const char *name;
	} statuses[] = {
#define X(name, value, exit_code, text, meaning) {CT_##name, text},
#include "corotracer/def/status.def"
#undef X
	};
	size_t i;

	for (i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
		if (strlen(statuses[i].name) == length &&
			memcmp(statuses[i].name, name, length) == 0 && statuses[i].status < 0)
			return statuses[i].status;
	return CT_ERR_CORRUPT;
}

/* Parses "ok" and the lines after it, which are kept; or "error NAME SENTENCE". */
static enum ct_status understand(char *answer, struct ct_error *reterr)
{
	char *name = answer + strlen("error "), *sentence;

	if (strncmp(answer, "ok\n", 3) == 0) {
		memmove(answer, answer + 3, strlen(answer + 3) + 1);
		return CT_OK;
	}
	if (strncmp(answer, "error ", strlen("error ")) != 0)
		return ct_fail(reterr, CT_ERR_CORRUPT, "the answer cannot be understood");
	sentence = name + strcspn(name, " \n");
	return ct_fail(reterr, status_named(name, (size_t)(sentence - name)), "%.*s",
		(int)strcspn(sentence + (*sentence == ' '), "\n"), sentence + (*sentence == ' '));
}

enum ct_status ct_control_send(
	int64_t pid, const char *order, char *ret_answer, size_t nr_bytes, struct ct_error *reterr)
{
	int peer = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	enum ct_status status;

	if (peer < 0)
		return ct_fail_errno(reterr, "making a socket");
	status = connect_to(peer, pid, reterr);
	if (status == CT_OK)
		status = send_order(peer, order, reterr);
	if (status == CT_OK)
		status = read_answer(peer, ret_answer, nr_bytes, reterr);
	if (status == CT_OK)
		status = understand(ret_answer, reterr);
	close(peer);
	return status;
}
