# SPDX-License-Identifier: MIT
"""A pool of connections, and clients that wait for a connection.

    python -m corotracer pool.py            every client is served
    python -m corotracer pool.py --fault    some clients wait without end

The fault is in take(): it looks for a connection first, and only then waits for the lock under which it waits. If a
connection is given back in between, no waiter is notified of it.
"""
import argparse
import asyncio
import signal


class Pool:
    def __init__(self, size, is_faulty):
        self.idle = [f"connection-{number}" for number in range(size)]
        self.freed = asyncio.Condition()
        self.is_faulty = is_faulty

    async def take(self):
        if self.is_faulty:
            return await self.take_late()
        async with self.freed:
            while not self.idle:
                await self.freed.wait()
            return self.idle.pop()

    async def take_late(self):
        while not self.idle:
            await asyncio.sleep(0)  # reports to a monitor that the pool is empty
            async with self.freed:
                await self.freed.wait()
        return self.idle.pop()

    async def give_back(self, connection):
        async with self.freed:
            await asyncio.sleep(0)  # rolls back what was begun on the connection
            self.idle.append(connection)
            self.freed.notify()


async def client(pool):
    connection = await pool.take()
    await asyncio.sleep(0)  # works with the connection
    await pool.give_back(connection)


async def main(options):
    pool = Pool(2, options.fault)
    for _ in range(options.rounds):
        await asyncio.gather(*(client(pool) for _ in range(options.clients)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", action="store_true", help="look before the lock is held")
    parser.add_argument("--clients", type=int, default=8, help="how many come at once (8)")
    parser.add_argument("--rounds", type=int, default=20, help="how often they come (20)")
    parser.add_argument("--limit", type=int, default=0, metavar="SECONDS", help="end by SIGALRM after so long (0: never)")
    arguments = parser.parse_args()
    signal.alarm(arguments.limit)
    asyncio.run(main(arguments))
