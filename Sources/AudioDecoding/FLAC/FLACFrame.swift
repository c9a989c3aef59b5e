import AudioCore

// A frame (RFC 9639 section 9): a header, a subframe for each channel, and a check over all of it. Of two channels one
// may be the difference of both, the side, which has one bit more than they have.

/// Decodes frames of one stream, into a buffer that is used over and over.
struct FLACFrame {
    let channelCount: Int
    let bitsPerSample: Int
    /// The frames of one channel after those of another.
    private(set) var samples: [Int64] = []
    private(set) var blockSize = 0

    init(channelCount: Int, bitsPerSample: Int) {
        self.channelCount = channelCount
        self.bitsPerSample = bitsPerSample
    }

    private enum Side { case none, left, right, mid }

    /// - Throws: where it is damaged, or of another shape than the stream.
    mutating func decode(_ packet: UnsafeRawBufferPointer) throws(FLACBitReader.Damage) {
        var reader = FLACBitReader(packet)
        let side = try readHeader(&reader)
        let count = channelCount * blockSize
        if samples.count < count { samples += repeatElement(0, count: count - samples.count) }
        try samples.withUnsafeMutableBufferPointer { (samples) throws(FLACBitReader.Damage) in
            for channel in 0..<channelCount {
                let isSide = side == .right ? channel == 0 : side != .none && channel == 1
                let range = channel * blockSize..<(channel + 1) * blockSize
                let part = UnsafeMutableBufferPointer(rebasing: samples[range])
                try FLACSubframe(samples: part, bitCount: bitsPerSample + (isSide ? 1 : 0)).decode(&reader)
            }
        }
        // Up to the next byte there are zeros.
        let end = (reader.bitOffset + 7) / 8
        _ = try reader.unsigned(end * 8 - reader.bitOffset)
        let check = try reader.unsigned(16)
        guard check == UInt64(Self.check(UnsafeRawBufferPointer(rebasing: packet[..<end]))), join(side) else {
            throw FLACBitReader.Damage()
        }
    }

    /// Section 9.1.
    private mutating func readHeader(_ reader: inout FLACBitReader) throws(FLACBitReader.Damage) -> Side {
        guard try reader.unsigned(15) == 0x7FFC else { throw FLACBitReader.Damage() }
        _ = try reader.unsigned(1)
        let (sizeCode, rateCode) = (try reader.unsigned(4), try reader.unsigned(4))
        let side = try readChannels(&reader)
        let bitsCode = Int(try reader.unsigned(3))
        // Section 9.1.4: as STREAMINFO says, reserved, or these.
        let bits = [bitsPerSample, 8, 12, 0, 16, 20, 24, 32][bitsCode]
        guard bits == bitsPerSample, try reader.unsigned(1) == 0 else { throw FLACBitReader.Damage() }
        // The frame's number, coded as UTF-8 codes a character, up to 36 bits: its place is known.
        let first = UInt8(truncatingIfNeeded: try reader.unsigned(8))
        for _ in 0..<max(0, (~first).leadingZeroBitCount - 1) { _ = try reader.unsigned(8) }
        blockSize = try readBlockSize(sizeCode, &reader)
        _ = try reader.unsigned(rateCode == 12 ? 8 : rateCode == 13 || rateCode == 14 ? 16 : 0)
        // The header's own check; that of the frame is behind it.
        _ = try reader.unsigned(8)
        return side
    }

    /// Section 9.1.3.
    private func readChannels(_ reader: inout FLACBitReader) throws(FLACBitReader.Damage) -> Side {
        let code = Int(try reader.unsigned(4))
        let side: Side =
            switch code {
            case 8: .left
            case 9: .right
            case 10: .mid
            default: .none
            }
        guard channelCount == (side == .none ? code + 1 : 2) else { throw FLACBitReader.Damage() }
        return side
    }

    /// Section 9.1.1.
    private func readBlockSize(_ code: UInt64, _ reader: inout FLACBitReader) throws(FLACBitReader.Damage) -> Int {
        let size =
            switch code {
            case 0: 0
            case 1: 192
            case 2...5: 576 << (Int(code) - 2)
            case 6: Int(try reader.unsigned(8)) + 1
            case 7: Int(try reader.unsigned(16)) + 1
            default: 256 << (Int(code) - 8)
            }
        guard (1...Limits.packetFrameCount).contains(size) else { throw FLACBitReader.Damage() }
        return size
    }

    /// Makes left and right of a channel and the side (section 9.2).
    /// - Returns: whether they are in their range.
    private mutating func join(_ side: Side) -> Bool {
        guard side != .none else { return true }
        let size = blockSize
        let range = -(Int64(1) << Int64(bitsPerSample - 1))..<Int64(1) << Int64(bitsPerSample - 1)
        return samples.withUnsafeMutableBufferPointer { samples in
            for index in 0..<size {
                let (a, b) = (samples[index], samples[size + index])
                // The sum of both is even as their difference is.
                let sum = a << 1 | b & 1
                let (left, right) =
                    switch side {
                    case .none, .left: (a, a - b)
                    case .right: (a + b, b)
                    case .mid: ((sum + b) >> 1, (sum - b) >> 1)
                    }
                guard range.contains(left), range.contains(right) else { return false }
                (samples[index], samples[size + index]) = (left, right)
            }
            return true
        }
    }

    /// Section 9.3: x^16 + x^15 + x^2 + 1, starting from zero.
    private static func check(_ bytes: UnsafeRawBufferPointer) -> UInt16 {
        checks.withUnsafeBufferPointer { checks in
            bytes.reduce(0) { register, byte in register << 8 ^ checks[Int(UInt8(register >> 8) ^ byte)] }
        }
    }

    private static let checks: [UInt16] = (0..<256).map { byte in
        (0..<8).reduce(UInt16(byte) << 8) { register, _ in register << 1 ^ (register >> 15 == 1 ? 0x8005 : 0) }
    }
}
