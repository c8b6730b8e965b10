/* SPDX-License-Identifier: MIT */
/*
 * Turns frames into sites, and stacks into rows. Each row is made once; each stack is looked up once in a generation.
 */
#include "event/go_words.h"
#include "gotrace/sites.h"

#define GO_FRAMES_MAX 128u /* frames of a stack; Go omits the outer ones beyond */

bool gotrace_sites_init(struct gotrace_sites *sites, struct lists *lists)
{
	*sites = (struct gotrace_sites){.lists = lists, .nr_functions = 1};
	return gotrace_texts_init(&sites->texts);
}

void gotrace_sites_fini(struct gotrace_sites *sites)
{
	gotrace_texts_fini(&sites->texts);
	map_fini(&sites->function_of);
	map_fini(&sites->frame_of);
	map_fini(&sites->row_of);
	map_fini(&sites->site_of);
	vec_fini(&sites->places);
	vec_fini(&sites->text_of_name);
}

void gotrace_sites_restart(struct gotrace_sites *sites)
{
	sites->generation = 0;
	sites->places.count = sites->text_of_name.count = 0;
}

static const char *text_at(const struct gotrace_sites *sites, uint32_t text)
{
	return sites->texts.names.at[text].at;
}

/* Each text has one address and one number; numbers are compared instead of texts. */
static bool add_string(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint64_t string, uint32_t *ret_text)
{
	const struct gotrace_string *found =
		&gotrace_reader_generation(reader)->tables.strings.at[string];

	return gotrace_texts_add(&sites->texts, found->at, found->nr_bytes, ret_text);
}

static bool add_function(
	struct gotrace_sites *sites, uint32_t function, uint32_t file, uint32_t *ret_number)
{
	uint64_t key = (uint64_t)function << 32 | file;

	if (map_get(&sites->function_of, key, ret_number))
		return true;
	*ret_number = sites->nr_functions++;
	return map_put(&sites->function_of, key, *ret_number);
}

static bool add_site(struct gotrace_sites *sites, struct map *map, uint64_t key,
	const struct ct_site *site, uint32_t *ret_site)
{
	*ret_site = (uint32_t)sites->lists->sites.count;
	return map_put(map, key, *ret_site) && vec_push(&sites->lists->sites, *site);
}

static bool add_frame(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	const struct gotrace_frame *frame, uint32_t *ret_site)
{
	struct ct_site site = lists_no_site;
	uint32_t function, file, number;
	uint64_t key;

	if (!add_string(sites, reader, frame->function, &function) ||
		!add_string(sites, reader, frame->file, &file) ||
		!add_function(sites, function, file, &number))
		return false;
	key = (uint64_t)number << 32 | (uint32_t)frame->line;
	if (map_get(&sites->frame_of, key, ret_site))
		return true;
	site.process = 1;
	site.kind = CTP_SITE_SOURCE;
	site.line = (uint32_t)frame->line;
	site.function = text_at(sites, function);
	site.file = text_at(sites, file);
	return add_site(sites, &sites->frame_of, key, &site, ret_site);
}

static bool add_row(struct gotrace_sites *sites, uint32_t site, uint32_t caller, uint32_t *ret_row)
{
	uint64_t key = (uint64_t)site << 32 | caller;

	if (map_get(&sites->row_of, key, ret_row))
		return true;
	*ret_row = (uint32_t)sites->lists->stacks.count;
	return map_put(&sites->row_of, key, *ret_row) &&
	       vec_push(&sites->lists->stacks, ((struct ct_stack){site, caller}));
}

/* Does the function belong to the runtime or the libraries below a program, rather than to the program? */
static bool is_machinery(const char *function)
{
	static const char *const packages[] = {
		"runtime.", "runtime/", "internal/", "sync.", "sync/", "syscall.", "time.Sleep"};
	size_t i;

	for (i = 0; i < sizeof(packages) / sizeof(*packages); i++) {
		if (strncmp(function, packages[i], strlen(packages[i])) == 0)
			return strcmp(function, "runtime.main") != 0;
	}
	return false;
}

/* The reason why callers of certain functions wait. */
struct waiting {
	const char *functions; /* the names of these functions begin with this */
	enum go_word reason;
	unsigned resource;
};

static const struct waiting *waiting_in(const char *function)
{
	static const struct waiting known[] = {
		{"sync.(*Mutex).", GO_WORD_SYNC, CTP_RESOURCE_LOCK},
		{"sync.(*RWMutex).", GO_WORD_SYNC, CTP_RESOURCE_LOCK},
		{"sync.(*WaitGroup).Wait", GO_WORD_SYNC, CTP_RESOURCE_EVENT},
		{"sync.(*Cond).", GO_WORD_CONDITION, CTP_RESOURCE_CONDITION},
		{"runtime.chanrecv", GO_WORD_CHAN_RECEIVE, CTP_RESOURCE_CHANNEL},
		{"runtime.chansend", GO_WORD_CHAN_SEND, CTP_RESOURCE_CHANNEL},
		{"runtime.selectgo", GO_WORD_SELECT, CTP_RESOURCE_CHANNEL},
		{"internal/poll.runtime_pollWait", GO_WORD_NETWORK, CTP_RESOURCE_NETWORK},
		{"time.Sleep", GO_WORD_SLEEP, CTP_RESOURCE_TIMER},
	};
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (strncmp(function, known[i].functions, strlen(known[i].functions)) == 0)
			return &known[i];
	}
	return NULL;
}

/* Walks from the outermost call to the innermost; the last call that is not machinery is the place. */
static bool add_place(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, struct gotrace_place *place)
{
	const struct gotrace_tables *tables = &gotrace_reader_generation(reader)->tables;
	const struct gotrace_stack *frames = &tables->stacks.at[stack];
	const struct waiting *waiting;
	uint32_t i, site = 0;

	*place = (struct gotrace_place){.is_known = true, .reason = ""};
	for (i = frames->nr_frames; i-- > 0;) {
		uint32_t frame = tables->stack_frames.at[frames->first + i];

		if (!add_frame(sites, reader, &tables->frames.at[frame], &site) ||
			!add_row(sites, site, place->row, &place->row))
			return false;
		if (i + 1 == frames->nr_frames && frames->nr_frames < GO_FRAMES_MAX)
			place->function = site;
		if (!is_machinery(sites->lists->sites.at[site].function))
			place->site = site;
		waiting = waiting_in(sites->lists->sites.at[site].function);
		if (!waiting)
			continue;
		place->resource = (uint8_t)waiting->resource;
		place->reason = go_words_text(waiting->reason);
	}
	/* A goroutine of the runtime gets its first function as its place. */
	if (!place->site)
		place->site = place->function ? place->function : site;
	return true;
}

static bool find_place(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, struct gotrace_place **ret_place)
{
	const struct gotrace_generation *generation = gotrace_reader_generation(reader);

	if (sites->generation != generation->offset) {
		sites->generation = generation->offset;
		sites->places.count = 0;
		if (!vec_reach(&sites->places, generation->tables.stacks.count))
			return false;
	}
	if (!sites->places.at[stack].is_known &&
		!add_place(sites, reader, stack, &sites->places.at[stack]))
		return false;
	*ret_place = &sites->places.at[stack];
	return true;
}

/* Makes a text of the sites from the reader's name. */
static bool find_text(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t name, uint32_t *ret_text)
{
	size_t nr_bytes;
	const char *text;

	if (!vec_reach(&sites->text_of_name, name))
		return false;
	*ret_text = sites->text_of_name.at[name];
	if (*ret_text || !name)
		return true;
	text = gotrace_reader_name(reader, name, &nr_bytes);
	if (!gotrace_texts_add(&sites->texts, text, nr_bytes, ret_text))
		return false;
	sites->text_of_name.at[name] = *ret_text;
	return true;
}

static bool find_with(struct gotrace_sites *sites, const struct gotrace_place *place, uint32_t text,
	uint32_t *ret_site)
{
	uint64_t key = (uint64_t)place->row << 32 | text;
	struct ct_site site;

	if (map_get(&sites->site_of, key, ret_site))
		return true;
	site = place->site ? sites->lists->sites.at[place->site] : lists_no_site;
	site.process = 1;
	site.kind = place->site ? CTP_SITE_SOURCE : CTP_SITE_NAME;
	site.reason = text_at(sites, text);
	site.stack = place->row;
	return add_site(sites, &sites->site_of, key, &site, ret_site);
}

bool gotrace_sites_find(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t name, uint32_t *ret_site)
{
	struct gotrace_place *place;
	uint32_t text;

	*ret_site = 0;
	if (!stack && !name)
		return true;
	if (!find_place(sites, reader, stack, &place) || !find_text(sites, reader, name, &text))
		return false;
	if (!place->site_with_text || place->text != text) {
		if (!find_with(sites, place, text, &place->site_with_text))
			return false;
		place->text = text;
	}
	*ret_site = place->site_with_text;
	return true;
}

bool gotrace_sites_waiting(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t *ret_site, const char **ret_reason)
{
	struct gotrace_place *place;
	uint32_t text;

	*ret_site = 0;
	*ret_reason = "";
	if (!stack)
		return true;
	if (!find_place(sites, reader, stack, &place))
		return false;
	*ret_reason = place->reason;
	return gotrace_texts_add(&sites->texts, place->reason, strlen(place->reason), &text) &&
	       find_with(sites, place, text, ret_site);
}

bool gotrace_sites_function(struct gotrace_sites *sites, const struct gotrace_reader *reader,
	uint32_t stack, uint32_t *ret_site)
{
	struct gotrace_place *place;

	*ret_site = 0;
	if (!stack)
		return true;
	if (!find_place(sites, reader, stack, &place))
		return false;
	*ret_site = place->function;
	return true;
}

bool gotrace_sites_is_runtime(const struct gotrace_sites *sites, uint32_t site)
{
	const char *function = sites->lists->sites.at[site].function;

	if (strncmp(function, "runtime/trace.", strlen("runtime/trace.")) == 0 ||
		go_words_is(function, GO_WORD_SIGNALS))
		return true;
	return strncmp(function, "runtime.", strlen("runtime.")) == 0 &&
	       strcmp(function, "runtime.main") != 0;
}

bool gotrace_sites_named(struct gotrace_sites *sites, const char *name, uint32_t *ret_site)
{
	struct gotrace_place nowhere = {0};
	uint32_t text;

	return gotrace_texts_add(&sites->texts, name, strlen(name), &text) &&
	       find_with(sites, &nowhere, text, ret_site);
}
