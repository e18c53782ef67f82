"""The tickets of `private/engines/bounding.py`, as every engine's md5 gives them, many at a time.

md5 (RFC 1321) of messages of one block. A step is done for all messages before the next one, so that the processor's
vector units have the work of several at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from discreet.kernels.jit import Ints, Words, kernel

Bytes = NDArray[np.uint8]

#: messages that are hashed together: they stay in the nearest cache
TOGETHER = 256
_BLOCK_BYTES = 64
_TURNS = np.array([[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]], np.uint32)
#: the word of the message that each step adds: a start and a stride for each of the four rounds
_FIRST, _STRIDE = np.array([0, 1, 5, 0]), np.array([1, 5, 3, 7])
_SINES = (np.abs(np.sin(np.arange(1, 65))) * 2.0**32).astype(np.uint32)
_START = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476], np.uint32)
_SLASH, _ZERO, _NINE, _TO_LETTERS = 47, 48, 57, 39


@kernel
def written(number: int, at: int, message: Bytes) -> int:
    """Write a whole number of at least -2**63 in decimal; returns where it ends."""
    left = np.uint64(number)
    if number < 0:
        message[at] = 45
        at += 1
        left = np.uint64(0) - left
    digits, rest = 1, left // np.uint64(10)
    while rest > 0:
        digits, rest = digits + 1, rest // np.uint64(10)
    for place in range(at + digits - 1, at - 1, -1):
        message[place] = np.uint8(_ZERO + left % np.uint64(10))
        left = left // np.uint64(10)
    return at + digits


@kernel
def _finished(message: Bytes, end: int) -> None:
    """Padding and length."""
    message[end] = 128
    message[end + 1 :] = 0
    message[56], message[57] = (8 * end) & 255, (8 * end) >> 8


@kernel
def _digested(messages: NDArray[np.uint32], words: NDArray[np.uint32], state: NDArray[np.uint32]) -> None:
    """state[0] and state[1] become the first two words of each message's digest."""
    for word in range(16):
        for row in range(TOGETHER):
            words[word, row] = messages[row, word]
    for part in range(4):
        state[part, :] = _START[part]
    a, b, c, d = state[0], state[1], state[2], state[3]
    for step in range(64):
        turn, back = _TURNS[step // 16, step % 4], np.uint32(32 - _TURNS[step // 16, step % 4])
        sine, word = _SINES[step], words[(_FIRST[step // 16] + _STRIDE[step // 16] * step) % 16]
        if step < 16:
            for row in range(TOGETHER):
                x = np.uint32(a[row] + (d[row] ^ (b[row] & (c[row] ^ d[row]))) + sine + word[row])
                a[row] = np.uint32(b[row] + np.uint32(np.uint32(x << turn) | np.uint32(x >> back)))
        elif step < 32:
            for row in range(TOGETHER):
                x = np.uint32(a[row] + (c[row] ^ (d[row] & (b[row] ^ c[row]))) + sine + word[row])
                a[row] = np.uint32(b[row] + np.uint32(np.uint32(x << turn) | np.uint32(x >> back)))
        elif step < 48:
            for row in range(TOGETHER):
                x = np.uint32(a[row] + (b[row] ^ c[row] ^ d[row]) + sine + word[row])
                a[row] = np.uint32(b[row] + np.uint32(np.uint32(x << turn) | np.uint32(x >> back)))
        else:
            for row in range(TOGETHER):
                x = np.uint32(a[row] + (c[row] ^ np.uint32(b[row] | np.uint32(~d[row]))) + sine + word[row])
                a[row] = np.uint32(b[row] + np.uint32(np.uint32(x << turn) | np.uint32(x >> back)))
        a, b, c, d = d, a, b, c
    for part in range(2):
        for row in range(TOGETHER):
            state[part, row] = np.uint32(state[part, row] + _START[part])


@kernel
def _number(low: np.uint32, high: np.uint32) -> np.uint64:
    """The first 16 hexadecimal digits of a digest as a number: bytes in the order in which they are written."""
    value = np.uint64(0)
    for word in (low, high):
        for place in range(4):
            value = (value << np.uint64(8)) | np.uint64((word >> np.uint32(8 * place)) & np.uint32(255))
    return value


@kernel
def digests_of(users: Ints, head: Bytes, found: Words) -> None:
    """found[i] = the digest of `head` followed by users[i] in decimal; at most 55 bytes together."""
    messages = np.zeros((TOGETHER, _BLOCK_BYTES), np.uint8)
    words, state = np.empty((16, TOGETHER), np.uint32), np.empty((4, TOGETHER), np.uint32)
    for begin in range(0, users.size, TOGETHER):
        count = min(TOGETHER, users.size - begin)
        for row in range(count):
            messages[row, : head.size] = head
            _finished(messages[row], written(users[begin + row], head.size, messages[row]))
        _digested(messages.view(np.uint32), words, state)
        for row in range(count):
            found[begin + row] = _number(state[0, row], state[1, row])


@kernel
def tickets_of(digests: Words, cells: Ints, copies: Ints, found: Words) -> None:
    """found[i] = the digest of a record: its user's in hexadecimal digits, its cell and its copy, with slashes."""
    messages = np.zeros((TOGETHER, _BLOCK_BYTES), np.uint8)
    words, state = np.empty((16, TOGETHER), np.uint32), np.empty((4, TOGETHER), np.uint32)
    for begin in range(0, digests.size, TOGETHER):
        count = min(TOGETHER, digests.size - begin)
        for row in range(count):
            message, rest = messages[row], digests[begin + row]
            for place in range(15, -1, -1):
                digit = _ZERO + np.int64(rest & np.uint64(15))
                message[place] = np.uint8(digit if digit <= _NINE else digit + _TO_LETTERS)
                rest = rest >> np.uint64(4)
            message[16] = _SLASH
            end = written(cells[begin + row], 17, message)
            message[end] = _SLASH
            _finished(message, written(copies[begin + row], end + 1, message))
        _digested(messages.view(np.uint32), words, state)
        for row in range(count):
            found[begin + row] = _number(state[0, row], state[1, row])
