/* SPDX-License-Identifier: MIT */
/*
 * corotracer for Lua 5.4: records what coroutines do, by functions that wrap those of the library coroutine.
 *
 * Only resumes have to be seen: when a resume returns, the coroutine has yielded, at a place that its own stack still
 * shows, or has come to its end, or failed at such a place. The state of a coroutine is a userdata in a table with weak
 * keys, so that a coroutine that is collected while it waits is recorded, too. Nothing here keeps a coroutine alive, or
 * yields on its behalf.
 */
#include <lauxlib.h>
#include <lua.h>
#include <stdbool.h>
#include <string.h>

#include "corotracer/ctp_probe.h"

#define FRAMES_MAX 32
#define SITES_MAX 4096 /* texts that are interned; a process has a limited number of sites */

struct life {
	uint64_t coro;
	uint64_t wait; /* resource of its next yield, or 0 */
	bool has_run, is_over;
};

static const char lives_key, sites_key, life_name[] = "corotracer.life";
static int nr_sites;
static bool ends_by_signals;

/* ---- Sites ---- */

static uint32_t site_remember(const lua_Debug *at, const char *reason)
{
	struct ctp_site_source source = {.kind = CTP_SITE_READY(CTP_SITE_SOURCE, CTP_FORM_C)};

	source.line = at->currentline > 0 ? (uint32_t)at->currentline : 0;
	source.file = at->source[0] == '@' ? at->source + 1 : at->short_src;
	source.function = at->name ? at->name : (strcmp(at->what, "main") == 0 ? "main" : NULL);
	source.reason = reason;
	return nr_sites++ < SITES_MAX ? ctp_site_remember(NULL, 0, NULL, &source) : 0;
}

/* Returns the site of the text on top of L's stack, which is popped; 0: the text was not met yet. */
static uint32_t site_known(lua_State *L)
{
	uint32_t site;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &sites_key);
	lua_pushvalue(L, -2);
	lua_rawget(L, -2);
	site = (uint32_t)lua_tointeger(L, -1);
	lua_pop(L, 2);
	return site;
}

static void site_keep(lua_State *L, uint32_t site)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, &sites_key);
	lua_pushvalue(L, -2);
	lua_pushinteger(L, site);
	lua_rawset(L, -3);
	lua_pop(L, 1);
}

/*
 * Returns the site of the innermost Lua line of `at`; `L` is the stack to work on. The function called there is the
 * reason.
 */
static uint32_t site_of(lua_State *L, lua_State *at)
{
	const char *reason = NULL;
	lua_Debug frame;
	uint32_t site;
	int level;

	for (level = 0; level < FRAMES_MAX && lua_getstack(at, level, &frame); level++) {
		lua_getinfo(at, "nSl", &frame);
		if (frame.currentline >= 0) {
			lua_pushfstring(L, "%s:%d:%s", frame.source, frame.currentline,
				reason ? reason : "");
			site = site_known(L);
			if (!site)
				site_keep(L, site = site_remember(&frame, reason));
			lua_pop(L, 1);
			return site;
		}
		reason = frame.name;
	}
	return 0;
}

static uint32_t site_named(lua_State *L, int index)
{
	uint32_t site;

	lua_pushvalue(L, index);
	site = site_known(L);
	if (!site && nr_sites++ < SITES_MAX)
		site_keep(L, site = ctp_intern(lua_tostring(L, -1), 0));
	lua_pop(L, 1);
	return site;
}

/* ---- Lives ---- */

static int life_collected(lua_State *L)
{
	struct life *life = luaL_checkudata(L, 1, life_name);

	if (!life->is_over && life->coro)
		ctp_destroy(life->coro, life->has_run ? CTP_LIFE_SUSPENDED : CTP_LIFE_UNSEEN);
	life->is_over = true;
	return 0;
}

/*
 * Returns the state of the coroutine at `index`; the table of lives owns it. NULL: there is none, and `may_begin` is
 * false.
 */
static struct life *life_of(lua_State *L, int index, bool may_begin)
{
	struct life *life;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &lives_key);
	lua_pushvalue(L, index);
	lua_rawget(L, -2);
	life = lua_touserdata(L, -1);
	lua_pop(L, 1);
	if (!life && may_begin) {
		lua_pushvalue(L, index);
		life = lua_newuserdatauv(L, sizeof(*life), 0);
		*life = (struct life){.coro = ctp_coro_new()};
		luaL_setmetatable(L, life_name);
		lua_rawset(L, -3);
		if (ctp_is_attached())
			ctp_create(life->coro, (uintptr_t)life, site_of(L, L));
	}
	lua_pop(L, 1);
	return life;
}

static struct life *life_running(lua_State *L)
{
	struct life *life;

	lua_pushthread(L);
	life = life_of(L, lua_gettop(L), false);
	lua_pop(L, 1);
	return life;
}

/* ---- Wrappers of the library's functions; each has the original as its first upvalue ---- */

static void call_original(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
}

static int traced_create(lua_State *L)
{
	call_original(L);
	life_of(L, 1, true);
	return 1;
}

static bool has_not_begun(lua_State *coroutine)
{
	lua_Debug frame;

	return lua_status(coroutine) == LUA_OK && lua_gettop(coroutine) > 0 &&
	       !lua_getstack(coroutine, 0, &frame);
}

/* Is the error on top of L's stack that which the interpreter raises at Ctrl-C, wherever the program just is? */
static bool is_interrupt(lua_State *L)
{
	static const char end[] = "interrupted!";
	const char *text = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "";
	size_t length = strlen(text);

	return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* An error leaves the stack as it was where it arose. */
static void leave(lua_State *L, lua_State *coroutine, struct life *life)
{
	bool has_failed;

	if (lua_status(coroutine) == LUA_YIELD || has_not_begun(coroutine)) {
		ctp_suspend(life->coro, life->wait, ctp_is_attached() ? site_of(L, coroutine) : 0,
			life->wait ? CTP_POINT_AWAIT : CTP_POINT_YIELD);
		life->wait = 0;
		return;
	}
	life->is_over = true;
	has_failed = lua_status(coroutine) != LUA_OK && !is_interrupt(L);
	if (has_failed)
		ctp_return_failed(life->coro, ctp_is_attached() ? site_of(L, coroutine) : 0);
	else
		ctp_return(life->coro);
	ctp_destroy(life->coro, CTP_LIFE_DONE);
}

/* A coroutine that cannot be resumed, because it is dead or running, is left to the original, which reports that. */
static int traced_resume(lua_State *L)
{
	lua_State *coroutine = lua_tothread(L, 1);
	bool can_go_on = coroutine && coroutine != L &&
			 (lua_status(coroutine) == LUA_YIELD || has_not_begun(coroutine));
	struct life *outer = life_running(L), *life;
	int status;

	if (!can_go_on) {
		call_original(L);
		return lua_gettop(L);
	}
	life = life_of(L, 1, true);
	ctp_resume(life->coro, life->has_run ? CTP_POINT_AWAIT : CTP_POINT_INITIAL);
	life->has_run = true;
	lua_pushvalue(L, 1);
	lua_insert(L, 1); /* so that it is not collected before it was looked at */
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 2);
	/* A hook of the caller's may raise an error in the call itself, as the interpreter's own does at Ctrl-C. */
	status = lua_pcall(L, lua_gettop(L) - 2, LUA_MULTRET, 0);
	leave(L, coroutine, life);
	if (outer)
		ctp_current_enter(outer->coro);
	return status ? lua_error(L) : lua_gettop(L) - 1;
}

/* Does what the library does: closes what an error left open, and adds to the message where the error came through. */
static int raise(lua_State *L)
{
	lua_State *coroutine = lua_tothread(L, lua_upvalueindex(2));

	if (lua_status(coroutine) != LUA_OK && lua_status(coroutine) != LUA_YIELD) {
		lua_resetthread(coroutine);
		lua_xmove(coroutine, L, 1);
	} else {
		lua_settop(L, 2);
	}
	if (lua_type(L, -1) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, -2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

/* The function that wrap returns; its upvalues are the traced resume, and the coroutine. */
static int wrapped(lua_State *L)
{
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, lua_upvalueindex(2));
	lua_rotate(L, 1, 2);
	lua_call(L, lua_gettop(L) - 1, LUA_MULTRET);
	if (!lua_toboolean(L, 1))
		return raise(L);
	return lua_gettop(L) - 1;
}

/* Upvalues: the traced create, the traced resume. */
static int traced_wrap(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_settop(L, 1);
	lua_pushvalue(L, lua_upvalueindex(2));
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, 1);
	lua_call(L, 1, 1);
	lua_pushcclosure(L, wrapped, 2);
	return 1;
}

static int traced_close(lua_State *L)
{
	struct life *life = lua_isthread(L, 1) ? life_of(L, 1, false) : NULL;

	call_original(L);
	if (life && !life->is_over) {
		life->is_over = true;
		ctp_destroy_at(life->coro, life->has_run ? CTP_LIFE_SUSPENDED : CTP_LIFE_UNSEEN,
			ctp_is_attached() ? site_of(L, L) : 0);
	}
	return lua_gettop(L);
}

/* ---- Calls for schedulers ---- */

static uint64_t handle_of(lua_State *L, int index)
{
	const void *thing = lua_topointer(L, index);

	luaL_argcheck(
		L, thing, index, "a table, a userdata, a function or a coroutine is expected");
	return CTP_HANDLE(CTP_RESOURCE_EVENT, (uintptr_t)thing);
}

static int waits_for(lua_State *L)
{
	uint64_t handle = handle_of(L, 1);
	struct life *life = life_running(L);

	if (life)
		life->wait = handle;
	return 0;
}

static int notify(lua_State *L)
{
	uint64_t handle = handle_of(L, 1);
	lua_Integer nr_woken = luaL_checkinteger(L, 2);

	luaL_argcheck(L, nr_woken >= 0, 2, "a number of coroutines is expected");
	if (ctp_is_attached())
		ctp_notify(ctp_current(), handle, nr_woken < 255 ? (unsigned)nr_woken : 255,
			site_of(L, L));
	return 0;
}

static int woken(lua_State *L)
{
	struct life *life;

	luaL_checktype(L, 1, LUA_TTHREAD);
	life = life_of(L, 1, false);
	if (life && !life->is_over && ctp_is_attached())
		ctp_wake(ctp_current(), CTP_HANDLE(CTP_RESOURCE_COROUTINE, life->coro),
			site_of(L, L), CTP_OUTCOME_QUEUED);
	return 0;
}

static int name(lua_State *L)
{
	struct life *life;
	uint32_t site;

	luaL_checktype(L, 1, LUA_TTHREAD);
	luaL_checkstring(L, 2);
	life = life_of(L, 1, false);
	site = life && ctp_is_attached() ? site_named(L, 2) : 0;
	if (site)
		ctp_name_coro(life->coro, site);
	return 0;
}

static int park(lua_State *L)
{
	uint64_t queue =
		CTP_HANDLE(CTP_RESOURCE_QUEUE, (uintptr_t)lua_topointer(L, LUA_REGISTRYINDEX));
	lua_Number seconds = luaL_optnumber(L, 1, 0);

	ctp_mark(0, CTP_MARK_SIGNALS_END, ends_by_signals, 0);
	if (seconds > 0 && seconds < 1e9)
		ctp_park_until(queue, 0, (uint64_t)(seconds * 1e9));
	else
		ctp_park(queue, 0);
	return 0;
}

static int unpark(lua_State *L)
{
	ctp_unpark(CTP_HANDLE(CTP_RESOURCE_QUEUE, (uintptr_t)lua_topointer(L, LUA_REGISTRYINDEX)));
	return 0;
}

static int signals_end(lua_State *L)
{
	ends_by_signals = lua_toboolean(L, 1);
	return 0;
}

/* ---- The module ---- */

static void replace(lua_State *L, const char *function, lua_CFunction with)
{
	lua_getfield(L, -1, function);
	lua_pushcclosure(L, with, 1);
	lua_setfield(L, -2, function);
}

static void replace_all(lua_State *L)
{
	lua_getglobal(L, "coroutine");
	replace(L, "create", traced_create);
	replace(L, "resume", traced_resume);
	replace(L, "close", traced_close);
	lua_getfield(L, -1, "create");
	lua_getfield(L, -2, "resume");
	lua_pushcclosure(L, traced_wrap, 2);
	lua_setfield(L, -2, "wrap");
	lua_pop(L, 1);
}

static void tables_open(lua_State *L)
{
	lua_newtable(L);
	lua_createtable(L, 0, 1);
	lua_pushliteral(L, "k");
	lua_setfield(L, -2, "__mode");
	lua_setmetatable(L, -2);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &lives_key);
	lua_newtable(L);
	lua_rawsetp(L, LUA_REGISTRYINDEX, &sites_key);
	luaL_newmetatable(L, life_name);
	lua_pushcfunction(L, life_collected);
	lua_setfield(L, -2, "__gc");
	lua_pop(L, 1);
}

static int install(lua_State *L)
{
	if (lua_rawgetp(L, LUA_REGISTRYINDEX, &lives_key) == LUA_TNIL) {
		tables_open(L);
		replace_all(L);
	}
	lua_pushboolean(L, ctp_attach());
	return 1;
}

__attribute__((visibility("default"))) int luaopen_corotracer(lua_State *L);
int luaopen_corotracer(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{"install", install},
		{"waits_for", waits_for},
		{"notify", notify},
		{"woken", woken},
		{"name", name},
		{"park", park},
		{"unpark", unpark},
		{"signals_end", signals_end},
		{NULL, NULL},
	};

	luaL_newlib(L, functions);
	return 1;
}
