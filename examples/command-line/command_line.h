/* SPDX-License-Identifier: MIT */
/*
 * Numbers from the command line of the examples: checked, or one sentence and exit status 2.
 */
#ifndef EXAMPLE_COMMAND_LINE_H
#define EXAMPLE_COMMAND_LINE_H

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

/* usage_error: says what is wrong with an option's value, and exits. */
[[noreturn]] inline void usage_error(std::string_view option, std::string_view value)
{
	std::fprintf(stderr, "--%.*s: '%.*s' is not a value for this option\n",
		static_cast<int>(option.size()), option.data(), static_cast<int>(value.size()),
		value.data());
	std::exit(2);
}

/* parse_number: the whole text as a number in [least, most]. */
template <typename Number>
Number parse_number(std::string_view option, std::string_view text, Number least, Number most)
{
	Number number{};
	auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);

	if (error != std::errc() || end != text.data() + text.size() || number < least ||
		number > most)
		usage_error(option, text);
	return number;
}

#endif
