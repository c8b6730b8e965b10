/* SPDX-License-Identifier: MIT */
/*
 * A program's own log: one line for each thing that happened, for other programs to read:
 *
 *	dropped coroutine=12 fd=7 worker=4711
 *
 * The log tells what the program itself knows, with the tracer's numbers of coroutines (0 where nothing
 * traces), so that a report can be compared with it. Safe to use from any thread.
 */
#ifndef EXAMPLE_EVENT_LOG_H
#define EXAMPLE_EVENT_LOG_H

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

class EventLog
{
      public:
	/* A name and its value: a number, or a word without blanks. */
	struct Field {
		Field(std::string_view field_name, uint64_t number)
		    : name(field_name), value(std::to_string(number))
		{
		}
		Field(std::string_view field_name, std::string word)
		    : name(field_name), value(std::move(word))
		{
		}

		std::string_view name;
		std::string value;
	};

	/* An empty path: nothing is written. Throws std::system_error where the file cannot be made. */
	explicit EventLog(const std::string &path);
	EventLog(const EventLog &) = delete;
	EventLog &operator=(const EventLog &) = delete;
	~EventLog();

	/* say: writes one line, and has written it when it returns. */
	void say(std::string_view what, std::initializer_list<Field> fields);

      private:
	int file_ = -1;
};

#endif
