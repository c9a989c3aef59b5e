import AudioCore

/// A push parser of audio files: finds out which container the bytes are in, and parses it.
///
/// Give it a file's bytes from the first on, in pieces of any size, then ``finish(into:)``. Properties come first
/// (`readyToProducePackets` last of those needed to play), then packets; the same however the bytes are cut. What
/// containers it knows are the folders of this target: MPEG audio of layers I to III with its tags, and WAVE.
///
/// Memory is bounded by ``AudioFileStreamLimits`` whatever the file says, time is linear in the bytes, and nothing is
/// allocated for a packet in steady state. Not real-time safe; calls must not overlap.
public struct AudioFileStream: AudioPushParser, ~Copyable {
    private let typeHint: AudioFileType?
    private var container: (any ContainerParser)?
    private var window = ByteWindow()
    private var failure: AudioStreamError?

    /// - Parameter typeHint: the container, if the user knows it (from a MIME type, say). A wrong hint is an error.
    public init(typeHint: AudioFileType? = nil) {
        self.typeHint = typeHint
    }

    public mutating func parse<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, discontinuity: Bool, into sink: inout Sink
    ) throws(AudioStreamError) {
        if let failure { throw failure }
        do throws(AudioStreamError) {
            if discontinuity { try skipGap() }
            var offset = 0
            while offset < bytes.byteCount {
                let end = min(bytes.byteCount, offset + AudioFileStreamLimits.stepByteCount)
                window.append(bytes.extracting(offset..<end))
                offset = end
                try advance(isLast: false, into: &sink)
            }
        } catch {
            failure = error
            throw error
        }
    }

    /// No more bytes will come. The stream is over then: any further call throws `dataUnavailable`.
    public mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        if let failure { throw failure }
        failure = .dataUnavailable
        do throws(AudioStreamError) {
            try advance(isLast: true, into: &sink)
            guard let container else { throw AudioStreamError.dataUnavailable }
            try container.finish(into: &sink)
        } catch {
            failure = error
            throw error
        }
    }

    private mutating func skipGap() throws(AudioStreamError) {
        guard let container else { throw .discontinuityCannotRecover }
        try container.skipGap()
        window.removeAll()
    }

    /// Lets the container take what it can from the window.
    private mutating func advance<Sink: AudioStreamSink & ~Copyable>(
        isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard isLast || window.isEnough else { return }
        if container == nil {
            switch try ContainerSniffer.sniff(window.storage.span.bytes, isLast: isLast, hint: typeHint) {
            case .needsMore(let byteCount):
                window.needed = byteCount
                return
            case .container(let found):
                container = found
            }
        }
        guard let container else { return }
        let progress = try container.consume(window.storage.span.bytes, at: window.offset, isLast: isLast, into: &sink)
        window.take(progress)
    }
}
