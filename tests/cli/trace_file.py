# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small traces for Perfetto as Gimbal writes them; runtime/report/perfetto_writer.cpp says which field is what."""

PROCESS, THREAD = 1, 100  # numbers of tracks; threads have THREAD and above


def varint(value):
    found = bytearray()
    while value > 127:
        found.append(value & 127 | 128)
        value >>= 7
    return bytes([*found, value])


def field(number, value):
    """A field of a message: a number, a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def packet(*fields):
    return field(1, b"".join(fields))


def declared(thread):
    """The track of a thread, and that of its process."""
    return (packet(field(10, 1), field(60, field(1, PROCESS) + field(3, field(1, 7) + field(6, "app"))))
            + packet(field(10, 1), field(60, field(1, THREAD + thread) + field(5, PROCESS)
                                         + field(4, field(1, 7) + field(2, 7 + thread) + field(5, f"thread {thread}")))))


class Events:
    """What one thread did, 100 ns from one event to the next."""

    def __init__(self, thread):
        self.sequence = field(10, 2 + thread)
        self.names = {}
        self.fresh = b""
        first = field(6, field(1, field(1, 6) + field(2, 1000))) + field(59, field(11, field(11, THREAD + thread)))
        self.packets = [packet(self.sequence, field(13, 1), first)]

    def data(self):
        return b"".join(self.packets)

    def interned(self, kind, text):
        """The number of a text; kind: 1 category, 2 name of an event, 3 name of an argument."""
        known = self.names.setdefault(kind, {})
        if text not in known:
            known[text] = len(known) + 1
            self.fresh += field(kind, field(1, known[text]) + field(2, text))
        return known[text]

    def event(self, content):
        names = field(12, self.fresh) if self.fresh else b""
        self.fresh = b""
        self.packets.append(packet(field(8, 100), self.sequence, names, field(11, content)))

    def begin(self, category, name, **arguments):
        values = b"".join(field(4, field(1, self.interned(3, key)) + field(3, value))
                          for key, value in arguments.items())
        self.event(field(3, self.interned(1, category)) + field(9, 1) + field(10, self.interned(2, name)) + values)

    def end(self):
        self.event(field(9, 2))
