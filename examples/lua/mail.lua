-- SPDX-License-Identifier: MIT
-- A scheduler in Lua, with mailboxes, recorded for corotracer by four calls.
--
--     lua5.4 mail.lua             every letter is read
--     lua5.4 mail.lua --fault     some readers never read their letters
--
-- The fault is in read(): the reader goes into a list of its own, which write() does not look at.
local corotracer = require "corotracer"
corotracer.install()

local LETTERS, SECONDS = 50, 0.1
local is_faulty = arg[1] == "--fault"
local ready, nr_alive = {}, 0

local function wake(sleeper)
	corotracer.woken(sleeper)
	ready[#ready + 1] = sleeper
end

local function give_way()
	wake(coroutine.running())
	coroutine.yield()
end

local function spawn(name, body, ...)
	local arguments = table.pack(...)
	local new = coroutine.create(function()
		body(table.unpack(arguments))
		nr_alive = nr_alive - 1
	end)
	corotracer.name(new, name)
	nr_alive = nr_alive + 1
	ready[#ready + 1] = new
end

local function read(mailbox)
	while #mailbox.letters == 0 do
		table.insert(is_faulty and mailbox.late or mailbox.readers, (coroutine.running()))
		corotracer.waits_for(mailbox)
		coroutine.yield()
	end
	return table.remove(mailbox.letters)
end

local function write(mailbox, letter)
	table.insert(mailbox.letters, letter)
	corotracer.notify(mailbox, math.min(1, #mailbox.readers))
	if #mailbox.readers > 0 then
		wake(table.remove(mailbox.readers, 1))
	end
end

local function run()
	while nr_alive > 0 do
		local next = table.remove(ready, 1)
		if next then
			assert(coroutine.resume(next))
		else
			io.stderr:write("nothing is left to run, and ", nr_alive, " coroutines sleep\n")
			os.exit(1, false)
		end
	end
end

spawn("clock", function()
	while os.clock() < SECONDS do
		give_way()
	end
end)
local mailboxes = {} -- keeps readers that wait in a mailbox from being collected meanwhile
for number = 1, 4 do
	local mailbox = {letters = {}, readers = {}, late = {}}
	mailboxes[number] = mailbox
	spawn("reader", function()
		for _ = 1, LETTERS do
			read(mailbox)
		end
	end)
	spawn("writer", function()
		for number = 1, LETTERS do
			write(mailbox, number)
			give_way()
		end
	end)
end
run()
