/* SPDX-License-Identifier: MIT */
/*
 * Code objects are kept in a table by their address, with the facts that are needed at each event. The table holds a
 * reference to each code object, so that an address never comes to mean another one; the table is bounded, because a
 * program may make code without end.
 */
#include "places.h"

#include <stdbool.h>
#include <string.h>

#include "corotracer/ctp_probe.h"

#define CODES 16384u /* a power of two, of which at most half is used */
#define NAMES_MAX 4096
#define DEPTH_MAX \
	64u /* frames of a wait or call among which a place is chosen: the innermost ones */
#define AWAITS_MAX 1024u  /* awaits that are followed from a task inwards */
#define CALLS_MAX 8u      /* recorded calls that led to a place: the innermost ones */
#define INSIDE_MAX 4u     /* recorded calls of installed code after the place: the innermost ones */
#define CHAINED_MAX 1024u /* sites that have callers: a process has a limited number of sites */

/* Whose code it is: the lower the value, the closer to the reader of a report. */
enum owner {
	OWNER_PROGRAM,
	OWNER_INSTALLED, /* of the interpreter, and of packages */
	OWNER_SCHEDULER, /* asyncio, gevent and the like: skipped when a place is searched */
	OWNER_PROBE,     /* of this package */
};

struct code {
	PyObject *object;
	PyObject *file; /* str */
	PyObject *name; /* str: the function, qualified if the interpreter has that */
	enum owner owner;
	bool is_of_manager; /* of contextlib: it awaits a generator that it does not show */
	bool is_hidden;     /* only the way to this package */
	bool is_bottom;     /* its callers have nothing to do with what it runs */
};

struct frame {
	const struct code *code;
	uint32_t line;
};

/* The last frames of one wait or call that were found, in that order. */
struct frames {
	struct frame at[DEPTH_MAX];
	uint32_t count;
};

static struct code codes[CODES];
static uint32_t nr_codes, nr_chained;
static PyObject *libraries; /* list of str; the first one is this package's own */
static PyObject *installed; /* list of str */
static PyObject *names;     /* dict: str -> int */

/* Attributes of frames, code, coroutines and generators. */
static struct words {
	PyObject *f_back, *f_locals, *co_filename, *co_name, *co_qualname;
	PyObject *self, *gen;         /* of contextlib's managers: their generator */
	PyObject *tb_next, *tb_frame; /* of tracebacks */
	PyObject *frame[3], *awaited[3];
} words;

static int words_open(void)
{
	static const struct {
		PyObject **word;
		const char *text;
	} all[] = {
		{&words.f_back, "f_back"},
		{&words.f_locals, "f_locals"},
		{&words.self, "self"},
		{&words.gen, "gen"},
		{&words.tb_next, "tb_next"},
		{&words.tb_frame, "tb_frame"},
		{&words.co_filename, "co_filename"},
		{&words.co_name, "co_name"},
		{&words.co_qualname, "co_qualname"},
		{&words.frame[0], "cr_frame"},
		{&words.awaited[0], "cr_await"},
		{&words.frame[1], "gi_frame"},
		{&words.awaited[1], "gi_yieldfrom"},
		{&words.frame[2], "ag_frame"},
		{&words.awaited[2], "ag_await"},
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		*all[i].word = PyUnicode_InternFromString(all[i].text);
		if (!*all[i].word)
			return -1;
	}
	return 0;
}

int places_open(void)
{
	if (names)
		return 0;
	libraries = PyList_New(0);
	installed = PyList_New(0);
	if (!libraries || !installed || words_open() < 0)
		return -1;
	names = PyDict_New();
	return names ? 0 : -1;
}

int places_add_library(PyObject *prefix)
{
	return PyList_Append(libraries, prefix);
}

int places_add_installed(PyObject *prefix)
{
	return PyList_Append(installed, prefix);
}

/* Returns an attribute that may be missing: NULL then, with no exception. */
static PyObject *attribute(PyObject *object, PyObject *word)
{
	PyObject *value = PyObject_GetAttr(object, word);

	if (!value)
		PyErr_Clear();
	return value;
}

/* Returns the index of the first prefix of the file's path; -1: none. */
static Py_ssize_t prefix_of(PyObject *file, PyObject *prefixes)
{
	Py_ssize_t i;

	for (i = 0; i < PyList_Size(prefixes); i++)
		if (PyUnicode_Tailmatch(file, PyList_GetItem(prefixes, i), 0, PY_SSIZE_T_MAX, -1) ==
			1)
			return i;
	return -1;
}

/* Returns a str's bytes, which live as long as the str. */
static const char *text_of(PyObject *text)
{
	const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;

	if (text && !bytes)
		PyErr_Clear();
	return bytes;
}

static bool ends_in_contextlib(PyObject *file)
{
	const char *path = text_of(file);
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash && strcmp(slash, "/contextlib.py") == 0;
}

/* Code that is frozen into the interpreter has no path. */
static enum owner owner_of(PyObject *file)
{
	Py_ssize_t library = file ? prefix_of(file, libraries) : -1;
	const char *path = text_of(file);

	if (library >= 0)
		return library == 0 ? OWNER_PROBE : OWNER_SCHEDULER;
	if (path && strncmp(path, "<frozen ", 8) == 0)
		return OWNER_INSTALLED;
	return file && prefix_of(file, installed) >= 0 ? OWNER_INSTALLED : OWNER_PROGRAM;
}

static void code_fill(struct code *code, PyObject *object)
{
	code->name = attribute(object, words.co_qualname);
	if (!code->name)
		code->name = attribute(object, words.co_name);
	code->file = attribute(object, words.co_filename);
	code->owner = owner_of(code->file);
	code->is_of_manager = code->owner == OWNER_SCHEDULER && ends_in_contextlib(code->file);
	Py_INCREF(object);
	code->object = object;
	nr_codes++;
}

/* Returns NULL if the table is full. */
static struct code *code_of(PyObject *object)
{
	uint64_t hash = (uint64_t)(uintptr_t)object * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t index = (uint32_t)(hash >> 40);

	for (;; index++) {
		struct code *code = &codes[index % CODES];

		if (code->object == object)
			return code;
		if (code->object)
			continue;
		if (nr_codes >= CODES / 2)
			return NULL;
		code_fill(code, object);
		return code;
	}
}

static const struct code *code_of_frame(PyObject *frame)
{
	PyObject *object = (PyObject *)PyFrame_GetCode((PyFrameObject *)frame);
	const struct code *code = code_of(object);

	Py_DECREF(object);
	return code;
}

static uint32_t line_of(PyObject *frame)
{
	int line = PyFrame_GetLineNumber((PyFrameObject *)frame);

	return line > 0 ? (uint32_t)line : 0;
}

/*
 * Returns the site of a frame's line. `link`: the site of the call that led there; with `is_inside` the site of the
 * innermost call to which the place led, whose own chain leads back to the place (P-45). 0: none.
 */
static uint32_t site_at(
	const struct frame *frame, const struct code *reason, uint32_t link, bool is_inside)
{
	uint64_t position = (uint64_t)frame->line << 32 | link;
	uint32_t site = ctp_site_lookup(frame->code, position, reason);
	struct ctp_site_source source = {.kind = CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C),
		.line = frame->line,
		.address = is_inside ? (uint64_t)link << 32 : link};

	if (site)
		return site;
	if (link && nr_chained >= CHAINED_MAX)
		return site_at(frame, reason, 0, false);
	nr_chained += link != 0;
	source.file = text_of(frame->code->file);
	source.function = text_of(frame->code->name);
	source.reason = reason ? text_of(reason->name) : NULL;
	return ctp_site_remember(frame->code, position, reason, &source);
}

/*
 * Returns whether the code's name is useful: names of methods behind `async with` and `async for` are not, nor are
 * names of our functions that stand for no other function.
 */
static bool is_name(const struct code *code)
{
	const char *name = text_of(code->name);
	const char *dot = name ? strrchr(name, '.') : NULL;

	if (!name || (code->owner == OWNER_PROBE && strstr(name, "<locals>")))
		return false;
	return strncmp(dot ? dot + 1 : name, "__", 2) != 0;
}

/* ---------------------------------------------------------------- choice of the frames */

static enum owner owner_at(const struct frames *frames, uint32_t index)
{
	return frames->at[index].code->owner;
}

/*
 * Returns the innermost frame whose owner is at most `owner`; `count`: there is none. Frames are ordered from the
 * outermost inwards.
 */
static uint32_t innermost_of(const struct frames *frames, enum owner owner)
{
	uint32_t i;

	for (i = frames->count; i > 0; i--)
		if (owner_at(frames, i - 1) <= owner)
			return i - 1;
	return frames->count;
}

/*
 * Returns the program's innermost line; else that of installed code. If there is neither, as in a task that wait_for
 * makes of a library's coroutine, or in a timer's callback: for a wait the outermost line that is not ours, else the
 * innermost line.
 */
static uint32_t place_in(const struct frames *frames, bool is_wait)
{
	uint32_t at = innermost_of(frames, OWNER_PROGRAM);

	if (at == frames->count)
		at = innermost_of(frames, OWNER_INSTALLED);
	if (at < frames->count)
		return at;
	if (!is_wait)
		return innermost_of(frames, OWNER_SCHEDULER);
	for (at = 0; at + 1 < frames->count && owner_at(frames, at) == OWNER_PROBE; at++)
		;
	return at;
}

/* Returns the function that was called at the place, for its name. */
static const struct code *called_at(const struct frames *frames, uint32_t place)
{
	uint32_t i;

	for (i = place + 1; i < frames->count; i++)
		if (is_name(frames->at[i].code))
			return frames->at[i].code;
	return NULL;
}

/*
 * Interns the sites of the chosen calls, from the last call to the first; each site names the previous one. `site` is
 * the caller of the first one.
 */
static uint32_t chain(
	const struct frames *frames, const uint32_t *chosen, uint32_t count, uint32_t site)
{
	while (count > 0)
		site = site_at(&frames->at[chosen[--count]], NULL, site, false);
	return site;
}

/*
 * Interns the callers of the same owner, at most the innermost CALLS_MAX: what a framework has around a handler is not
 * useful.
 */
static uint32_t callers_of(const struct frames *frames, uint32_t place)
{
	uint32_t chosen[CALLS_MAX], count = 0, i;

	if (owner_at(frames, place) > OWNER_INSTALLED)
		return 0;
	for (i = place; i > 0 && count < CALLS_MAX; i--)
		if (owner_at(frames, i - 1) <= owner_at(frames, place))
			chosen[count++] = i - 1;
	return chain(frames, chosen, count, 0);
}

/*
 * Interns the calls of installed code to which the place led, at most the innermost INSIDE_MAX; returns the site of the
 * last one, 0: none.
 */
static uint32_t inside_of(const struct frames *frames, uint32_t place, uint32_t caller)
{
	uint32_t chosen[INSIDE_MAX], count = 0, i;

	for (i = frames->count; i > place + 1 && count < INSIDE_MAX; i--)
		if (owner_at(frames, i - 1) == OWNER_INSTALLED)
			chosen[count++] = i - 1;
	if (count == 0)
		return 0;
	return chain(frames, chosen, count, site_at(&frames->at[place], NULL, caller, false));
}

/* `has_way`: with the calls that led to the place, and those that it led to. */
static uint32_t site_of(const struct frames *frames, bool is_wait, bool has_way)
{
	uint32_t place = place_in(frames, is_wait), caller = 0, inside = 0;

	if (place == frames->count)
		return 0;
	if (has_way) {
		caller = callers_of(frames, place);
		inside = inside_of(frames, place, caller);
	}
	return site_at(&frames->at[place], called_at(frames, place), inside ? inside : caller,
		inside != 0);
}

/* Adds a frame, in place of the first one if there is no room. Returns NULL if its code is not known. */
static const struct code *frames_add(struct frames *frames, PyObject *object)
{
	const struct code *code = code_of_frame(object);

	if (!code || code->is_hidden)
		return code;
	if (frames->count == DEPTH_MAX)
		memmove(frames->at, frames->at + 1, --frames->count * sizeof(frames->at[0]));
	frames->at[frames->count++] = (struct frame){code, line_of(object)};
	return code;
}

/* ---------------------------------------------------------------- frames from a task inwards */

/* Returns the generator of a manager that contextlib enters or leaves in this frame; NULL: there is none. */
static PyObject *generator_of(PyObject *frame)
{
	PyObject *locals = attribute(frame, words.f_locals), *self, *generator;

	self = locals ? PyObject_GetItem(locals, words.self) : NULL;
	generator = self ? attribute(self, words.gen) : NULL;
	PyErr_Clear();
	Py_XDECREF(self);
	Py_XDECREF(locals);
	return generator;
}

/*
 * Adds the frame of a suspended object and returns what the object awaits, by its type: a coroutine, a generator, or an
 * asynchronous generator.
 */
static PyObject *go_on(PyObject *object, struct frames *frames)
{
	PyObject *frame = NULL, *next;
	const struct code *code;
	int i;

	for (i = 0; i < 3 && !frame; i++)
		frame = attribute(object, words.frame[i]);
	if (!frame)
		return NULL;
	if (frame == Py_None) {
		Py_DECREF(frame);
		return NULL;
	}
	code = frames_add(frames, frame);
	next = code && code->is_of_manager ? generator_of(frame) : NULL;
	Py_DECREF(frame);
	if (!next)
		next = attribute(object, words.awaited[i - 1]);
	if (next != Py_None)
		return next;
	Py_DECREF(next);
	return NULL;
}

uint32_t places_of_await(PyObject *coroutine, PyObject *(*unwrap)(PyObject *object))
{
	struct frames frames;
	PyObject *object = coroutine, *inner, *next;
	uint32_t depth;

	if (!ctp_is_attached())
		return 0;
	frames.count = 0;
	Py_INCREF(object);
	for (depth = 0; object && depth < AWAITS_MAX; depth++) {
		inner = unwrap(object);
		next = go_on(inner ? inner : object, &frames);
		Py_DECREF(object);
		object = next;
	}
	Py_XDECREF(object);
	return frames.count ? site_of(&frames, true, true) : 0;
}

/* ---------------------------------------------------------------- frames from a frame outwards */

static void turn(struct frames *frames)
{
	uint32_t i;

	for (i = 0; i < frames->count / 2; i++) {
		struct frame frame = frames->at[i];

		frames->at[i] = frames->at[frames->count - 1 - i];
		frames->at[frames->count - 1 - i] = frame;
	}
}

/* Goes outwards up to the program's first line, or with `has_way` as far as possible. */
static uint32_t find_out(PyObject *frame, bool has_way)
{
	struct frames frames = {.count = 0};
	const struct code *code;
	PyObject *back;

	Py_INCREF(frame);
	while (frame && frame != Py_None && frames.count < DEPTH_MAX) {
		code = frames_add(&frames, frame);
		if (!code || code->is_bottom || (!has_way && code->owner == OWNER_PROGRAM))
			break;
		back = attribute(frame, words.f_back);
		Py_DECREF(frame);
		frame = back;
	}
	Py_XDECREF(frame);
	turn(&frames);
	return frames.count ? site_of(&frames, false, has_way) : 0;
}

uint32_t places_of_frame(PyObject *frame)
{
	return find_out(frame, false);
}

uint32_t places_of_stack(PyObject *frame)
{
	return find_out(frame, true);
}

void places_add_hidden(PyObject *code)
{
	struct code *entry = code_of(code);

	if (entry)
		entry->is_hidden = true;
}

void places_add_bottom(PyObject *code)
{
	struct code *entry = code_of(code);

	if (entry)
		entry->is_bottom = true;
}

uint32_t places_here(void)
{
	PyObject *frame, *type, *value, *traceback;
	uint32_t site;

	if (!ctp_is_attached())
		return 0;
	frame = (PyObject *)PyEval_GetFrame();
	if (!frame)
		return 0;
	PyErr_Fetch(&type, &value, &traceback);
	site = places_of_frame(frame);
	PyErr_Restore(type, value, traceback);
	return site;
}

/* A traceback leads from the outermost call inwards. */
static void add_traceback(struct frames *frames, PyObject *traceback)
{
	PyObject *frame, *next;

	Py_XINCREF(traceback);
	while (traceback && traceback != Py_None) {
		frame = attribute(traceback, words.tb_frame);
		if (frame)
			frames_add(frames, frame);
		Py_XDECREF(frame);
		next = attribute(traceback, words.tb_next);
		Py_DECREF(traceback);
		traceback = next;
	}
	Py_XDECREF(traceback);
}

uint32_t places_of_error(void)
{
	struct frames frames = {.count = 0};
	PyObject *type, *value, *traceback;
	uint32_t site;

	if (!ctp_is_attached())
		return 0;
	PyErr_Fetch(&type, &value, &traceback);
	add_traceback(&frames, traceback);
	site = frames.count ? site_of(&frames, false, true) : 0;
	PyErr_Restore(type, value, traceback);
	return site;
}

static uint32_t name_intern(PyObject *text)
{
	const char *bytes;
	Py_ssize_t nr_bytes;
	PyObject *number;
	uint32_t site;

	bytes = PyDict_Size(names) < NAMES_MAX ? PyUnicode_AsUTF8AndSize(text, &nr_bytes) : NULL;
	if (!bytes || nr_bytes == 0)
		return 0;
	site = ctp_intern(bytes, (uint32_t)(nr_bytes < 1024 ? nr_bytes : 1024));
	number = site ? PyLong_FromUnsignedLong(site) : NULL;
	if (number) {
		PyDict_SetItem(names, text, number);
		Py_DECREF(number);
	}
	return site;
}

uint32_t places_name(PyObject *text)
{
	PyObject *type, *value, *traceback, *known;
	uint32_t site;

	if (!ctp_is_attached())
		return 0;
	PyErr_Fetch(&type, &value, &traceback);
	known = PyDict_GetItemWithError(names, text);
	site = known ? (uint32_t)PyLong_AsUnsignedLong(known) : name_intern(text);
	PyErr_Clear();
	PyErr_Restore(type, value, traceback);
	return site;
}
