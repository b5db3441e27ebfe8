"""Small pictures made byte by byte, so that no test needs Pillow."""

from __future__ import annotations

import struct
import zlib


def png(width: int, height: int, gray: int = 128) -> bytes:
    """A gray PNG of one value."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([gray]) * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def jpeg_head(width: int, height: int) -> bytes:
    """The beginning of a JPEG: an application segment, fill bytes, a Huffman table, and the frame."""
    app = b"\xff\xe0" + struct.pack(">H", 16) + b"JFIF\0" + bytes(9)
    huffman = b"\xff\xff\xc4" + struct.pack(">H", 4) + bytes(2)
    frame = b"\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + app + huffman + frame
