/* SPDX-License-Identifier: MIT */
/* A program's own log: each line is one write to a file in append mode, so lines never mix. */
#include "event_log.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

EventLog::EventLog(const std::string &path)
{
	if (path.empty())
		return;
	file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0644);
	if (file_ < 0)
		throw std::system_error(errno, std::generic_category(), path);
}

EventLog::~EventLog()
{
	if (file_ >= 0)
		close(file_);
}

/* A line that the disk refuses is lost; the work goes on. */
void EventLog::say(std::string_view what, std::initializer_list<Field> fields)
{
	std::string line(what);
	ssize_t written;

	if (file_ < 0)
		return;
	for (const Field &field : fields) {
		line += ' ';
		line += field.name;
		line += '=';
		line += field.value;
	}
	line += '\n';
	written = write(file_, line.data(), line.size());
	static_cast<void>(written);
}
