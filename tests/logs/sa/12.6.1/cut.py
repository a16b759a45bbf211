"""Cuts a file of format 0x2175 (sysstat 12, little-endian) to the activities that are kept and a
few records, and writes the same counters in other layouts.

    zcat sar/sa21.gz > sa21; python3 cut.py sa21
"""
import struct
import sys

KEPT = {1, 2, 5, 6, 9, 12}
HEAD = 76 + 336
source = open(sys.argv[1], "rb").read()
entries = [struct.unpack_from("<9I", source, HEAD + 36 * i) for i in range(36)]


def records(count):
    """(uptime, seconds, kind, {activity: (items, bytes)}) of the first records of statistics."""
    at = HEAD + 36 * len(entries)
    for _ in range(count):
        uptime, seconds, _, kind, *_ = struct.unpack_from("<QQI4B", source, at)
        assert kind == 1
        at += 24
        found = {}
        for id, _, items, inner, counted, size, *_ in entries:
            if counted:
                (items,) = struct.unpack_from("<I", source, at)
                at += 4
            found[id] = (items, source[at : at + items * inner * size])
            at += items * inner * size
        yield uptime, seconds, {id: found[id] for id in KEPT}


def clock(seconds):
    local = seconds - 5 * 3600
    return bytes([local // 3600 % 24, local // 60 % 60, local % 60])


def header(order, activities):
    """Magic and header of 0x2175 in either byte order."""
    magic = struct.pack(order + "HH", 0xD596, 0x2175) + source[4:8] + struct.pack(order + "5I", 336, 0, 1, 1, 12)
    head = struct.unpack_from("<QQ12I", source, 76)
    head = head[:3] + (activities,) + head[4:]
    return magic.ljust(76, b"\0") + struct.pack(order + "QQ12I", *head) + source[76 + 64 : HEAD]


def swapped(order, id, data, size):
    """An activity's items in the byte order."""
    wide, narrow = {1: (10, 0), 2: (2, 0), 5: (8, 0), 6: (7, 0), 9: (3, 3), 12: (7, 1)}[id]
    numbers = 8 * wide + 4 * narrow
    items = [data[i : i + size] for i in range(0, len(data), size)]
    return b"".join(
        struct.pack(f"{order}{wide}Q{narrow}I", *struct.unpack_from(f"<{wide}Q{narrow}I", item)) + item[numbers:] for item in items
    )


def current(order, count):
    kept = [e for e in entries if e[0] in KEPT]
    out = header(order, len(kept)) + b"".join(struct.pack(order + "9I", *e) for e in kept)
    for uptime, seconds, found in records(count):
        out += struct.pack(order + "QQI", uptime, seconds, 0) + b"\1" + clock(seconds)
        for id, _, _, _, counted, size, *_ in kept:
            items, data = found[id]
            out += (struct.pack(order + "I", items) if counted else b"") + swapped(order, id, data, size)
    return out


def older(order, format, count):
    """0x1170, 0x2170, 0x2171 and 0x2173 (with the activities' first, or last, layouts)."""
    new = format == 0x2173
    ids = [1, 2, 5, 6, 9, 12]
    u64, u32 = (lambda *n: struct.pack(f"{order}{len(n)}Q", *n)), (lambda *n: struct.pack(f"{order}{len(n)}I", *n))
    wide = lambda *n: b"".join(u64(v, 0) for v in n)
    read = lambda data, n: struct.unpack_from(f"<{n}Q", data)

    def convert(id, data, items):
        size = len(data) // items
        rows = [data[i * size : (i + 1) * size] for i in range(items)]
        if id == 1:
            return [wide(*read(row, 10)[: 10 if new else 9]) for row in rows]
        if id == 2:
            return [wide(*read(row, 2)) for row in rows]
        if id == 5:
            return [u64(*read(row, 8)) for row in rows]
        if id == 6:
            return [u64(*read(row, 5), 0) if new else u32(*read(row, 5)) for row in rows]
        if id == 9:
            running, blocked, threads, *load = struct.unpack_from("<3Q3I", rows[0])
            return [u64(running, blocked) + u32(*load, threads) if new else u64(running) + u32(*load, threads)]
        speed_and_name = lambda row: row[60:76]
        if new:
            return [wide(*read(row, 7)) + u32(0) + speed_and_name(row) + bytes(12) for row in rows]
        return [u64(*read(row, 7)) + speed_and_name(row) for row in rows]

    first = next(iter(records(1)))
    sizes = {id: len(convert(id, first[2][id][1], first[2][id][0])[0]) for id in ids}
    magics = dict(zip(ids, [0x8A, 0x8A, 0x8A, 0x8B, 0x8B, 0x8C])) if new else dict.fromkeys(ids, 0x8A)
    out = struct.pack(order + "HH", 0xD596, format) + bytes([9, 1, 6, 0])
    date = bytes([20, 10, 126, 8])
    names = source[76 + 67 : 76 + 67 + 4 * 65]
    if new:
        out = (out + u32(288)).ljust(76, b"\0") + (u64(first[1]) + u32(3, len(ids), 1) + date + names).ljust(288, b"\0")
    else:
        out += (u64(first[1]) + u32(len(ids)) + date + names).ljust(280, b"\0")
    for id in ids:
        items = first[2][id][0]
        out += u32(id, items, sizes[id]) if format in (0x1170, 0x2170) else u32(id, magics[id], items, 1, sizes[id])

    def record(uptime, seconds, kind):
        return (u64(uptime * 2, 0, uptime, 0, seconds) + bytes([kind]) + clock(seconds)).ljust(48, b"\0")

    for i, (uptime, seconds, found) in enumerate(records(count)):
        if i == count // 2:
            out += record(0, seconds, 2) + (u32(1, 0, 3, 0, 0) if new else b"")
            out += record(0, seconds, 4) + b"half of it".ljust(64, b"\0")
        out += record(uptime, seconds, 1) + b"".join(b"".join(convert(id, found[id][1], found[id][0])) for id in ids)
    return out


for name, data in [
    ("twelve_records.log", current("<", 12)),
    ("big_endian.log", current(">", 4)),
    ("cut.log", current("<", 4)[:-100]),
    ("damaged.log", (one := current("<", 1)) + b"\xff" * 40 + current("<", 3)[len(one) + 40 :]),
    ("format_2173_restart.log", older("<", 0x2173, 6)),
    ("format_2171_big_endian.log", older(">", 0x2171, 4)),
    ("format_1170.log", older("<", 0x1170, 4)),
    ("format_2170.log", older("<", 0x2170, 4)),
    ("format_2177.log", b"\x96\xd5\x77\x21" + current("<", 1)[4:100]),
]:
    open(name, "wb").write(data)
