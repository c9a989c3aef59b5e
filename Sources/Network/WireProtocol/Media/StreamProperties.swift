import AudioCore
import NIOCore

/// The wire format of an epoch's stream properties: each has a tag and a length, so that an unknown one is skipped.
///
/// | tag | property | value |
/// |---|---|---|
/// | 1 | data format | codec u32, sample rate f64, PCM layout u32, bytes per packet u32, frames per packet u32, bytes per frame u32, channels u32, bits per channel u32 |
/// | 2 | magic cookie | bytes, at most 65,536 |
/// | 3 | packet table | valid frames i64 (-1 unknown), priming u32, remainder u32 |
/// | 4 | bit rate | u32, bits per second |
/// | 5 | decoder pre-roll | u32, packets |
/// | 6 | info | key u8 (0 title, 1 artist, 2 album, 3 track, 4 year), text of at most 256 bytes |
/// | 7 | gain | f32 of 0 to 16: what samples are multiplied with; 1 if absent |
enum StreamProperties {
    private enum Tag: UInt16 {
        case dataFormat = 1
        case magicCookie, packetTable, bitRate, decoderPreroll, info, gain
    }

    private static let infoKeys: [AudioInfoKey] = [.title, .artist, .album, .track, .year]

    /// Writes a property; leaves out those that mean nothing to a listener (a file's offsets and byte counts).
    static func write(_ property: AudioStreamProperty, to buffer: inout ByteBuffer) {
        switch property {
        case .dataFormat(let format):
            write(.dataFormat, to: &buffer) { format.write(to: &$0) }
        case .magicCookie(let cookie):
            guard cookie.count <= Limits.magicCookieByteCount else { return }
            write(.magicCookie, to: &buffer) { $0.writeBytes(cookie) }
        case .packetTableInfo(let info):
            write(.packetTable, to: &buffer) {
                $0.writeInteger(info.validFrameCount ?? -1)
                $0.writeInteger(UInt32(clamping: info.primingFrameCount))
                $0.writeInteger(UInt32(clamping: info.remainderFrameCount))
            }
        case .bitRate(let rate):
            write(.bitRate, to: &buffer) { $0.writeInteger(UInt32(clamping: rate)) }
        case .decoderPrerollPacketCount(let count):
            write(.decoderPreroll, to: &buffer) { $0.writeInteger(UInt32(clamping: count)) }
        case .info(let key, let text):
            guard let code = infoKeys.firstIndex(of: key) else { return }
            write(.info, to: &buffer) {
                $0.writeInteger(UInt8(code))
                $0.writeText(text, limit: Limits.titleByteCount)
            }
        case .gain(let gain):
            write(.gain, to: &buffer) { $0.writeInteger(gain.bitPattern) }
        default: break
        }
    }

    private static func write(_ tag: Tag, to buffer: inout ByteBuffer, _ body: (inout ByteBuffer) -> Void) {
        buffer.writeInteger(tag.rawValue)
        let lengthIndex = buffer.writerIndex
        buffer.writeInteger(UInt32(0))
        body(&buffer)
        buffer.setInteger(UInt32(buffer.writerIndex - lengthIndex - 4), at: lengthIndex)
    }

    /// Reads all properties up to the buffer's end. Returns nil if one breaks its layout or a limit.
    static func read(from buffer: inout ByteBuffer) -> [AudioStreamProperty]? {
        var properties: [AudioStreamProperty] = []
        while buffer.readableBytes > 0 {
            guard let tag = buffer.readInteger(as: UInt16.self), let length = buffer.readInteger(as: UInt32.self),
                var value = buffer.readSlice(length: Int(length))
            else { return nil }
            guard let tag = Tag(rawValue: tag) else { continue }
            guard let property = read(tag, from: &value) else { return nil }
            properties.append(property)
        }
        return properties
    }

    private static func read(_ tag: Tag, from value: inout ByteBuffer) -> AudioStreamProperty? {
        switch tag {
        case .dataFormat:
            return AudioStreamFormat(from: &value).map { .dataFormat($0) }
        case .magicCookie:
            guard value.readableBytes <= Limits.magicCookieByteCount else { return nil }
            return .magicCookie(Array(value.readableBytesView))
        case .packetTable:
            guard let valid = value.readInteger(as: Int64.self), let priming = value.readInteger(as: UInt32.self),
                let remainder = value.readInteger(as: UInt32.self)
            else { return nil }
            return .packetTableInfo(
                AudioPacketTableInfo(
                    validFrameCount: valid < 0 ? nil : valid, primingFrameCount: Int(priming),
                    remainderFrameCount: Int(remainder)))
        case .bitRate:
            return value.readInteger(as: UInt32.self).map { .bitRate(Int($0)) }
        case .decoderPreroll:
            return value.readInteger(as: UInt32.self).map { .decoderPrerollPacketCount(Int($0)) }
        case .info:
            guard let code = value.readInteger(as: UInt8.self), Int(code) < infoKeys.count,
                let text = value.readText(limit: Limits.titleByteCount)
            else { return nil }
            return .info(infoKeys[Int(code)], text)
        case .gain:
            guard let gain = value.readInteger(as: UInt32.self).map(Float.init(bitPattern:)),
                Limits.gainRange.contains(gain)
            else { return nil }
            return .gain(gain)
        }
    }
}

extension AudioStreamFormat {
    fileprivate func write(to buffer: inout ByteBuffer) {
        buffer.writeInteger(codec.rawValue)
        buffer.writeDouble(sampleRate)
        buffer.writeInteger(pcm.rawValue)
        for field in [bytesPerPacket, framesPerPacket, bytesPerFrame, channelsPerFrame, bitsPerChannel] {
            buffer.writeInteger(UInt32(clamping: field))
        }
    }

    /// Reads a format; returns nil for an impossible one: rate, channels and sizes are checked against ``Limits``.
    fileprivate init?(from buffer: inout ByteBuffer) {
        guard let codec = buffer.readInteger(as: UInt32.self), let sampleRate = buffer.readDouble(),
            let layout = buffer.readInteger(as: UInt32.self)
        else { return nil }
        var fields: [Int] = []
        for _ in 0..<5 {
            guard let field = buffer.readInteger(as: UInt32.self) else { return nil }
            fields.append(Int(field))
        }
        guard Limits.sampleRateRange.contains(sampleRate), Limits.channelRange.contains(fields[3]),
            fields[0] <= Limits.packetByteCount, fields[1] <= Limits.packetFrameCount,
            fields[2] <= Limits.packetByteCount, fields[4] <= 64
        else { return nil }
        self.init(
            codec: Codec(rawValue: codec), sampleRate: sampleRate, pcm: PCMLayout(rawValue: layout),
            bytesPerPacket: fields[0], framesPerPacket: fields[1], bytesPerFrame: fields[2],
            channelsPerFrame: fields[3], bitsPerChannel: fields[4])
    }
}
