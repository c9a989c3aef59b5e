import AudioCore

/// The buffers between two flushes.
struct EnqueuedStream {
    let stream: OutputQueueStream
    var buffers: [BufferStorage] = []
    /// Whether no more buffers are added to it: it is heard to its last frame.
    var isEnding = false
    /// Whether the queue stops at its end.
    var stopsAtEnd = false
}

/// The state of an output queue, without threads and sound.
struct OutputQueueState {
    enum Phase { case stopped, running, paused }

    var phase = Phase.stopped
    /// Numbers the streams: a flush or a reset begins another.
    var epoch = Epoch(0)
    var cutter: BufferCutter
    /// The first frame to be heard of the present stream.
    var firstFrame = FramePosition.zero
    /// Enqueued buffers not yet completely cut into packets: those of the present stream, then those of later ones.
    var streams: [EnqueuedStream]
    /// Cut buffers of the present stream that are not completely heard, in order, with the frame after their last.
    var underway: [(buffer: BufferStorage, end: FramePosition)] = []
    /// Buffers to be returned, in order.
    var returned: [BufferStorage] = []
    /// Whether the feeder knows where the present stream ends.
    var isEndKnown = false
    /// The stream whose silence is awaited before the stop is reported.
    var stopping: Epoch?
    /// Whether the queue runs, as last reported.
    var isRunning = false
    /// Whether it stopped at the end of a stream, which is still to be reported.
    var hasStopped = false
    var startTime: HostTime?

    /// - Parameter stream: the stream of the first buffers.
    init(_ stream: OutputQueueStream) {
        streams = [EnqueuedStream(stream: stream)]
        cutter = stream.makeCutter(at: nil)
    }

    mutating func enqueue(_ buffer: BufferStorage) {
        let last = streams[streams.count - 1]
        if last.isEnding { streams.append(EnqueuedStream(stream: last.stream)) }
        streams[streams.count - 1].buffers.append(buffer)
    }

    /// Begins another stream with the next buffer; the earlier ones are heard to their last frame.
    /// - Returns: whether it is the present stream already.
    mutating func enqueue(_ stream: OutputQueueStream) -> Bool {
        let isUnused = streams.count == 1 && enqueuedCount == 0 && !isEndKnown
        if isUnused {
            streams = [EnqueuedStream(stream: stream)]
        } else {
            if !streams[streams.count - 1].isEnding { endLastStream(thenStop: false) }
            streams.append(EnqueuedStream(stream: stream))
        }
        return isUnused
    }

    /// Ends the last stream after the buffers enqueued so far.
    mutating func endLastStream(thenStop stops: Bool) {
        streams[streams.count - 1].isEnding = true
        streams[streams.count - 1].stopsAtEnd = stops
    }

    /// Ends the present stream; the next becomes the present one.
    mutating func endFirstStream() {
        noteHeard(FramePosition(.max))
        let stream = streams.removeFirst()
        returned.append(contentsOf: stream.buffers)
        if streams.isEmpty { streams.append(EnqueuedStream(stream: stream.stream)) }
        startTime = nil
        guard stream.stopsAtEnd else { return }
        phase = .stopped
        hasStopped = true
    }

    /// Returns the buffers that were heard.
    mutating func noteHeard(_ position: FramePosition) {
        let count = underway.prefix { $0.end <= position }.count
        returned.append(contentsOf: underway.prefix(count).map(\.buffer))
        underway.removeFirst(count)
    }

    /// Returns all buffers.
    mutating func returnAll() {
        returned.append(contentsOf: underway.map(\.buffer))
        for stream in streams { returned.append(contentsOf: stream.buffers) }
        underway = []
        streams = [EnqueuedStream(stream: streams[streams.count - 1].stream)]
    }

    /// The number of buffers that are enqueued and not yet returned.
    var enqueuedCount: Int { streams.reduce(underway.count) { $0 + $1.buffers.count } }
}
