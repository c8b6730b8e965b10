/* SPDX-License-Identifier: MIT */
/* Sockets, and the system calls behind the awaiters. */
#include "socket.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

Socket::Socket(Reactor &reactor, int fd) : reactor_(reactor)
{
	if (fd >= 0)
		descriptor_ = reactor.open(fd);
}

Socket::Socket(Socket &&other) noexcept
    : reactor_(other.reactor_), descriptor_(std::exchange(other.descriptor_, Descriptor{}))
{
}

Socket::~Socket()
{
	close();
}

void Socket::close()
{
	Descriptor descriptor = std::exchange(descriptor_, Descriptor{});

	if (descriptor.fd >= 0)
		reactor_.close(descriptor);
}

ssize_t AsyncRead::await_resume() const noexcept
{
	ssize_t got;

	if (wait_result() < 0)
		return wait_result();
	got = recv(fd(), buffer_.data(), buffer_.size(), 0);
	return got < 0 ? -errno : got;
}

ssize_t AsyncWrite::send_now() const noexcept
{
	ssize_t sent = send(fd(), text_.data(), text_.size(), MSG_NOSIGNAL);

	return sent < 0 ? -errno : sent;
}

bool AsyncWrite::await_ready() noexcept
{
	sent_ = send_now();
	return sent_ != -EAGAIN;
}

ssize_t AsyncWrite::await_resume() noexcept
{
	if (sent_ != -EAGAIN)
		return sent_;
	return wait_result() < 0 ? wait_result() : send_now();
}

int AsyncAccept::accept_now() const noexcept
{
	int accepted = accept4(fd(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);

	return accepted < 0 ? -errno : accepted;
}

bool AsyncAccept::await_ready() noexcept
{
	accepted_ = accept_now();
	return accepted_ != -EAGAIN;
}

int AsyncAccept::await_resume() noexcept
{
	if (accepted_ != -EAGAIN)
		return accepted_;
	return wait_result() < 0 ? wait_result() : accept_now();
}

namespace
{

[[noreturn]] void fail(int fd, const char *what)
{
	int error = errno;

	if (fd >= 0)
		close(fd);
	throw std::system_error(error, std::generic_category(), what);
}

uint16_t port_of(int fd)
{
	sockaddr_in address{};
	socklen_t length = sizeof(address);

	if (getsockname(fd, reinterpret_cast<sockaddr *>(&address), &length) < 0)
		fail(fd, "getsockname");
	return ntohs(address.sin_port);
}

} // namespace

int listen_on_loopback(uint16_t port, uint16_t &ret_port)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	sockaddr_in address{};
	int on = 1;

	if (fd < 0)
		fail(fd, "socket");
	address.sin_family = AF_INET;
	address.sin_port = htons(port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) < 0)
		fail(fd, "bind");
	if (listen(fd, SOMAXCONN) < 0)
		fail(fd, "listen");
	ret_port = port_of(fd);
	return fd;
}
