"""Python goes on while C++ works."""

from __future__ import annotations

import threading
import time

import numpy as np

import evenhand


def test_another_thread_progresses_during_a_fit() -> None:
    rng = np.random.default_rng(0)
    score, group = rng.random(2_000_000), rng.integers(0, 3, 2_000_000)
    counted, done = [0], threading.Event()

    def count() -> None:
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    other = threading.Thread(target=count)
    other.start()
    progressed = 0
    for _ in range(50):  # a busy machine may starve the other thread once, not always
        before = counted[0]
        evenhand.fit(score, group, criterion="statistical-parity", threads=1)
        progressed = max(progressed, counted[0] - before)
        if progressed > 100:
            break
    done.set()
    other.join()
    assert progressed > 100  # with the lock held it would be a handful


def test_fits_in_several_threads_are_the_same() -> None:
    rng = np.random.default_rng(1)
    score, group = rng.random(20_000), rng.choice(["a", "b"], 20_000)
    found: list[str] = []

    def fit() -> None:
        found.append(evenhand.fit(score, group, criterion="statistical-parity").to_json())

    threads = [threading.Thread(target=fit) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert len(set(found)) == 1
