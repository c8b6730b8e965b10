/* SPDX-License-Identifier: MIT */
/*
 * One connection to the server, from the client's side. Blocking, for one thread.
 *
 * Every failure, an answer that is wrong or late among them, is an exception: a load generator whose
 * connection fails has nothing left to measure.
 */
#ifndef EXAMPLE_CLIENT_H
#define EXAMPLE_CLIENT_H

#include <cstdint>
#include <string>
#include <string_view>

class Client
{
      public:
	/* Connects to 127.0.0.1. Throws std::system_error. */
	explicit Client(uint16_t port);
	Client(Client &&other) noexcept;
	Client(const Client &) = delete;
	Client &operator=(const Client &) = delete;
	Client &operator=(Client &&) = delete;

	/* Closes in good order, if nothing else ended the connection. */
	~Client();

	/* send: sends one line, without its end, which is added. */
	void send(std::string_view line);

	/* receive: waits for the answer to the line that was sent first of those not answered. */
	void receive();

	/* receive_some: reads what is there; true when that completes the present answer. */
	bool receive_some();

	/* reset: ends the connection with a reset (RST) instead of an orderly end. */
	void reset();

	/* half_close: says that nothing more will be sent; answers still arrive. */
	void half_close();

	/* expect_end: waits for the server to end the connection, having answered everything. */
	void expect_end();

	int fd() const
	{
		return fd_;
	}

      private:
	void close_now();

	int fd_;
	std::string expected_; /* the rest of the answers that are due */
};

#endif
