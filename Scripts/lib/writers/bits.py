"""Bits, most significant first."""


class BitWriter:
    def __init__(self):
        self.bits = []

    def put(self, value, count):
        """Appends the lowest `count` bits of a number that fits in them."""
        assert 0 <= value < 1 << count, (value, count)
        self.bits.extend(value >> shift & 1 for shift in reversed(range(count)))

    def align(self):
        """Zeros up to the next whole byte."""
        self.bits.extend([0] * (-len(self.bits) % 8))

    def bytes(self):
        """All of it; whole bytes only."""
        assert len(self.bits) % 8 == 0
        text = "".join(map(str, self.bits))
        return int(text or "0", 2).to_bytes(len(self.bits) // 8, "big")
