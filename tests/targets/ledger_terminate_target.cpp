// SPDX-License-Identifier: MIT
// Dies by std::terminate in each of the ways in which the C++ runtime calls it, and tells first where the function that
// is to blame lies.
#include <cstdio>
#include <cstring>
#include <exception>
#include <stdexcept>

template <class Function> static void tell(Function *function)
{
	std::printf("%lx\n", reinterpret_cast<unsigned long>(function));
	std::fflush(stdout);
}

// Cold as a whole, so that the compiler leaves the throw within it.
[[gnu::noinline, gnu::cold]] static void throws()
{
	tell(throws);
	throw std::runtime_error("nobody catches this");
}

[[gnu::noinline]] static void lets_go() noexcept
{
	throws();
}

[[gnu::noinline]] static void terminates()
{
	tell(terminates);
	std::terminate();
}

int main(int nr_arguments, char **arguments)
{
	if (nr_arguments != 2)
		return 2;
	if (std::strcmp(arguments[1], "uncaught") == 0)
		throws();
	if (std::strcmp(arguments[1], "noexcept") == 0)
		lets_go();
	if (std::strcmp(arguments[1], "terminate") == 0)
		terminates();
	return 2;
}
