"""Functions of the caller's that the library calls: what they raise comes out of the call that they were called in, and so does what handlers of
signals raise meanwhile, Ctrl-C among them."""

import contextlib
import signal
import threading
import time

from . import library
from .library import call

RAISED = 1 << 20  # the first status that stands for an exception, beyond the library's own

waiting = []  # signals that were caught: handler, number, frame


def in_main_thread():
    return threading.current_thread() is threading.main_thread()


def deliver():
    """Calls the handlers of the signals that wait, which may raise."""
    while waiting and in_main_thread():
        handler, *caught = waiting.pop(0)
        handler(*caught)


@contextlib.contextmanager
def signals_wait():
    """Python calls a signal's handler on the way into any function, one that C calls too, where what it raises is lost. In here signals wait instead,
    for deliver() at the end of such a function, or for the end."""
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
    """run(steps), in calls of some hundredths of a second and of `first` steps at the beginning: between two of them Python calls the handlers of
    signals, and what they raise ends the run at a whole step. True: a watch has stopped it."""
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
    """Exceptions of the caller's functions on their way out through the library, each by the status that stands for it there: in blocks another
    thread raises than the one that runs. Those of watches have no status, and come out behind the run."""

    def __init__(self, watches=()):
        self.lock, self.calls, self.errors = threading.Lock(), 0, {}
        self.watched = [watch.errors for watch in watches if hasattr(watch, "errors")]
        self.functions = bool(self.watched)  # there are such of Python's

    def keep(self, error):
        with self.lock:
            status = RAISED + len(self.errors)
            self.errors[status] = error
        return status

    def call(self, function, *arguments):
        """A call of the library in which a function of the caller's may raise."""
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
