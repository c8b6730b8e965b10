# SPDX-License-Identifier: MIT
"""A shop with gevent: cooks take orders from a list, and sleep when the list is empty.

    python -m corotracer shop.py            every order is cooked
    python -m corotracer shop.py --fault    the cook sleeps although there are orders

The fault is in next_order(): a cook looks for an order, reports that there is none, and only then clears the bell and
waits for it. If an order comes in between, no cook is notified of it.
"""
import argparse
import signal

import gevent
import gevent.event
import gevent.lock
import gevent.queue
import gevent.socket


class Shop:
    def __init__(self, is_faulty):
        self.orders = []
        self.bell = gevent.event.Event()
        self.stove = gevent.lock.Semaphore(1)
        self.meals = gevent.queue.Queue(2)
        self.is_faulty = is_faulty

    def next_order(self):
        while not self.orders:
            if self.is_faulty:
                gevent.sleep(0)  # reports that there is no order
            self.bell.clear()
            self.bell.wait()
        return self.orders.pop()

    def cook(self):
        while True:
            order = self.next_order()
            if order is None:
                return
            with self.stove:
                gevent.sleep(0)
            self.meals.put(order)

    def order(self, number):
        self.orders.append(number)
        self.bell.set()
        return self.meals.get()


def main(options):
    # This pipe could still bring a call, so the hub has something to wait for.
    phone, _caller = gevent.socket.socketpair()
    gevent.spawn(phone.recv, 1)
    shop = Shop(options.fault)
    cook = gevent.spawn(shop.cook)
    for number in range(options.rounds):
        guests = [gevent.spawn(shop.order, number) for _ in range(2)]
        gevent.joinall(guests)
    shop.orders.append(None)
    shop.bell.set()
    cook.join()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fault", action="store_true", help="look before the bell is taken back")
    parser.add_argument("--rounds", type=int, default=50, help="how often two guests come (50)")
    parser.add_argument("--limit", type=int, default=0, metavar="SECONDS", help="end by SIGALRM after so long (0: never)")
    arguments = parser.parse_args()
    signal.alarm(arguments.limit)
    main(arguments)
