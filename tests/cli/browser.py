# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium that opens pages, evaluates expressions in them and takes pictures. It is spoken to over a pipe
(--remote-debugging-pipe: JSON messages, each ended by a zero byte), so there is no port and no further package."""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = ("--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-extensions", "--disable-dev-shm-usage", "--disable-gpu", "--hide-scrollbars")


class Browser:
    """with Browser() as browser: browser.open(path); browser.value("document.title")"""

    def __init__(self, width=1200, height=1600, dark=False, patience_s=300):
        self.patience_s, self.number, self.rest, self.session = patience_s, 0, b"", None
        self.home = tempfile.mkdtemp(prefix="browser-")
        from_us, self.to_browser = os.pipe()
        self.from_browser, to_us = os.pipe()
        command = [PROGRAM, "--headless=new", "--no-sandbox", "--remote-debugging-pipe", *QUIET,
                   f"--window-size={width},{height}", f"--user-data-dir={self.home}"]

        def connect():
            # The descriptors 3 and 4 may be ours already: by way of high numbers none is overwritten.
            high = [os.dup2(descriptor, 100 + i) for i, descriptor in enumerate((from_us, to_us))]
            for descriptor, wanted in zip(high, (3, 4)):
                os.dup2(descriptor, wanted)

        environment = {**os.environ, "HOME": self.home, "DBUS_SESSION_BUS_ADDRESS": "disabled:"}
        self.process = subprocess.Popen(command, preexec_fn=connect, close_fds=False, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        os.close(from_us)
        os.close(to_us)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")
        self.media(dark=dark)
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to_browser)
        os.close(self.from_browser)
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self):
        """The next message of the browser."""
        until = time.monotonic() + self.patience_s
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.from_browser], [], [], max(0, until - time.monotonic()))
            more = os.read(self.from_browser, 1 << 20) if ready else b""
            if not more:
                raise RuntimeError(f"{PROGRAM} has ended or does not answer")
            self.rest += more
        text, _, self.rest = self.rest.partition(b"\0")
        return json.loads(text)

    def call(self, method, until=None, **parameters):
        """The result of a command. `until`: an event to be waited for besides."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        data = json.dumps(request).encode() + b"\0"
        while data:
            data = data[os.write(self.to_browser, data):]
        result = None
        while result is None or until:
            said = self.message()
            if said.get("method") == until:
                until = None
            if said.get("id") == self.number:
                if "error" in said:
                    raise RuntimeError(f"{method}: {said['error']}")
                result = said["result"]
        return result

    def open(self, path):
        """Load a file; returns when it has been drawn."""
        self.call("Page.navigate", until="Page.loadEventFired", url=pathlib.Path(path).resolve().as_uri())
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def media(self, dark=False, kind="screen"):
        """What the user's system prefers, and "screen" or "print"."""
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def value(self, expression):
        """What an expression yields; promises are waited for."""
        said = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in said:
            raise RuntimeError(str(said["exceptionDetails"]))
        return said["result"].get("value")

    def key(self, name):
        """Press a key, as a user does: "j", "Enter"."""
        code = {"Enter": 13, "Tab": 9}.get(name, ord(name.upper()[0]))
        text = {"Enter": "\r", "Tab": ""}.get(name, name)
        self.call("Input.dispatchKeyEvent", type="keyDown", key=name, text=text, windowsVirtualKeyCode=code)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=name, windowsVirtualKeyCode=code)

    def picture(self, path, height=None):
        """Write what is seen as a PNG; `height` pixels of the page from its top."""
        clip = {"clip": {"x": 0, "y": 0, "width": self.value("innerWidth"), "height": height, "scale": 1},
                "captureBeyondViewport": True} if height else {}
        data = self.call("Page.captureScreenshot", format="png", **clip)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
