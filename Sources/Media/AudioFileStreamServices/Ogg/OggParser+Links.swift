import AudioCore

// Chains: streams that begin after the one that is played.

extension OggParser {
    /// Creates the parser of the stream after a song; its headers are known.
    init(behind song: OggParser, _ link: OggLink) {
        self.init(access: song.access)
        group = song.group
        tailSearchBudget = song.tailSearchBudget
        songsBefore = song.songsBefore + 1
        self.link = link
        state = .following
    }

    func following() -> (any ContainerParser)? { next.map { OggParser(behind: self, $0) } }

    /// Reports the contents of the headers, which the previous song's parser has read.
    mutating func beginFollowing<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) {
        guard var link = link.take() else { return }
        sink.streamDidParse(property: .fileFormat(.ogg))
        sink.streamDidParse(property: .dataFormat(link.headers.codec.format))
        facts.giveTags(of: &link, into: &sink)
        beginAudio(link)
    }

    /// Begins a stream after or beside the one that is played.
    mutating func beginLink(_ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64) {
        var lacing = page.lacing
        guard let part = lacing.next(bytes) else { return }
        if !group.isOpen {
            group = OggGroup(byteOffset: fileOffset)
            link = nil
        }
        if state == .audio, serials.contains(page.serial) { endedSerials.insert(page.serial) }
        let packet = bytes.extracting(part.range)
        do throws(AudioStreamError) {
            guard let codec = try group.take(packet) else { return }
            link = OggLink(
                serial: page.serial, headers: OggHeaders(codec, first: packet), byteOffset: group.byteOffset)
        } catch {
            group.note(error.reason)
        }
    }

    /// Reports which streams these are if none can be played, once the first pages of a link were parsed.
    mutating func reportForeignStreams<Sink: AudioStreamSink & ~Copyable>(_ bytes: RawSpan, into sink: inout Sink) {
        guard !group.isSettled, !group.names.isEmpty else { return }
        tell("an Ogg stream with \(group.list), which is not played,", at: group.byteOffset, bytes, into: &sink)
    }

    private mutating func tell<Sink: AudioStreamSink & ~Copyable>(
        _ text: String, at byteOffset: Int64, _ bytes: RawSpan, into sink: inout Sink
    ) {
        audio?.flush(bytes, into: &sink)
        sink.streamDidParse(property: .problem(AudioStreamProblem(.damaged(text), at: byteOffset)))
    }

    /// Takes a page of a link, up to its first page with audio.
    mutating func takeLink<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard var link = link.take() else { return }
        let isAudio = link.headers.isDone ? page.segmentCount > 0 : link.headers.isFollowedByAudio(page, bytes)
        if !isAudio, !link.headers.isDone {
            do throws(AudioStreamError) {
                try link.take(page, bytes, at: offset &+ Int64(page.start))
            } catch {
                let text = "an Ogg stream that cannot be played (\(error.reason)),"
                return tell(text, at: link.byteOffset, bytes, into: &sink)
            }
        }
        guard isAudio || link.headers.isDone else {
            self.link = link
            return
        }
        if state == .audio, goesOn(with: link) {
            audio?.beginLink(link.headers, at: link.byteOffset, bytes, into: &sink)
            for property in facts.beginLink(audio, at: link.byteOffset) { sink.streamDidParse(property: property) }
            serials.insert(link.serial)
            endedSerials.remove(link.serial)
            if isAudio { try takeAudio(page, bytes, at: offset, into: &sink) }
        } else if !isAudio {
            self.link = link
        } else if state == .opening {
            replaceSong(by: link, into: &sink)
            try takeSong(page, bytes, at: offset, into: &sink)
        } else {
            endSong(before: link, bytes, into: &sink)
        }
    }

    private func goesOn(with link: OggLink) -> Bool {
        guard audio?.canBeFollowed(by: link.headers) == true else { return false }
        return serials.count < Self.largestLinkCount || serials.contains(link.serial)
    }

    /// Plays a link instead of the previous stream, which has no audio.
    private mutating func replaceSong<Sink: AudioStreamSink & ~Copyable>(
        by link: OggLink, into sink: inout Sink
    ) {
        var link = link
        sink.streamDidParse(property: .dataFormat(link.headers.codec.format))
        facts = OggFacts()
        facts.giveTags(of: &link, into: &sink)
        beginAudio(link)
    }

    private mutating func endSong<Sink: AudioStreamSink & ~Copyable>(
        before link: OggLink, _ bytes: RawSpan, into sink: inout Sink
    ) {
        state = .ended
        guard songsBefore < AudioFileStreamLimits.followingStreamCount else {
            return tell("an Ogg stream too many, which is not played,", at: link.byteOffset, bytes, into: &sink)
        }
        audio?.flush(bytes, into: &sink)
        sink.streamDidParse(property: .nextStreamOffset(link.byteOffset))
        next = link
    }
}

extension AudioStreamError {
    /// A short reason why a stream in a container cannot be played.
    fileprivate var reason: String {
        switch self {
        case .invalidFile(let text), .unsupportedDataFormat(let text): text
        default: "\(self)"
        }
    }
}
