/* SPDX-License-Identifier: MIT */
/*
 * The terminal, which shows frames and reads keys. There is only one, and one thread uses it. However the program ends,
 * the terminal is restored.
 */
#ifndef CLI_TOP_TERMINAL_H
#define CLI_TOP_TERMINAL_H

#include "top/frame.h"
#include "top/state.h"

enum top_input {
	TOP_INPUT_NONE, /* there is no input */
	TOP_INPUT_KEY,
	TOP_INPUT_POINT, /* a click on a line */
	TOP_INPUT_RESIZED,
};

/*
 * top_terminal_open: takes over the terminal. CT_ERR_UNSUPPORTED: this build has no screens. CT_ERR_USAGE: standard
 * input or output is not a terminal, or the terminal's type is unknown. top_terminal_close: restores the terminal; may
 * be called twice, or without a successful open.
 */
enum ct_status top_terminal_open(bool use_colour, struct ct_error *reterr);
void top_terminal_close(void);

/* top_terminal_is_there: false: the terminal has gone away, which shows as an endless end of input. */
bool top_terminal_is_there(void);

/*
 * top_terminal_has_unicode: does the locale say that the terminal shows more than ASCII? Must be called after
 * setlocale.
 */
bool top_terminal_has_unicode(void);

/* top_terminal_size: the present size. */
void top_terminal_size(uint32_t *ret_width, uint32_t *ret_height);

/* top_terminal_show: writes what has changed since the last frame; `is_all`: writes everything. */
void top_terminal_show(const struct top_frame *frame, bool is_all);

/* top_terminal_read: reads from standard input, without waiting. */
enum top_input top_terminal_read(uint32_t *ret_key, uint32_t *ret_line);

#endif
