/* SPDX-License-Identifier: MIT */
/* A pipe, whose two descriptors are closed with the object. For at most one reader and one writer. */
#ifndef EXAMPLE_PIPE_H
#define EXAMPLE_PIPE_H

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

class Pipe
{
      public:
	/* Both ends block. Throws std::system_error. */
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

	/* read_byte: blocks the thread until there is a byte. False: reading failed, or the input has ended. */
	bool read_byte()
	{
		char byte;

		return read(ends_[0], &byte, 1) == 1;
	}

	bool write_byte()
	{
		return write(ends_[1], "x", 1) == 1;
	}

	/* take_reader: returns the reading descriptor, which the caller must close. */
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
