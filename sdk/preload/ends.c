/* SPDX-License-Identifier: MIT */
/* Ends of connections (ends.h). */
#include "ends.h"

#include <string.h>

bool ends_read(const struct sockaddr_storage *from, struct end *ret_end)
{
	static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
	const struct sockaddr_in *in4 = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)from;

	if (from->ss_family == AF_INET6) {
		memcpy(ret_end->address, &in6->sin6_addr, sizeof(ret_end->address));
		ret_end->port = ntohs(in6->sin6_port);
		return true;
	}
	if (from->ss_family != AF_INET)
		return false;
	memcpy(ret_end->address, mapped, sizeof(mapped));
	memcpy(ret_end->address + sizeof(mapped), &in4->sin_addr, sizeof(in4->sin_addr));
	ret_end->port = ntohs(in4->sin_port);
	return true;
}

bool ends_find(int fd, int (*ask)(int, __SOCKADDR_ARG, socklen_t *), struct end *ret_end)
{
	struct sockaddr_storage address;
	socklen_t length = sizeof(address);

	return ask(fd, (struct sockaddr *)&address, &length) == 0 && ends_read(&address, ret_end);
}

bool ends_are_same(const struct end *one, const struct end *other)
{
	return one->port == other->port &&
	       memcmp(one->address, other->address, sizeof(one->address)) == 0;
}
