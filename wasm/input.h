/* SPDX-License-Identifier: MIT */
/*
 * The one input of a page, instead of a file. Private to this folder.
 */
#ifndef WASM_INPUT_H
#define WASM_INPUT_H

#include "base/input.h"

/* wasm_input_new: makes an input over bytes that outlive it. NULL: out of memory. */
struct input *wasm_input_new(const uint8_t *bytes, size_t nr_bytes);

#endif
