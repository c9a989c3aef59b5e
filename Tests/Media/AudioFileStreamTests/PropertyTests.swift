import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Properties asked for by their identifiers.
@Suite(.timeLimit(.minutes(5)))
struct PropertyTests {
    private let blocks = ADTSWriter.blocks(100)
    private var file: [UInt8] {
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TIT2", [3] + Array("Title".utf8))
        return tag.bytes + ADTSWriter().file(blocks)
    }

    /// The parser after some of a file's bytes, or all.
    private func parser(
        _ bytes: [UInt8], upTo end: Int? = nil, access: ByteAccess = .stream
    ) throws -> StreamBox {
        let box = StreamBox(access)
        var recorder = EventRecorder()
        try box.stream.bring(bytes, upTo: end ?? bytes.count, pieces: end ?? bytes.count, into: &recorder)
        if end == nil { try box.stream.finish(into: &recorder) }
        return box
    }

    @Test func valuesAreThoseThatWereTold() throws {
        let parser = try parser(file)
        let start = Int64(file.count - blocks.map { $0.count + 7 }.reduce(0, +))
        #expect(try parser.value(of: .readyToProducePackets) == true)
        #expect(try parser.value(of: .fileFormat, as: AudioFileType.self) == .adts)
        let format = try parser.value(of: .dataFormat, as: AudioStreamFormat.self)
        #expect(format.codec == .aac)
        #expect(try parser.value(of: .formatList, as: [AudioStreamFormat].self) == [format])
        #expect(try parser.value(of: .magicCookieData, as: [UInt8].self) == [0x12, 0x10])
        #expect(try parser.value(of: .audioDataByteCount, as: Int64.self) == Int64(file.count) - start)
        #expect(try parser.value(of: .audioDataPacketCount, as: Int64.self) == 100)
        #expect(try parser.value(of: .maximumPacketSize, as: Int.self) == blocks.map(\.count).max())
        #expect(try parser.value(of: .packetSizeUpperBound, as: Int.self) == 8_184)
        #expect(try parser.value(of: .dataOffset, as: Int64.self) == start)
        #expect(try parser.value(of: .channelLayout, as: AudioChannelLayout.self).labels == [.left, .right])
        #expect(try parser.value(of: .packetTableInfo, as: AudioPacketTableInfo.self).validFrameCount == 102_400)
        let average = try parser.value(of: .averageBytesPerPacket, as: Double.self)
        #expect(average == Double(Int64(file.count) - start) / 100)
        let duration = try parser.value(of: .estimatedDuration, as: TimeSpan.self)
        #expect(duration == TimeSpan(seconds: 102_400 / 44_100.0))
        #expect(try parser.value(of: .bitRate, as: Int.self) == Int((average * 8 * 44_100 / 1_024).rounded()))
        #expect(try parser.value(of: .infoDictionary, as: [AudioInfoKey: String].self) == [.title: "Title"])
        #expect(try parser.value(of: .restrictsRandomAccess) == true)
    }

    @Test func errorsAreDistinct() throws {
        let parser = try parser(file)
        #expect(parser.error(AudioStreamPropertyID("nope"), Int.self) == .unsupportedProperty)
        #expect(parser.error(.bitRate, Int64.self) == .badPropertySize)
        #expect(parser.error(.formatList, AudioStreamFormat.self) == .badPropertySize)
        #expect(parser.error(.packetToByte, Int64.self) == .badPropertySize)
        let wave = try self.parser(WAVEWriter().file(data: payload(8_000)))
        #expect(wave.error(.magicCookieData, [UInt8].self) == .valueUnknown)
        #expect(wave.error(.infoDictionary, [AudioInfoKey: String].self) == .valueUnknown)
        #expect(wave.error(.restrictsRandomAccess, Bool.self) == nil)
    }

    @Test func valuesAreUnknownUntilTheyAreTold() throws {
        let early = try parser(file, upTo: 8)
        #expect(early.error(.dataFormat, AudioStreamFormat.self) == .valueUnknown)
        #expect(try early.value(of: .readyToProducePackets) == false)
        #expect(!early.isKnown(.fileFormat))
        let half = try parser(file, upTo: file.count - 2_000)
        #expect(half.isKnown(.fileFormat))
        #expect(half.error(.audioDataPacketCount, Int64.self) == .valueUnknown)
        // The largest packet may be to come.
        #expect(half.error(.maximumPacketSize, Int.self) == .valueUnknown)
        #expect(half.error(.estimatedDuration, TimeSpan.self) == .valueUnknown)
    }

    @Test func closedStreamTellsNothing() throws {
        let parser = try parser(file)
        parser.stream.close()
        #expect(parser.error(.bitRate, Int.self) == .illegalOperation)
        #expect(!parser.isKnown(.bitRate))
        #expect(throws: AudioStreamError.illegalOperation) {
            _ = try parser.translate(.packetToFrame, AudioFramePacketTranslation(packet: 1))
        }
    }

    @Test func lengthIsEstimatedWhereTheFilesSizeIsKnown() throws {
        let parser = try parser(file, upTo: 12_000, access: .file(byteCount: Int64(file.count)))
        let duration = try parser.value(of: .estimatedDuration, as: TimeSpan.self)
        #expect(abs(duration.seconds - 102_400 / 44_100.0) < 0.2)
    }

    @Test func framesAndPackets() throws {
        let parser = try parser(file)
        let frame = try parser.translate(.packetToFrame, AudioFramePacketTranslation(packet: 7))
        #expect(frame.frame == 7 * 1_024)
        let packet = try parser.translate(.frameToPacket, AudioFramePacketTranslation(frame: 5_000))
        #expect(packet == AudioFramePacketTranslation(frame: 5_000, packet: 4, frameOffsetInPacket: 904))
        #expect(throws: AudioStreamError.invalidPacketOffset) {
            _ = try parser.translate(.packetToFrame, AudioFramePacketTranslation(packet: -1))
        }
    }

    /// Once all have gone by; before that there may be any number.
    @Test func thereAreNoPacketsBehindTheLast() throws {
        let count = Int64(blocks.count)
        let parser = try parser(file)
        #expect(try parser.firstFrame(ofPacket: count) == count * 1_024)
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.firstFrame(ofPacket: count + 1) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.place(ofPacket: count) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.seek(toPacket: count) }
        #expect(throws: AudioStreamError.invalidPacketOffset) { try parser.packet(containingFrame: count * 1_024) }
        #expect(try parser.seek(toPacket: count - 1).packet == count - 1)
        let half = try self.parser(file, upTo: file.count / 2)
        #expect(try half.firstFrame(ofPacket: 1 << 32) == 1_024 << 32)
    }

    @Test func bytesAndPackets() throws {
        let parser = try parser(file)
        let start = try parser.value(of: .dataOffset, as: Int64.self)
        let fifth = start + Int64(blocks[..<5].map { $0.count + 7 }.reduce(0, +))
        let byte = try parser.translate(.packetToByte, AudioBytePacketTranslation(packet: 5))
        #expect(byte == AudioBytePacketTranslation(byte: fifth, packet: 5))
        let packet = try parser.translate(.byteToPacket, AudioBytePacketTranslation(byte: fifth + 20))
        #expect(packet == AudioBytePacketTranslation(byte: fifth + 20, packet: 5, byteOffsetInPacket: 20))
        for byte in [0, Int64(file.count)] {
            #expect(throws: AudioStreamError.invalidPacketOffset) {
                _ = try parser.translate(.byteToPacket, AudioBytePacketTranslation(byte: byte))
            }
        }
    }

    @Test func rollDistanceEndsAtTheFirstPacket() throws {
        let parser = try parser(file)
        func distance(_ packet: Int64) throws -> Int64 {
            try parser.translate(.packetToRollDistance, AudioPacketRollDistanceTranslation(packet: packet)).rollDistance
        }
        #expect(try distance(50) == 2)
        #expect(try distance(1) == 1)
        #expect(try distance(0) == 0)
    }

    @Test func translationsHaveErrorsOfTheirOwn() throws {
        let parser = try parser(file)
        #expect(throws: AudioStreamError.badPropertySize) {
            _ = try parser.translate(.packetToFrame, AudioBytePacketTranslation(packet: 1))
        }
        #expect(throws: AudioStreamError.badPropertySize) {
            _ = try parser.translate(.bitRate, AudioFramePacketTranslation())
        }
        #expect(throws: AudioStreamError.unsupportedProperty) {
            _ = try parser.translate(AudioStreamPropertyID("nope"), AudioFramePacketTranslation())
        }
        let early = try self.parser(file, upTo: 8)
        #expect(throws: AudioStreamError.illegalOperation) {
            _ = try early.translate(.packetToFrame, AudioFramePacketTranslation(packet: 1))
        }
    }

    @Test func everyPropertyThatIsToldAgainHasAnIdentifier() throws {
        let parser = try parser(file)
        for property in parse(file).properties {
            guard let id = property.identifier else { continue }
            #expect(id == .packetToRollDistance || parser.isKnown(id), "\(id)")
        }
        #expect(AudioStreamPropertyID.packetTableInfo.description == "pnfo")
    }
}

/// A stream that can be looked at from within the testing library's macros, which copy what they look at.
private final class StreamBox {
    var stream: AudioFileStream

    init(_ access: ByteAccess) { stream = AudioFileStream(access: access) }

    func value<Value>(of id: AudioStreamPropertyID, as type: Value.Type = Value.self) throws -> Value {
        try stream.value(of: id)
    }

    func isKnown(_ id: AudioStreamPropertyID) -> Bool { stream.isKnown(id) }

    func firstFrame(ofPacket packet: Int64) throws -> Int64 { try stream.firstFrame(ofPacket: packet) }
    func place(ofPacket packet: Int64) throws -> AudioFileStreamSeek { try stream.place(ofPacket: packet) }
    func seek(toPacket packet: Int64) throws -> AudioFileStreamSeek { try stream.seek(toPacket: packet) }
    func packet(containingFrame frame: Int64) throws -> Int64 { try stream.packet(containingFrame: frame).packet }

    func translate<Translation: AudioStreamTranslation>(
        _ id: AudioStreamPropertyID, _ translation: Translation
    ) throws -> Translation {
        try stream.translate(id, translation)
    }

    func error<Value>(_ id: AudioStreamPropertyID, _ type: Value.Type) -> AudioStreamError? {
        do throws(AudioStreamError) {
            _ = try stream.value(of: id, as: type)
            return nil
        } catch {
            return error
        }
    }
}
