/* SPDX-License-Identifier: MIT */
/*
 * Code objects are kept in a table by their address, with what is asked of them at each event. The table holds a
 * reference to each, so that an address never comes to mean another one; it is bounded, since a program may make code
 * without end.
 */
#include "places.h"

#include <stdbool.h>
#include <string.h>

#include "corotracer/ctp_probe.h"

#define CODES 16384u /* a power of two, half of which are used at most */
#define NAMES_MAX 4096
#define DEPTH_MAX 64u
#define CALLS_MAX 8u      /* that led to a place and are told, the inner ones */
#define CHAINED_MAX 1024u /* sites that have callers: the sites of a process are limited */

struct code {
	PyObject *object;
	PyObject *file; /* str */
	PyObject *name; /* str: the function, qualified where the interpreter tells */
	bool is_library;
	bool is_own; /* of this package: never a place, and a name only if it is another function's */
	bool is_of_manager; /* of contextlib: it awaits a generator that it does not show */
	bool is_bottom;     /* what calls it has nothing to do with what it runs */
};

struct call {
	const struct code *code;
	uint32_t line;
};

/* A place while it is looked for, from the outermost line inwards or from the innermost outwards. */
struct place {
	const struct code *code;    /* the program's innermost */
	const struct code *library; /* the outermost of a library below it */
	const struct code *first;   /* the innermost of all that is not ours, and its line */
	uint32_t line, first_line;
	struct call calls[CALLS_MAX]; /* of the program's, that led to it: the outermost first */
	uint32_t nr_calls;
};

static struct code codes[CODES];
static uint32_t nr_codes, nr_chained;
static PyObject *libraries; /* list of str */
static PyObject *names;     /* dict: str -> int */

/* Attributes of frames, code, coroutines and generators. */
static struct words {
	PyObject *f_back, *f_locals, *co_filename, *co_name, *co_qualname;
	PyObject *self, *gen; /* of contextlib's managers: their generator */
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
	if (!libraries || words_open() < 0)
		return -1;
	names = PyDict_New();
	return names ? 0 : -1;
}

int places_add_library(PyObject *prefix)
{
	return PyList_Append(libraries, prefix);
}

/* An attribute that may be missing: NULL then, with no exception. */
static PyObject *attribute(PyObject *object, PyObject *word)
{
	PyObject *value = PyObject_GetAttr(object, word);

	if (!value)
		PyErr_Clear();
	return value;
}

/* The first one that is named is this package's own. */
static bool is_of_library(PyObject *file, Py_ssize_t beside)
{
	Py_ssize_t i;

	for (i = 0; i + beside < PyList_Size(libraries); i++)
		if (PyUnicode_Tailmatch(
			    file, PyList_GetItem(libraries, i), 0, PY_SSIZE_T_MAX, -1) == 1)
			return true;
	return false;
}

/* A str's bytes, which live as long as it does. */
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

static void code_fill(struct code *code, PyObject *object)
{
	code->name = attribute(object, words.co_qualname);
	if (!code->name)
		code->name = attribute(object, words.co_name);
	code->file = attribute(object, words.co_filename);
	code->is_library = code->file && is_of_library(code->file, 0);
	code->is_of_manager = code->is_library && ends_in_contextlib(code->file);
	code->is_own = code->is_library && is_of_library(code->file, PyList_Size(libraries) - 1);
	Py_INCREF(object);
	code->object = object;
	nr_codes++;
}

/* NULL: the table is full. */
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

/* `caller`: the site of the call that led there; 0: none, or not told. */
static uint32_t site_at(
	const struct code *code, uint32_t line, const struct code *library, uint32_t caller)
{
	uint64_t position = (uint64_t)line << 32 | caller;
	uint32_t site = ctp_site_lookup(code, position, library);
	struct ctp_site_source source = {.kind = CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C),
		.line = line,
		.address = caller};

	if (site)
		return site;
	if (caller && nr_chained >= CHAINED_MAX)
		return site_at(code, line, library, 0);
	nr_chained += caller != 0;
	source.file = text_of(code->file);
	source.function = text_of(code->name);
	source.reason = library ? text_of(library->name) : NULL;
	return ctp_site_remember(code, position, library, &source);
}

static uint32_t site_of(const struct place *place)
{
	uint32_t caller = 0, i;

	for (i = 0; i < place->nr_calls; i++)
		caller = site_at(place->calls[i].code, place->calls[i].line, NULL, caller);
	return site_at(place->code, place->line, place->library, caller);
}

/* The place found so far called what is found now. */
static void place_called(struct place *place)
{
	if (!place->code || place->code->is_library)
		return;
	if (place->nr_calls == CALLS_MAX)
		memmove(place->calls, place->calls + 1, --place->nr_calls * sizeof(*place->calls));
	place->calls[place->nr_calls++] = (struct call){place->code, place->line};
}

/* The methods behind `async with` and `async for` name nothing, nor do functions of ours that stand for no other. */
static bool is_name(const struct code *code)
{
	const char *name = text_of(code->name);
	const char *dot = name ? strrchr(name, '.') : NULL;

	if (!name || (code->is_own && strstr(name, "<locals>")))
		return false;
	return strncmp(dot ? dot + 1 : name, "__", 2) != 0;
}

static const struct code *place_go_in(struct place *place, PyObject *frame)
{
	const struct code *code = code_of_frame(frame);

	if (!code)
		return NULL;
	/* Where a library's coroutine is a task of its own, as wait_for makes one, no place is ours. */
	if (!code->is_library || !place->code || (place->code->is_own && !code->is_own)) {
		place_called(place);
		place->code = code;
		place->line = line_of(frame);
		place->library = NULL;
	} else if (!place->library && is_name(code)) {
		place->library = code;
	}
	return code;
}

/* The generator of a manager that contextlib enters or leaves in this frame; NULL: there is none. */
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

/* The way that leads on from a suspended object, by its type: a coroutine, a generator, or one that is asynchronous. */
static PyObject *go_on(PyObject *object, struct place *place)
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
	code = place_go_in(place, frame);
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
	struct place place = {0};
	PyObject *object = coroutine, *inner, *next;
	uint32_t depth;

	if (!ctp_is_attached())
		return 0;
	Py_INCREF(object);
	for (depth = 0; object && depth < DEPTH_MAX; depth++) {
		inner = unwrap(object);
		next = go_on(inner ? inner : object, &place);
		Py_DECREF(object);
		object = next;
	}
	Py_XDECREF(object);
	return place.code ? site_of(&place) : 0;
}

/* One frame further out; true: that was the place. */
static bool place_go_out(struct place *place, PyObject *frame)
{
	const struct code *code = code_of_frame(frame);

	if (!code)
		return false;
	if (!place->first && !code->is_own) {
		place->first = code;
		place->first_line = line_of(frame);
	}
	if (code->is_bottom)
		return true;
	if (code->is_library) {
		place->library = is_name(code) ? code : place->library;
		return false;
	}
	place->code = code;
	place->line = line_of(frame);
	return true;
}

/* One frame further out than the place; false: enough is known. */
static bool place_go_on_out(struct place *place, PyObject *frame)
{
	const struct code *code = code_of_frame(frame);

	if (!code || code->is_bottom || place->nr_calls == CALLS_MAX)
		return false;
	if (!code->is_library)
		place->calls[place->nr_calls++] = (struct call){code, line_of(frame)};
	return true;
}

/* From the innermost outwards they were found. */
static void turn_calls(struct place *place)
{
	uint32_t i;

	for (i = 0; i < place->nr_calls / 2; i++) {
		struct call call = place->calls[i];

		place->calls[i] = place->calls[place->nr_calls - 1 - i];
		place->calls[place->nr_calls - 1 - i] = call;
	}
}

static uint32_t find_out(PyObject *frame, bool has_calls)
{
	struct place place = {0};
	bool is_found = false;
	PyObject *back;
	uint32_t depth;

	Py_INCREF(frame);
	for (depth = 0; frame && frame != Py_None && depth < DEPTH_MAX; depth++) {
		if (is_found && !place_go_on_out(&place, frame))
			break;
		is_found = is_found || place_go_out(&place, frame);
		if (is_found && !(has_calls && place.code))
			break;
		back = attribute(frame, words.f_back);
		Py_DECREF(frame);
		frame = back;
	}
	Py_XDECREF(frame);
	if (!place.code) {
		place.code = place.first;
		place.line = place.first_line;
		place.library = NULL;
	}
	turn_calls(&place);
	return place.code ? site_of(&place) : 0;
}

uint32_t places_of_frame(PyObject *frame)
{
	return find_out(frame, false);
}

uint32_t places_of_stack(PyObject *frame)
{
	return find_out(frame, true);
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
