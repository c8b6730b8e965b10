/* SPDX-License-Identifier: MIT */
/* Starting the load generator, and collecting it. */
#include "load_process.h"

#include <array>
#include <climits>
#include <csignal>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace
{

[[noreturn]] void fail(int error, const std::string &what)
{
	throw std::system_error(error, std::generic_category(), what);
}

std::string path_beside_this_program(const char *name)
{
	std::array<char, PATH_MAX> path;
	ssize_t length = readlink("/proc/self/exe", path.data(), path.size());

	if (length < 0)
		fail(errno, "/proc/self/exe");

	std::string_view self(path.data(), static_cast<size_t>(length));

	return std::string(self.substr(0, self.rfind('/') + 1)) + name;
}

bool is_of_the_tracer(std::string_view variable)
{
	return variable.starts_with("COROTRACER_") || variable.starts_with("LD_PRELOAD=");
}

std::vector<char *> environment_without_tracer()
{
	std::vector<char *> environment;

	for (char **variable = environ; *variable != nullptr; variable++)
		if (!is_of_the_tracer(*variable))
			environment.push_back(*variable);
	environment.push_back(nullptr);
	return environment;
}

std::vector<char *> pointers_to(std::vector<std::string> &arguments)
{
	std::vector<char *> pointers;

	for (std::string &argument : arguments)
		pointers.push_back(argument.data());
	pointers.push_back(nullptr);
	return pointers;
}

/* The server blocks signals to read them from a descriptor; its child starts with none blocked. */
int spawn_unblocked(pid_t &ret_pid, std::vector<std::string> &arguments)
{
	std::vector<char *> environment = environment_without_tracer();
	posix_spawnattr_t attributes;
	sigset_t none;
	int error;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	error = posix_spawn(&ret_pid, arguments[0].c_str(), nullptr, &attributes,
		pointers_to(arguments).data(), environment.data());
	posix_spawnattr_destroy(&attributes);
	return error;
}

} // namespace

LoadProcess::~LoadProcess()
{
	if (!is_running())
		return;
	kill(pid_, SIGKILL);
	waitpid(pid_, &status_, 0);
}

void LoadProcess::start(uint16_t port, unsigned nr_connections, unsigned nr_resets)
{
	std::vector<std::string> arguments = {
		path_beside_this_program("example-tcp-load"),
		"--port",
		std::to_string(port),
		"--connections",
		std::to_string(nr_connections),
		"--resets",
		std::to_string(nr_resets),
	};
	pid_t pid;
	int error = spawn_unblocked(pid, arguments);

	if (error != 0)
		fail(error, arguments[0]);
	pid_ = pid;
}

void LoadProcess::reap()
{
	if (is_running() && waitpid(pid_, &status_, WNOHANG) == pid_)
		pid_ = -1;
}

bool LoadProcess::is_running() const
{
	return pid_ > 0;
}

bool LoadProcess::has_failed() const
{
	return !is_running() && status_ != 0;
}
