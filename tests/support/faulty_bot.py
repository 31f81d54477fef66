"""A program for the tests of players in other processes: `python faulty_bot.py FAULT [FOLDER]`.

It answers every decision with the first legal action, but for its fault. In FOLDER it notes its process, its working
directory and the messages that it gets.
"""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SLEEP = [sys.executable, "-S", "-c", "import time; time.sleep(1000)"]


def say(value):
    print(json.dumps(value), flush=True)


def raw(text):
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def flood(text):
    while True:
        raw(text)


def child_stays():
    child = subprocess.Popen(SLEEP, stdin=subprocess.DEVNULL)  # it keeps the pipes of output and errors open
    note("pids", child.pid)
    sys.exit(0)


def close_output():
    os.close(1)
    time.sleep(1000)


def crash():
    raise RuntimeError("I lost my cards")


AT_START = {
    "crash at start": crash,
    "end at start": lambda: sys.exit(3),
    "silent at start": lambda: time.sleep(1000),
    "not ready": lambda: say("hello"),
}
AT_DECISION = {
    "crash": crash,
    "end": lambda: sys.exit(4),
    "end with a child": child_stays,
    "kill itself": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "silent": lambda: time.sleep(1000),
    "close output": close_output,
    "part of a line": lambda: (raw(b"2"), sys.exit(0)),
    "no JSON": lambda: print("pass", flush=True),
    "empty line": lambda: print(flush=True),
    "deep JSON": lambda: print("[" * 50_000, flush=True),
    "a list": lambda: say([25]),
    "no action": lambda: say({"card": 3}),
    "null": lambda: say(None),
    "true": lambda: say(True),
    "a fraction": lambda: say(25.0),
    "id too high": lambda: say(37),
    "id below 0": lambda: say(-1),
    "unknown name": lambda: say("play 3C"),
    "illegal": lambda: say("defend alone"),
    "no UTF-8": lambda: raw(b'"\xff"\n'),
    "long line": lambda: raw(b" " * 100_000 + b"25\n"),
    "endless line": lambda: flood(b" " * 4096),
    "endless lines": lambda: flood(b'"pass"\n'),
}


def note(name, value):
    if len(sys.argv) > 2:
        with (Path(sys.argv[2]) / name).open("a") as file:
            file.write(f"{value}\n")


def main(fault):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    note("pids", os.getpid())
    note("folders", json.dumps([str(Path.cwd()), [file.name for file in Path.cwd().iterdir()], os.getpid()]))
    for line in sys.stdin:
        message = json.loads(line)
        note("messages", line.strip())
        if message["type"] == "start":
            AT_START.get(fault, lambda: say("ready"))()
            if fault == "two lines":
                say("ready")
        if message["type"] == "decision":
            if fault == "slow":
                time.sleep(1)
            if fault in AT_DECISION:
                AT_DECISION[fault]()
            else:
                say(message["legal_ids"][0])


if __name__ == "__main__":
    main(sys.argv[1])
