import NIOCore

// The second byte of an input is the setting; then each operation is in the low half of a byte, a choice in the high
// half.

extension GreetingRun {
    static var seeds: [[UInt8]] {
        let atBroadcast = strangers.enumerated().flatMap { number, script in
            [[0, UInt8(number % 4)] as [UInt8], [0, UInt8((number + 2) % 4)]].map { $0 + script }
        }
        let atListener = broadcasters.enumerated().flatMap { number, script in
            [[1, 0] as [UInt8], [1, UInt8((1 + number * 5) % 32)]].map { $0 + script }
        }
        return atBroadcast + atListener
    }

    /// Each message in a piece of its own, and some time after it.
    private static func script(_ messages: [ByteBuffer]) -> [UInt8] {
        var bytes: [UInt8] = [0x06]
        for message in messages {
            bytes += [0x00, UInt8(message.readableBytes)]
            bytes += message.readableBytesView
            bytes.append(0x24)
        }
        return bytes
    }

    /// Listeners, one that needs PCM, observers, one that asks for the clock and reads nothing.
    private static var strangers: [[UInt8]] {
        var asking: [UInt8] = [0x06, 0x0A, 1]
        for _ in 0..<12 { asking += [0x0B, 90, 0x15, 0x19] }
        return [
            script(WireSeeds.listener), asking,
            [0x06, 0x0A, 1, 0x9A, 0x35, 0xAA, 0x55, 0x09, 0xBA, 0x75, 0x09, 0xEA],
            [0x06, 0x1A, 2, 0x9A, 0x35, 0xAA, 0x55, 0x09, 0xBA, 0x75, 0x09, 0xDA, 0x55],
            [0x06, 0x4A, 3, 0xF5, 0x09, 0xF5, 0x16, 0x4A, 3, 0x75, 0x18, 0x07],
            [0x0C, 0x1C, 0x34, 0x0E, 0x0A, 0, 0x1E, 0x35, 0x8C, 0x7A, 7],
            [0x06, 0x0A, 1, 0xAA, 0x0D, 40, 0x06, 0x0A, 1, 0xF4, 0x07],
        ]
    }

    /// One from greeting to end, several to choose from, some whose clocks lie, some that send more than is wanted.
    private static var broadcasters: [[UInt8]] {
        let start: [UInt8] = [0x06, 0x0A, 1, 5, 0x3A, 0xF4, 0x5A, 1, 0x6A, 1, 0]
        let song: [UInt8] = [0x7A, 0, 3, 0, 0x7A, 12, 3, 0, 0x7A, 24, 3, 0]
        let begun = start + song
        let ending: [UInt8] = [0x8A, 2, 1, 0, 0, 0x1B, 0x25, 0x2B, 0x75, 0xAA, 48, 0x55, 0x0F, 0xBA, 0, 0xF5]
        let returning: [UInt8] = [0xF5, 0x8A, 3, 0, 1, 0, 0x2B, 0xF5, 0x07, 0xF5, 0x06, 0x0A, 1, 5, 0x3A]
        let lying: [UInt8] = [0x8A, 3, 0, 9, 0, 0x2B, 0xF5, 0x8A, 4, 0, 2, 0x75]
        let sleeping: [UInt8] = [0x8A, 2, 1, 0, 0, 0x2B, 0x75, 0xCF, 0x75, 0x07, 0xF5, 0x3F, 0xF5]
        let tooMuch: [UInt8] = [0x0D, 255, 0x3A, 0x15]
        return [
            script(WireSeeds.broadcast), [0x19] + begun + ending, [0x59] + begun + returning,
            [0x29, 2, 0x10, 0, 0x69, 4, 0] + begun + lying, [0x19] + begun + sleeping,
            [0x0C, 0x1C, 0x0E, 0x0A, 0, 9, 0x3A, 0x0E, 0x0A, 1, 5, 0x3A, 0xF5, 0x8C, 0x9C, 0xCA, 1, 0x25],
            [0x06, 0x0A, 1, 5, 0xDA, 0] + tooMuch, [0x06, 0x0A, 1, 5, 0xEA] + tooMuch,
            [0x06, 0x0A, 1, 5] + song + tooMuch,
        ]
    }
}
