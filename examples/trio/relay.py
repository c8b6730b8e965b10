# SPDX-License-Identifier: MIT
"""A relay race with trio: two teams run, each runner hands a baton on through a channel, and writes into one book.

    python -m corotracer relay.py            every baton arrives
    python -m corotracer relay.py --fault    two runners wait for each other

The fault is in note(): the two teams take the locks of the book and of the clock in a different order.
"""
import argparse
import signal

import trio


class Stadium:
    def __init__(self, is_faulty):
        self.book, self.clock = trio.Lock(), trio.Lock()
        self.start = trio.Event()
        self.track = trio.Semaphore(3)
        self.finished = trio.Condition()
        self.nr_finished = 0
        self.is_faulty = is_faulty

    async def note(self, team):
        first, second = self.book, self.clock
        if self.is_faulty and team:
            first, second = second, first
        async with first:
            await trio.sleep(0.001)  # opens the book
            async with second:
                await trio.lowlevel.checkpoint()

    async def run(self, team, batons, to):
        await self.start.wait()
        async with to:
            async for baton in batons:
                async with self.track:
                    with trio.move_on_after(0.001):
                        await trio.sleep_forever()  # runs
                await self.note(team)
                await to.send(baton)

    async def finish(self, batons):
        async for _ in batons:
            async with self.finished:
                self.nr_finished += 1
                self.finished.notify_all()

    async def watch(self, wanted):
        async with self.finished:
            while self.nr_finished < wanted:
                await self.finished.wait()


async def main(options):
    stadium = Stadium(options.fault)
    async with trio.open_nursery() as everybody:
        everybody.start_soon(stadium.watch, 2 * options.rounds)
        starts = []
        for team in range(2):
            start, batons = trio.open_memory_channel(1)
            starts.append(start)
            for _ in range(2):
                to, following = trio.open_memory_channel(0)
                everybody.start_soon(stadium.run, team, batons, to)
                batons = following
            everybody.start_soon(stadium.finish, batons)
        await trio.to_thread.run_sync(print, "on your marks")
        stadium.start.set()
        for baton in range(options.rounds):
            for start in starts:
                await start.send(baton)
        for start in starts:
            await start.aclose()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", action="store_true", help="the teams take the locks in a different order")
    parser.add_argument("--rounds", type=int, default=20, help="how many batons each team has (20)")
    parser.add_argument("--limit", type=int, default=0, metavar="SECONDS", help="end by SIGALRM after so long (0: never)")
    arguments = parser.parse_args()
    signal.alarm(arguments.limit)
    trio.run(main, arguments)
