/* SPDX-License-Identifier: MIT */
/* One connection to the server. */
#include "client.h"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace
{

/* An answer that takes longer will not come: the program must end by itself, not hang. */
constexpr time_t patience_seconds = 30;

[[noreturn]] void fail(const char *what)
{
	throw std::system_error(errno, std::generic_category(), what);
}

char to_capital(char character)
{
	bool is_small = character >= 'a' && character <= 'z';

	return is_small ? static_cast<char>(character - 'a' + 'A') : character;
}

void set_options(int fd)
{
	timeval patience = {patience_seconds, 0};
	int on = 1;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

} // namespace

Client::Client(uint16_t port) : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0))
{
	sockaddr_in address{};

	if (fd_ < 0)
		fail("socket");
	set_options(fd_);
	address.sin_family = AF_INET;
	address.sin_port = htons(port);
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (connect(fd_, reinterpret_cast<const sockaddr *>(&address), sizeof(address)) == 0)
		return;
	close_now();
	fail("connect");
}

Client::Client(Client &&other) noexcept
    : fd_(std::exchange(other.fd_, -1)), expected_(std::move(other.expected_))
{
}

Client::~Client()
{
	close_now();
}

void Client::close_now()
{
	int error = errno;

	if (fd_ >= 0)
		close(std::exchange(fd_, -1));
	errno = error;
}

void Client::send(std::string_view line)
{
	std::string text(line);

	text += '\n';
	if (::send(fd_, text.data(), text.size(), MSG_NOSIGNAL) !=
		static_cast<ssize_t>(text.size()))
		fail("send");
	for (char character : text)
		expected_ += to_capital(character);
}

void Client::receive()
{
	while (!receive_some())
		;
}

bool Client::receive_some()
{
	std::array<char, 4096> buffer;
	ssize_t got = recv(fd_, buffer.data(), buffer.size(), 0);

	if (got < 0)
		fail("recv");
	if (got == 0)
		throw std::runtime_error("the server ended the connection without an answer");

	std::string_view answer(buffer.data(), static_cast<size_t>(got));

	if (!std::string_view(expected_).starts_with(answer))
		throw std::runtime_error("the server sent a wrong answer");
	expected_.erase(0, answer.size());
	return answer.ends_with('\n');
}

void Client::reset()
{
	linger at_once = {1, 0};

	if (setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once)) < 0)
		fail("setsockopt");
	close_now();
}

void Client::half_close()
{
	if (shutdown(fd_, SHUT_WR) < 0)
		fail("shutdown");
}

void Client::expect_end()
{
	char byte;

	while (!expected_.empty())
		receive_some();
	if (recv(fd_, &byte, 1, 0) != 0)
		throw std::runtime_error("the server did not end the connection");
}
