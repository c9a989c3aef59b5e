import AudioCore

extension ChunkParser {
    mutating func beginAudio<Sink: AudioStreamSink & ~Copyable>(
        _ track: AudioTrack, at start: Int64, byteCount: Int64?, chunkEnd: Int64, into sink: inout Sink
    ) {
        state = .skip(to: start, isAudio: true)
        let audio = ChunkAudio(track, start: start, byteCount: byteCount, chunkEnd: chunkEnd)
        self.audio = audio
        if case .elementary = track.packets { return }
        for property in audio.properties { sink.streamDidParse(property: property) }
    }

    mutating func takeAudio<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        guard let audio else { return Progress(consumed: bytes.byteCount, needed: 0) }
        let present = audio.end.map { Int(max(0, min($0 - offset, Int64(bytes.byteCount)))) } ?? bytes.byteCount
        let isEnd = isLast || (audio.end ?? .max) <= offset + Int64(present)
        let data = bytes.extracting(0..<present)
        var progress: Progress
        switch audio.track.packets {
        case .constant: progress = takeConstant(data, at: offset, isEnd: isEnd, into: &sink)
        case .table(let table): progress = takeTable(table, data, isEnd: isEnd, into: &sink)
        case .elementary(let shared):
            progress = try takeElementary(shared, data, at: offset, isEnd: isEnd, into: &sink)
        }
        if isEnd || progress.needed < 0 {
            progress.needed = 0
            state = .skip(to: audio.chunkEnd, isAudio: false)
        }
        return progress
    }

    private mutating func takeConstant<Sink: AudioStreamSink & ~Copyable>(
        _ data: RawSpan, at offset: Int64, isEnd: Bool, into sink: inout Sink
    ) -> Progress {
        guard let format = audio?.track.format else { return Progress(consumed: data.byteCount, needed: 0) }
        let packets = ConstantPackets(format)
        var place = 0
        while data.byteCount - place >= packets.bytesPerPacket {
            add(packets.bytesPerPacket, packets.framesPerPacket, data, at: place, into: &sink)
            place += packets.bytesPerPacket
        }
        if isEnd {
            let last = packets.part(ofByteCount: data.byteCount - place)
            if last.frameCount > 0 { add(last.byteCount, last.frameCount, data, at: place, into: &sink) }
            // The rest is too short to decode: not audio.
            place = data.byteCount
        }
        group.flush(window: data, into: &sink)
        return Progress(consumed: place, needed: place == 0 ? wanted(packets.bytesPerPacket, at: offset) : 0)
    }

    /// Takes packets whose sizes are in a table; a negative needed count means that the table has no more.
    private mutating func takeTable<Sink: AudioStreamSink & ~Copyable>(
        _ table: PacketTable, _ data: RawSpan, isEnd: Bool, into sink: inout Sink
    ) -> Progress {
        guard var cursor = audio?.cursor else { return Progress(consumed: data.byteCount, needed: 0) }
        var place = 0
        var needed = 0
        while needed == 0 {
            guard var packet = table.packet(at: cursor) else {
                needed = -1
                break
            }
            guard packet.byteCount <= data.byteCount - place else {
                needed = packet.byteCount
                break
            }
            if cursor.length.packetCount + 1 == table.length.packetCount {
                packet.frameCount = lastFrameCount(packet, data, at: place)
            }
            group.add(
                at: place, byteCount: packet.byteCount, frameCount: packet.frameCount, window: data, into: &sink)
            place += packet.byteCount
            cursor.pass(packet)
        }
        audio?.cursor = cursor
        group.flush(window: data, into: &sink)
        if isEnd { return Progress(consumed: data.byteCount, needed: needed) }
        return Progress(consumed: place, needed: place == 0 || needed < 0 ? needed : 0)
    }

    /// Returns the length of the last packet. Apple Lossless stores it in the packet; not all tables have it.
    private func lastFrameCount(_ packet: TablePacket, _ data: RawSpan, at place: Int) -> Int {
        guard let audio, audio.track.format.codec == .alac,
            (audio.track.validFrameCount ?? .max) >= audio.announced?.frameCount ?? 0
        else { return packet.frameCount }
        return PacketFrameCounter.alacFrameCount(data, at: place, packet.byteCount, of: packet.frameCount)
    }

    private mutating func takeElementary<Sink: AudioStreamSink & ~Copyable>(
        _ shared: SharedParser, _ data: RawSpan, at offset: Int64, isEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        let fileType = audio?.track.fileType ?? .wave
        let progress: Progress
        do throws(AudioStreamError) {
            progress = try withUnsafeMutablePointer(to: &sink) { (pointer) throws(AudioStreamError) in
                var inner = EnclosedSink(sink: pointer, fileType: fileType)
                return try shared.parser.consume(data, at: offset, isLast: isEnd, into: &inner)
            }
        } catch {
            throw enclosed(error)
        }
        if isEnd { return Progress(consumed: data.byteCount, needed: 0) }
        let consumed = progress.consumed
        return Progress(consumed: consumed, needed: consumed == 0 ? wanted(progress.needed, at: offset) : 0)
    }

    /// Replaces the error of an unknown file type: the type is known, but no audio was found in it.
    private func enclosed(_ error: AudioStreamError) -> AudioStreamError {
        guard error == .unsupportedFileType, let audio else { return error }
        return .invalidFile("no \(audio.track.format.codec.commonName) in the audio at byte \(audio.start)")
    }

    /// Limits a byte count to what is there.
    private func wanted(_ byteCount: Int, at offset: Int64) -> Int {
        max(1, audio?.end.map { Int(min(Int64(byteCount), $0 - offset)) } ?? byteCount)
    }

    private mutating func add<Sink: AudioStreamSink & ~Copyable>(
        _ byteCount: Int, _ frameCount: Int, _ data: RawSpan, at place: Int, into sink: inout Sink
    ) {
        audio?.cursor.length.add(byteCount: byteCount, frameCount: frameCount)
        group.add(at: place, byteCount: byteCount, frameCount: frameCount, window: data, into: &sink)
    }

    func finishAudio<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard let audio else { return }
        if case .elementary(let shared) = audio.track.packets {
            do throws(AudioStreamError) {
                return try withUnsafeMutablePointer(to: &sink) { (pointer) throws(AudioStreamError) in
                    var inner = EnclosedSink(sink: pointer, fileType: audio.track.fileType)
                    try shared.parser.finish(into: &inner)
                }
            } catch {
                throw enclosed(error)
            }
        }
        guard audio.cursor.length.packetCount > 0 else { throw .dataUnavailable }
        guard !audio.hasGap, audio.cursor.length != audio.announced else { return }
        for property in audio.lengthProperties(audio.cursor.length) { sink.streamDidParse(property: property) }
    }
}

/// Passes on what the parser of an enclosed stream reports, except the file type.
private struct EnclosedSink<Sink: AudioStreamSink & ~Copyable>: AudioStreamSink {
    /// Valid only while the container is parsing.
    let sink: UnsafeMutablePointer<Sink>
    let fileType: AudioFileType

    mutating func streamDidParse(property: AudioStreamProperty) {
        if case .fileFormat = property {
            sink.pointee.streamDidParse(property: .fileFormat(fileType))
        } else {
            sink.pointee.streamDidParse(property: property)
        }
    }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        sink.pointee.streamDidParse(packets: descriptions, data: data)
    }
}
