"""Reads a value that Sheaf stored: python3 read_value.py [dictionary...] < stored > value.

See docs/wire-format.md. A dictionary is a file with a field of the hash sheaf:{dictionaries}.
"""
import struct
import sys

MAGIC = b"\xf5\xfe\xffSHF"


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def snappy(data):
    out, pos, shift, byte = bytearray(), 0, 0, 0x80
    while byte & 0x80:  # the length, which the header says too
        byte, pos, shift = data[pos], pos + 1, shift + 7
    while pos < len(data):
        tag, pos = data[pos], pos + 1
        kind, size = tag & 3, (tag >> 2) + 1
        if kind == 0:  # literal
            if size > 60:
                extra = size - 60
                size, pos = int.from_bytes(data[pos:pos + extra], "little") + 1, pos + extra
            out += data[pos:pos + size]
            pos += size
            continue
        if kind == 1:  # copy with an offset of 11 bits
            size, offset, pos = (tag >> 2 & 7) + 4, tag >> 5 << 8 | data[pos], pos + 1
        else:  # copy with an offset of 2 or 4 bytes
            width = 2 if kind == 2 else 4
            offset, pos = int.from_bytes(data[pos:pos + width], "little"), pos + width
        for _ in range(size):
            out.append(out[-offset])
    return bytes(out)


def dictionary(stored):
    """The identifier of a stored dictionary, and the dictionary in Zstandard's own format."""
    if stored[:4] != b"SHFD" or crc32c(stored[8:]) != int.from_bytes(stored[4:8], "big"):
        raise ValueError("LOST_DICTIONARY")
    content = stored[10 + int.from_bytes(stored[8:10], "big"):]
    return int.from_bytes(content[4:8], "little"), content


def read_with_dictionary(stored, dictionaries, limit):
    import zstandard  # pip install zstandard
    if len(stored) < 14:
        raise ValueError("TRUNCATED")
    if stored[7] not in (0x27, 0x67, 0xA7):
        raise ValueError("CORRUPT")
    frame, number = b"\x28\xb5\x2f\xfd" + stored[7:], int.from_bytes(stored[8:12], "little")
    if zstandard.frame_content_size(frame) > min(limit, len(stored) << 15):
        raise ValueError("IMPOSSIBLE_LENGTH")
    if number not in dictionaries:
        raise ValueError("LOST_DICTIONARY")
    content = zstandard.ZstdCompressionDict(dictionaries[number])
    return zstandard.ZstdDecompressor(dict_data=content).decompress(frame)


def read(stored, dictionaries=(), limit=64 << 20):
    near = sum(bin(a ^ b).count("1") for a, b in zip(stored, MAGIC)) <= 2
    if not (near if len(stored) >= 6 else len(stored) >= 3 and MAGIC.startswith(stored)):
        return stored
    if stored[:7] == MAGIC + b"\x02":
        return read_with_dictionary(stored, dict(dictionaries), limit)
    if len(stored) < 16 or stored[:6] != MAGIC:
        raise ValueError("TRUNCATED" if len(stored) < 16 else "DAMAGED_MAGIC")
    version, algorithm, length, crc = struct.unpack(">BBII", stored[6:16])
    if version != 1 or algorithm not in (0, 1):  # 2: LZ4 block, 3: Zstandard frame
        raise ValueError("UNKNOWN_VERSION" if version != 1 else "UNKNOWN_ALGORITHM")
    if length > limit or length > len(stored) * 22 or crc32c(stored[6:12] + stored[16:]) != crc:
        raise ValueError("IMPOSSIBLE_LENGTH" if length > len(stored) * 22 else "CHECKSUM")
    value = snappy(stored[16:]) if algorithm == 1 else stored[16:]
    if len(value) != length:
        raise ValueError("CORRUPT")
    return value


if __name__ == "__main__":
    known = [dictionary(open(name, "rb").read()) for name in sys.argv[1:]]
    sys.stdout.buffer.write(read(sys.stdin.buffer.read(), known))
