/* SPDX-License-Identifier: MIT */
/*
 * The terminal, with ncurses, which knows what each type of terminal can do.
 *
 * When a signal ends the program, ncurses cannot be called. So the bytes that it would write to leave the screen are
 * stored at the start; a handler may call write(2) and tcsetattr(3).
 */
#include <langinfo.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>
#define NCURSES_WIDECHAR 1
#define NCURSES_NOMACROS
#include <curses.h>

#include "base/loaded.h"
#include "top/terminal.h"

/* Must come after our own headers, because words such as `columns` and `lines` are macros from here on. */
#include <term.h>

#define ESCAPE_MS 25 /* the longest time within a key that begins with Esc */
#define LEAVING_BYTES 256
#define ORANGE 208 /* of 256 colours */

/* clang-format off */
#define CURSES_CALLS(USE) \
	USE(, COLORS) USE(, COLS) USE(, LINES) USE(, cbreak) USE(, clearok) USE(, curs_set) \
	USE(, delscreen) USE(, endwin) USE(, getmouse) USE(, has_colors) USE(, init_pair) \
	USE(, keypad) USE(, mouseinterval) USE(, mousemask) USE(, newterm) USE(, nodelay) \
	USE(, noecho) USE(, nonl) USE(, set_escdelay) USE(, setcchar) USE(, start_color) \
	USE(, stdscr) USE(, tigetstr) USE(, tparm) USE(, use_default_colors) USE(, wadd_wch) \
	USE(, werase) USE(, wget_wch) USE(, wmove) USE(, wrefresh)
/* clang-format on */

LOADED_TABLE(curses, CURSES_CALLS);
static struct curses curses = LOADED_INITIALLY(CURSES_CALLS);
static const struct loaded curses_library =
	LOADED(curses, CURSES_CALLS, CT_NCURSESW, "libncursesw6");

static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
#define NR_CRASHES (sizeof(crashes) / sizeof(crashes[0]))

static struct {
	bool is_open;
	bool has_colour;
	SCREEN *screen;
	struct termios before;
	struct sigaction handlers[NR_CRASHES];
	char leaving[LEAVING_BYTES];
	size_t nr_leaving;
} terminal;

/* ---------------------------------------------------------------- restoring */

/* NULL: the terminal lacks this capability. */
static const char *capability(const char *name)
{
	const char *text = curses.tigetstr((char *)(uintptr_t)name);

	return text && text != (const char *)-1 ? text : NULL;
}

static void keep(const char *text)
{
	size_t length = text ? strlen(text) : 0;

	if (terminal.nr_leaving + length > LEAVING_BYTES)
		return;
	memcpy(terminal.leaving + terminal.nr_leaving, text ? text : "", length);
	terminal.nr_leaving += length;
}

/* XM switches the mouse on and off; if the terminal does not define it, ncurses uses xterm's. */
static const char *mouse_off(void)
{
	const char *mouse = capability("XM");

	return mouse ? curses.tparm((char *)(uintptr_t)mouse, 0) : "\033[?1000l";
}

static void on_crash(int number)
{
	size_t i;

	if (terminal.is_open) {
		(void)!write(STDOUT_FILENO, terminal.leaving, terminal.nr_leaving);
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	}
	for (i = 0; i < NR_CRASHES; i++)
		if (crashes[i] == number)
			sigaction(number, &terminal.handlers[i], NULL);
	raise(number);
}

static void catch_crashes(void)
{
	struct sigaction action = {.sa_handler = on_crash};
	size_t i;

	keep(capability("kmous") ? mouse_off() : NULL);
	keep(capability("sgr0"));  /* resets attributes */
	keep(capability("cnorm")); /* shows the cursor */
	keep(capability("rmcup")); /* leaves the alternate screen */
	keep(capability("rmkx"));  /* leaves keypad mode */
	for (i = 0; i < NR_CRASHES; i++)
		sigaction(crashes[i], &action, &terminal.handlers[i]);
}

void top_terminal_close(void)
{
	size_t i;

	if (!terminal.is_open)
		return;
	curses.endwin();
	terminal.is_open = false;
	for (i = 0; i < NR_CRASHES; i++)
		sigaction(crashes[i], &terminal.handlers[i], NULL);
	curses.delscreen(terminal.screen);
}

/* ---------------------------------------------------------------- opening */

static void prepare_colours(void)
{
	short style;
	int orange;

	if (curses.start_color() == ERR)
		return;
	curses.use_default_colors();
	for (style = TOP_PLAIN + 1; style < TOP_NR_STYLES; style++)
		curses.init_pair(style, -1, -1);
	orange = *curses.COLORS > ORANGE ? ORANGE : COLOR_MAGENTA;
	curses.init_pair(TOP_GOOD, COLOR_GREEN, -1);
	curses.init_pair(TOP_BAD, COLOR_RED, -1);
	curses.init_pair(TOP_DOUBTFUL, COLOR_YELLOW, -1);
	curses.init_pair(TOP_RUNNING, COLOR_GREEN, -1);
	curses.init_pair(TOP_READY, COLOR_YELLOW, -1);
	curses.init_pair(TOP_BLOCKED, (short)orange, -1);
	curses.init_pair(TOP_HEADING, COLOR_CYAN, -1);
}

static void prepare_keys(void)
{
	curses.cbreak();
	curses.noecho();
	curses.nonl();
	curses.keypad(*curses.stdscr, TRUE);
	curses.nodelay(*curses.stdscr, TRUE);
	curses.set_escdelay(ESCAPE_MS);
	curses.curs_set(0);
	curses.mousemask(BUTTON1_PRESSED | BUTTON4_PRESSED | BUTTON5_PRESSED, NULL);
	curses.mouseinterval(0);
}

static enum ct_status refuse(struct ct_error *reterr, enum ct_status status, const char *why)
{
	*reterr = (struct ct_error){.status = status};
	strncpy(reterr->text, why, sizeof(reterr->text) - 1);
	return status;
}

enum ct_status top_terminal_open(bool use_colour, struct ct_error *reterr)
{
	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return refuse(reterr, CT_ERR_USAGE,
			"the screens need a terminal; '--once' prints one frame as text");
	if (loaded_open(&curses_library, "there are no screens, only '--once'", reterr))
		return reterr->status;
	tcgetattr(STDIN_FILENO, &terminal.before);
	terminal.screen = curses.newterm(NULL, stdout, stdin);
	if (!terminal.screen)
		return refuse(reterr, CT_ERR_USAGE,
			"nothing is known of this kind of terminal (TERM); '--once' prints one "
			"frame as text");
	terminal.is_open = true;
	terminal.has_colour = use_colour && curses.has_colors();
	atexit(top_terminal_close);
	catch_crashes();
	if (terminal.has_colour)
		prepare_colours();
	prepare_keys();
	return CT_OK;
}

bool top_terminal_is_there(void)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};

	return poll(&input, 1, 0) <= 0 || !(input.revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool top_terminal_has_unicode(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

void top_terminal_size(uint32_t *ret_width, uint32_t *ret_height)
{
	*ret_width = (uint32_t)*curses.COLS;
	*ret_height = (uint32_t)*curses.LINES;
}

/* ---------------------------------------------------------------- drawing */

static attr_t attributes_of(unsigned style)
{
	attr_t attributes = style & TOP_REVERSED ? A_REVERSE : A_NORMAL;

	switch (style & ~(unsigned)TOP_REVERSED) {
	case TOP_STRONG:
	case TOP_BAD:
		return attributes | A_BOLD;
	case TOP_FAINT:
	case TOP_WAITING:
		/* Faint letters on a reversed line are unreadable. */
		return attributes | (attributes & A_REVERSE ? A_NORMAL : A_DIM);
	case TOP_HEADING:
		return attributes | (terminal.has_colour ? A_NORMAL : A_UNDERLINE);
	default:
		return attributes;
	}
}

static short pair_of(unsigned style)
{
	unsigned plain = style & ~(unsigned)TOP_REVERSED;

	return terminal.has_colour && plain != TOP_PLAIN ? (short)plain : 0;
}

static void show_cell(const struct top_frame *frame, uint32_t line, uint32_t column)
{
	const struct top_cell *cell = &frame->cells[(size_t)line * frame->width + column];
	wchar_t text[] = {(wchar_t)cell->character, L'\0'};
	cchar_t shown;

	if (!cell->character)
		return;
	curses.setcchar(&shown, text, attributes_of(cell->style), pair_of(cell->style), NULL);
	curses.wmove(*curses.stdscr, (int)line, (int)column);
	curses.wadd_wch(*curses.stdscr, &shown);
}

void top_terminal_show(const struct top_frame *frame, bool is_all)
{
	uint32_t line, column;

	curses.werase(*curses.stdscr);
	for (line = 0; line < frame->height; line++)
		for (column = 0; column < frame->width; column++)
			show_cell(frame, line, column);
	if (is_all)
		curses.clearok(*curses.stdscr, TRUE);
	curses.wrefresh(*curses.stdscr);
}

/* ---------------------------------------------------------------- keys */

static const struct {
	wint_t code;
	uint32_t key;
} known_keys[] = {
	{KEY_ENTER, TOP_KEY_ENTER},
	{KEY_BACKSPACE, TOP_KEY_BACKSPACE},
	{KEY_UP, TOP_KEY_UP},
	{KEY_DOWN, TOP_KEY_DOWN},
	{KEY_LEFT, TOP_KEY_LEFT},
	{KEY_RIGHT, TOP_KEY_RIGHT},
	{KEY_PPAGE, TOP_KEY_PAGE_UP},
	{KEY_NPAGE, TOP_KEY_PAGE_DOWN},
	{KEY_HOME, TOP_KEY_HOME},
	{KEY_END, TOP_KEY_END},
};

static enum top_input read_mouse(uint32_t *ret_key, uint32_t *ret_line)
{
	MEVENT event;

	if (curses.getmouse(&event) != OK)
		return TOP_INPUT_NONE;
	*ret_line = (uint32_t)event.y;
	if (event.bstate & BUTTON1_PRESSED)
		return TOP_INPUT_POINT;
	*ret_key = event.bstate & BUTTON4_PRESSED ? TOP_KEY_UP : TOP_KEY_DOWN;
	return TOP_INPUT_KEY;
}

static enum top_input read_known(wint_t code, uint32_t *ret_key, uint32_t *ret_line)
{
	size_t i;

	if (code == KEY_RESIZE)
		return TOP_INPUT_RESIZED;
	if (code == KEY_MOUSE)
		return read_mouse(ret_key, ret_line);
	*ret_key = 0;
	for (i = 0; i < sizeof(known_keys) / sizeof(known_keys[0]); i++)
		if (known_keys[i].code == code)
			*ret_key = known_keys[i].key;
	return TOP_INPUT_KEY;
}

enum top_input top_terminal_read(uint32_t *ret_key, uint32_t *ret_line)
{
	wint_t code;

	switch (curses.wget_wch(*curses.stdscr, &code)) {
	case ERR:
		return TOP_INPUT_NONE;
	case KEY_CODE_YES:
		return read_known(code, ret_key, ret_line);
	default:
		*ret_key = code == '\r' || code == '\n'   ? (uint32_t)TOP_KEY_ENTER
			   : code == 0x1b                 ? (uint32_t)TOP_KEY_ESCAPE
			   : code == 0x7f || code == '\b' ? (uint32_t)TOP_KEY_BACKSPACE
							  : (uint32_t)code;
		return TOP_INPUT_KEY;
	}
}
