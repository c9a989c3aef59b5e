import AudioCore

// QuickTime's `chan` atom holds Core Audio's AudioChannelLayout: a tag, a bitmap, and descriptions of 20 bytes that
// begin with a four-byte label.

extension AudioChannelLayout {
    private enum Tag {
        static let descriptions: UInt32 = 0
        static let bitMap: UInt32 = 1 << 16
    }

    /// - Parameter body: body of the atom, including version and flags. Nil if its contents have no meaning here.
    init?(quickTime body: [UInt8]) {
        guard body.count >= 16 else { return nil }
        let bytes = body.span.bytes
        let tag = bytes.bigEndian32(at: 4)
        switch tag {
        case Tag.descriptions:
            let count = Int(bytes.bigEndian32(at: 12))
            guard Limits.channelRange.contains(count), body.count >= 16 + 20 * count else { return nil }
            self.init((0..<count).map { AudioChannelLabel(rawValue: bytes.bigEndian32(at: 16 + 20 * $0)) ?? .unknown })
        case Tag.bitMap:
            self.init(speakerMask: bytes.bigEndian32(at: 8))
        default:
            guard let labels = Self.labels(ofTag: tag >> 16) else { return nil }
            self.init(labels)
        }
    }

    /// Returns the labels of a `kAudioChannelLayoutTag_...` that occurs in files; its lower half is the channel count.
    private static func labels(ofTag number: UInt32) -> [AudioChannelLabel]? {
        switch number {
        case 100: [.mono]
        case 101...103: [.left, .right]
        case 108: [.left, .right, .leftSurround, .rightSurround]
        case 113: [.left, .right, .center]
        case 114: [.center, .left, .right]
        case 115: [.left, .right, .center, .centerSurround]
        case 116: [.center, .left, .right, .centerSurround]
        case 117: [.left, .right, .center, .leftSurround, .rightSurround]
        case 118: [.left, .right, .leftSurround, .rightSurround, .center]
        case 119: [.left, .center, .right, .leftSurround, .rightSurround]
        case 120: [.center, .left, .right, .leftSurround, .rightSurround]
        case 121: [.left, .right, .center, .lfe, .leftSurround, .rightSurround]
        case 122: [.left, .right, .leftSurround, .rightSurround, .center, .lfe]
        case 123: [.left, .center, .right, .leftSurround, .rightSurround, .lfe]
        case 124: [.center, .left, .right, .leftSurround, .rightSurround, .lfe]
        case 125: [.left, .right, .center, .lfe, .leftSurround, .rightSurround, .centerSurround]
        case 126: [.left, .right, .center, .lfe, .leftSurround, .rightSurround, .leftCenter, .rightCenter]
        case 127: [.center, .leftCenter, .rightCenter, .left, .right, .leftSurround, .rightSurround, .lfe]
        default: nil
        }
    }
}
