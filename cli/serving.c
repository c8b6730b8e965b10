/* SPDX-License-Identifier: MIT */
/*
 * The browser is started so that it outlives corotracer, and is not its child.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "say.h"
#include "serving.h"

struct serving serving_read(const struct arguments *arguments)
{
	return (struct serving){
		.opens_browser = arguments->value[OPTION_SERVING_OPEN] != NULL,
		.listen = arguments->value[OPTION_SERVING_LISTEN],
	};
}

/*
 * The browser's output is not ours, and it gets no input. If starting fails, nothing is printed, because the address
 * was printed before.
 */
static void be_browser(const char *url)
{
	int nothing = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	if (fork() > 0)
		_exit(0);
	if (nothing >= 0) {
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
		dup2(nothing, STDERR_FILENO);
	}
	execlp("xdg-open", "xdg-open", url, (char *)NULL);
	_exit(1);
}

static void open_browser(const char *url)
{
	pid_t pid = fork();

	if (pid == 0)
		be_browser(url);
	if (pid < 0)
		say_sentence("cannot start a browser: %s", strerror(errno));
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

enum ct_status serving_start(const struct serving *serving, struct ct_serve_options *options,
	struct ct_serve **ret_serve, struct ct_error *reterr)
{
	enum ct_status status;

	options->size = sizeof(*options);
	options->listen = serving->listen;
	status = ct_serve_open(options, ret_serve, reterr);
	if (status)
		return status;
	if (ct_serve_has_moved(*ret_serve))
		say_sentence("port 8080 is taken: another one serves");
	if (ct_serve_is_open_to_others(*ret_serve))
		say_sentence("other machines can connect: nothing is encrypted on the way");
	say_sentence("the page is at %s", ct_serve_url(*ret_serve));
	if (serving->opens_browser)
		open_browser(ct_serve_url(*ret_serve));
	return CT_OK;
}
