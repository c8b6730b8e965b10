/* SPDX-License-Identifier: MIT */
/* The server's two coroutines. */
#include "server.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace
{

/*
 * The bytes of one connection: [0, answer_) whole lines in capital letters, not sent yet, then
 * [answer_, used_) the beginning of a line.
 */
class LineBuffer
{
      public:
	/* room: where to read to. Empty when the answer, or a line that is too long, fills all. */
	std::span<char> room()
	{
		return std::span(bytes_).subspan(used_);
	}

	/* add: so many bytes were read into room(). */
	void add(size_t count)
	{
		std::string_view all;

		used_ += count;
		all = std::string_view(bytes_.data(), used_);
		for (size_t end = all.rfind('\n') + 1; answer_ < end; answer_++)
			bytes_[answer_] = to_capital(bytes_[answer_]);
	}

	std::string_view answer() const
	{
		return {bytes_.data(), answer_};
	}

	/* drop: so many bytes of the answer were sent. */
	void drop(size_t count)
	{
		answer_ -= count;
		used_ -= count;
		std::memmove(bytes_.data(), bytes_.data() + count, used_);
	}

      private:
	static char to_capital(char character)
	{
		bool is_small = character >= 'a' && character <= 'z';

		return is_small ? static_cast<char>(character - 'a' + 'A') : character;
	}

	std::array<char, 4096> bytes_;
	size_t answer_ = 0;
	size_t used_ = 0;
};

/* An answer is one small segment, which must not wait for the acknowledgement of the one before. */
void send_without_delay(int fd)
{
	int on = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

/* True where accepting again may go better. */
bool is_transient(int error)
{
	return error == EAGAIN || error == EINTR || error == ECONNABORTED || error == EPROTO;
}

bool is_out_of_descriptors(int error)
{
	return error == EMFILE || error == ENFILE;
}

int open_spare()
{
	return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

} // namespace

Server::Server(Scheduler &scheduler, Reactor &reactor, EventLog &log, uint64_t nr_expected)
    : scheduler_(scheduler), reactor_(reactor), log_(log), nr_expected_(nr_expected),
      all_finished_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)), spare_fd_(open_spare())
{
	if (all_finished_fd_ < 0)
		throw std::system_error(errno, std::generic_category(), "eventfd");
}

Server::~Server()
{
	close(spare_fd_);
	close(all_finished_fd_);
}

void Server::accept_all(int listener)
{
	scheduler_.spawn(accept(Socket(reactor_, listener)));
}

uint64_t Server::nr_accepted() const
{
	return nr_accepted_.load(std::memory_order_acquire);
}

uint64_t Server::nr_finished() const
{
	return nr_finished_.load(std::memory_order_acquire);
}

bool Server::has_finished_all() const
{
	return nr_expected_ > 0 && nr_finished() >= nr_expected_;
}

int Server::all_finished_fd() const
{
	return all_finished_fd_;
}

void Server::acknowledge_all_finished()
{
	eventfd_t count;

	static_cast<void>(eventfd_read(all_finished_fd_, &count));
}

void Server::count_finished()
{
	if (nr_finished_.fetch_add(1, std::memory_order_acq_rel) + 1 == nr_expected_)
		eventfd_write(all_finished_fd_, 1);
}

Task Server::accept(Socket listener)
{
	for (;;) {
		int fd = co_await AsyncAccept(listener);

		if (fd >= 0)
			start_serving(Socket(reactor_, fd));
		else if (is_out_of_descriptors(-fd))
			shed_one(listener.fd());
		else if (!is_transient(-fd))
			break;
	}
	listener.close();
}

/*
 * A connection that cannot be accepted would stay in the backlog, and be reported at once and for
 * ever: take it with the spare descriptor, and end it.
 */
void Server::shed_one(int listener)
{
	close(spare_fd_);
	close(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC));
	spare_fd_ = open_spare();
}

void Server::start_serving(Socket socket)
{
	int fd = socket.fd();

	if (!socket.is_open())
		return;
	send_without_delay(fd);

	Task task = serve(std::move(socket));

	nr_accepted_.fetch_add(1, std::memory_order_release);
	/* Before it is spawned, when it may run to its end at once. */
	log_.say("accepted", {{"coroutine", task.id()}, {"fd", static_cast<uint64_t>(fd)}});
	scheduler_.spawn(std::move(task));
}

/* All answers are sent before more is read, so a peer that does not listen cannot fill our memory. */
Task Server::serve(Socket socket)
{
	LineBuffer buffer;
	int fd = socket.fd();

	/* Without an answer to be sent, no room means: a line that is too long. */
	while (!buffer.answer().empty() || !buffer.room().empty()) {
		bool is_answering = !buffer.answer().empty();
		ssize_t moved;

		if (is_answering)
			moved = co_await AsyncWrite(socket, buffer.answer());
		else
			moved = co_await AsyncRead(socket, buffer.room());
		if (moved == -EAGAIN)
			continue;
		/* The end of the stream, or an error. */
		if (moved <= 0)
			break;
		if (is_answering)
			buffer.drop(static_cast<size_t>(moved));
		else
			buffer.add(static_cast<size_t>(moved));
	}
	socket.close();
	log_.say("finished",
		{{"coroutine", Scheduler::current_id()}, {"fd", static_cast<uint64_t>(fd)}});
	count_finished();
}
