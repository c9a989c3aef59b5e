import AudioCore

/// The pages of the song once its headers are known, and the places of its packets.
extension OggParser {
    // MARK: Audio

    mutating func beginAudio(_ link: OggLink) {
        self.link = nil
        serials = [link.serial]
        audio = OggAudio(link.headers)
        state = .opening
    }

    /// Takes a page of the song.
    mutating func takeSong<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        if state == .opening {
            try open(page, bytes, at: offset, into: &sink)
        } else {
            try takeAudio(page, bytes, at: offset, into: &sink)
        }
    }

    /// Opens the song at its first page with audio, after the look at the file's end.
    private mutating func open<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard page.segmentCount > 0 else { return }
        let dataOffset = offset &+ Int64(page.start)
        if case .file(let byteCount) = access, tail == nil, let audio, let serial = serials.first,
            tailSearchBudget.allowsSearch(serial: serial, at: dataOffset)
        {
            tail = OggTail(serial: serial, codec: audio.codec, dataOffset: dataOffset, fileByteCount: byteCount)
            state = .tail
            return
        }
        state = .audio
        audio?.open(page, bytes, at: dataOffset, tail: tail, access: access)
        if let audio {
            for property in facts.opening(audio, tail: tail, access: access) { sink.streamDidParse(property: property) }
        }
        try takeAudio(page, bytes, at: offset, into: &sink)
    }

    mutating func takeAudio<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard var audio = audio.take() else { return }
        defer { self.audio = audio }
        audio.openLink(page, bytes)
        // The cut by the last granule position is reported before the packets that it affects.
        if page.isLast, page.isFollowedByFirst(bytes) {
            audio.endLink(page, bytes, at: offset &+ Int64(page.start))
        } else if page.isLast, let table = audio.end(page, bytes), let property = facts.revised(table, audio) {
            audio.flush(bytes, into: &sink)
            sink.streamDidParse(property: property)
        }
        try audio.take(page, bytes, at: offset, into: &sink)
    }

    // MARK: Seeking

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) {
        guard audio?.seekIndex != nil else { throw .illegalOperation }
        land()
        state = .audio
        audio?.resume(at: place)
    }

    func seekIndex() throws(AudioStreamError) -> OggSeekIndex {
        guard let seekIndex = audio?.seekIndex else { throw .illegalOperation }
        return seekIndex
    }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        try seekIndex().locate(packet: packet)
    }

    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        try seekIndex().packet(containingFrame: frame)
    }

    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64 {
        try seekIndex().firstFrame(ofPacket: packet)
    }

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        try seekIndex().packet(atByteOffset: offset)
    }
}
