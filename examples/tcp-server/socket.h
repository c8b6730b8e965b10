/* SPDX-License-Identifier: MIT */
/*
 * Sockets for tasks, and what a task can co_await of them: AsyncRead, AsyncWrite, AsyncAccept.
 *
 * Errors come as negative errno values, never as exceptions: an end of a connection is no surprise to
 * a server. An awaiter lives in its co_await expression and is used once.
 */
#ifndef EXAMPLE_SOCKET_H
#define EXAMPLE_SOCKET_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <sys/types.h>

#include "descriptor_wait.h"

/* A non-blocking socket and its place in the reactor. Owns the descriptor. */
class Socket
{
      public:
	/* Takes fd over. The socket is none where fd is negative or the reactor has no room for it. */
	Socket(Reactor &reactor, int fd);
	Socket(Socket &&other) noexcept;
	Socket(const Socket &) = delete;
	Socket &operator=(const Socket &) = delete;
	Socket &operator=(Socket &&) = delete;
	~Socket();

	/* close: at once, instead of with the object. */
	void close();

	/* is_open: false when it is none, was closed, or was moved from. */
	bool is_open() const
	{
		return descriptor_.fd >= 0;
	}

	int fd() const
	{
		return descriptor_.fd;
	}

	Descriptor descriptor() const
	{
		return descriptor_;
	}

	Reactor &reactor() const
	{
		return reactor_;
	}

      private:
	Reactor &reactor_;
	Descriptor descriptor_;
};

/* What the three awaiters share. */
class SocketWait : public DescriptorWait
{
      protected:
	SocketWait(const Socket &socket) : DescriptorWait(socket.reactor(), socket.descriptor())
	{
	}
};

/*
 * ssize_t got = co_await AsyncRead(socket, buffer): waits until the socket is readable, then reads
 * once. 0 at the end of the stream; -EAGAIN where there was nothing to be read after all.
 *
 * AsyncRead never reads ahead of the wait. A connection whose data is always there already would otherwise
 * keep its worker for itself; and a connection that is idle always waits here.
 */
class AsyncRead : public SocketWait
{
      public:
	AsyncRead(const Socket &socket, std::span<char> buffer)
	    : SocketWait(socket), buffer_(buffer)
	{
	}

	bool await_ready() const noexcept
	{
		return false;
	}

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		return wait_for(EPOLLIN, coroutine.promise());
	}

	ssize_t await_resume() const noexcept;

      private:
	std::span<char> buffer_;
};

/*
 * ssize_t sent = co_await AsyncWrite(socket, text): sends as much as the socket takes, and waits first
 * where it takes nothing. -EAGAIN where it took nothing after the wait either.
 */
class AsyncWrite : public SocketWait
{
      public:
	AsyncWrite(const Socket &socket, std::string_view text) : SocketWait(socket), text_(text)
	{
	}

	bool await_ready() noexcept;

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		return wait_for(EPOLLOUT, coroutine.promise());
	}

	ssize_t await_resume() noexcept;

      private:
	ssize_t send_now() const noexcept;

	std::string_view text_;
	ssize_t sent_ = 0;
};

/*
 * int fd = co_await AsyncAccept(listener): the next connection, non-blocking and closed on exec; waits
 * where there is none. -EAGAIN where another acceptor was faster.
 */
class AsyncAccept : public SocketWait
{
      public:
	explicit AsyncAccept(const Socket &listener) : SocketWait(listener)
	{
	}

	bool await_ready() noexcept;

	template <typename Promise> bool await_suspend(std::coroutine_handle<Promise> coroutine)
	{
		return wait_for(EPOLLIN, coroutine.promise());
	}

	int await_resume() noexcept;

      private:
	int accept_now() const noexcept;

	int accepted_ = 0;
};

/*
 * listen_on_loopback: a listening, non-blocking socket on 127.0.0.1; port 0 lets the kernel choose.
 * ret_port is the port in the end. Throws std::system_error.
 */
int listen_on_loopback(uint16_t port, uint16_t &ret_port);

#endif
