"""User-defined functions that the library calls. An exception in one is raised again by the call of the library that called it. The same
holds for signal handlers that run meanwhile, such as that of Ctrl-C."""

import contextlib
import signal
import threading
import time

from . import library
from .library import call

RAISED = 1 << 20  # the first status that stands for an exception; the library's own are smaller

waiting = []  # signals that were caught: handler, number, frame


def in_main_thread():
    return threading.current_thread() is threading.main_thread()


def deliver():
    """Calls the handlers of the waiting signals, which may raise exceptions."""
    while waiting and in_main_thread():
        handler, *caught = waiting.pop(0)
        handler(*caught)


@contextlib.contextmanager
def signals_wait():
    """A context in which signals wait for deliver(), which is called at the end of a user-defined function, or for the end of the context.
    Python would call a handler on the way into any function, even one that C calls, where its exception would be lost."""
    with contextlib.ExitStack() as stack:
        if in_main_thread():
            for number in signal.valid_signals():
                handler = signal.getsignal(number)
                if callable(handler):
                    stack.callback(signal.signal, number, handler)
                    signal.signal(number, lambda *caught, handler=handler: waiting.append((handler, *caught)))
        yield
    deliver()


AT_A_TIME = 0.05  # seconds


def in_parts(run, steps, first):
    """Calls run(steps) in parts: `first` steps at the beginning, then parts of some hundredths of a second. Between two parts Python calls
    signal handlers, and an exception in one ends the run at a whole step. Returns True if a watch has stopped the run."""
    part = first
    while True:
        now = min(part, steps)
        begun = time.perf_counter()
        stopped = run(now)
        seconds = time.perf_counter() - begun
        steps -= now
        if stopped or steps == 0:
            return stopped
        part = max(1, int(now * min(8.0, AT_A_TIME / max(seconds, 1e-9))))


class Raised:
    """Exceptions of user-defined functions on their way through the library. Each has a status that stands for it, because in blocks
    another thread may raise than the one that called. Exceptions of watches have no status and are raised after the run."""

    def __init__(self, watches=()):
        self.lock, self.calls, self.errors = threading.Lock(), 0, {}
        self.watched = [watch.errors for watch in watches if hasattr(watch, "errors")]
        self.functions = bool(self.watched)  # there are Python functions

    def keep(self, error):
        with self.lock:
            status = RAISED + len(self.errors)
            self.errors[status] = error
        return status

    def call(self, function, *arguments):
        """Calls a function of the library in which user-defined functions may raise."""
        with self.lock:
            self.calls += 1
        try:
            with signals_wait() if self.functions else contextlib.nullcontext():
                stopped = call(function, *arguments)
        except library.Error as refused:
            error = self.errors.get(refused.number)
            if error is None:
                raise
            raise error from None
        finally:
            with self.lock:
                self.calls -= 1
                if not self.calls:
                    self.errors.clear()
        for errors in self.watched:
            if errors:
                error = errors[0]
                errors.clear()
                raise error
        return stopped
