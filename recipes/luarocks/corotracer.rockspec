-- SPDX-License-Identifier: MIT
rockspec_format = "3.0"
package = "corotracer"
version = "@VERSION@-1"
source = {
   url = "@ADDRESS@",
   dir = "corotracer-@VERSION@",
}
description = {
   summary = "Tells corotracer what the coroutines of a program do",
   detailed = [[
      One call, install(), makes a program in Lua tell corotracer of its coroutines. corotracer watches such a program
      from another process, and says which of its coroutines are stuck, on what, at which line, and why.
   ]],
   license = "MIT",
   labels = { "coroutines", "debugging", "tracing" },
}
supported_platforms = { "linux" }
dependencies = { "lua >= 5.4, < 5.5" }
-- The module stays loaded when Lua closes (nodelete): threads that end call into it.
build = {
   type = "command",
   build_command = "$(CC) $(CFLAGS) $(LIBFLAG) -std=gnu11 -D_GNU_SOURCE -pthread -Iinclude -I$(LUA_INCDIR) "
      .. "sdk/lua/corotracer.c sdk/lua/probe_copy.c -Wl,-z,nodelete -o corotracer.so",
   install = {
      lib = {
         corotracer = "corotracer.so",
      },
   },
}
