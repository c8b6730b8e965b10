/* SPDX-License-Identifier: MIT */
/* A pipe: two descriptors that are closed with it. Not for more than one reader and one writer. */
#ifndef EXAMPLE_PIPE_H
#define EXAMPLE_PIPE_H

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

class Pipe
{
      public:
	/* Blocking at both ends. Throws std::system_error. */
	Pipe()
	{
		if (pipe2(ends_, O_CLOEXEC) < 0)
			throw std::system_error(errno, std::generic_category(), "pipe2");
	}
	Pipe(const Pipe &) = delete;
	Pipe &operator=(const Pipe &) = delete;

	~Pipe()
	{
		if (ends_[0] >= 0)
			close(ends_[0]);
		close(ends_[1]);
	}

	/* read_byte: blocks the thread until there is one. False: it failed, or the end came. */
	bool read_byte()
	{
		char byte;

		return read(ends_[0], &byte, 1) == 1;
	}

	bool write_byte()
	{
		return write(ends_[1], "x", 1) == 1;
	}

	/* take_reader: the descriptor to read from, now the caller's to close. */
	int take_reader()
	{
		int fd = ends_[0];

		ends_[0] = -1;
		return fd;
	}

      private:
	int ends_[2];
};

#endif
