/* SPDX-License-Identifier: MIT */
/*
 * The terminal: frames are shown there, keys come from there. There is one, used by one thread; whatever ends the
 * program, the terminal is as it was before.
 */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include "top/frame.h"
#include "top/state.h"

enum top_input {
	TOP_INPUT_NONE, /* nothing has come */
	TOP_INPUT_KEY,
	TOP_INPUT_POINT, /* a line was pointed at */
	TOP_INPUT_RESIZED,
};

/*
 * top_terminal_open: takes the terminal over. CT_ERR_UNSUPPORTED: this build has no screens; CT_ERR_USAGE: standard
 * input or output is no terminal, or nothing is known of its type. top_terminal_close: gives it back; may be called
 * twice, and where it was never taken.
 */
enum ct_status top_terminal_open(bool use_colour, struct ct_error *reterr);
void top_terminal_close(void);

/* top_terminal_is_there: false: it has gone away, which an end of input that never ends says. */
bool top_terminal_is_there(void);

/* top_terminal_has_unicode: does the locale say that the terminal shows more than ASCII? After setlocale. */
bool top_terminal_has_unicode(void);

/* top_terminal_size: the present one. */
void top_terminal_size(uint32_t *ret_width, uint32_t *ret_height);

/* top_terminal_show: what has changed since the last frame is written; `is_all`: all of it. */
void top_terminal_show(const struct top_frame *frame, bool is_all);

/* top_terminal_read: what has come from standard input, which is not waited for. */
enum top_input top_terminal_read(uint32_t *ret_key, uint32_t *ret_line);

#endif
