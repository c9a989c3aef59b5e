import AudioCore

/// Buffers from one flush to the next.
struct EnqueuedStream {
    let stream: OutputQueueStream
    var buffers: [BufferStorage] = []
    /// No more is enqueued in it: it is heard to its last frame.
    var isEnding = false
    /// With its end the queue stops.
    var stopsAtEnd = false
}

/// What an output queue holds, and where it is: its state without threads and sound.
struct OutputQueueState {
    enum Phase { case stopped, running, paused }

    var phase = Phase.stopped
    /// Counts the streams: after a flush or a reset another begins.
    var epoch = Epoch(0)
    var cutter: BufferCutter
    /// Of the present stream: the first frame to be heard.
    var firstFrame = FramePosition.zero
    /// What is enqueued and not, or not wholly, cut into packets yet: of the present stream, and of those that follow.
    var streams: [EnqueuedStream]
    /// Of the present stream, in order, with the frame after their last: not heard yet.
    var underway: [(buffer: BufferStorage, end: FramePosition)] = []
    /// To be handed back, in order.
    var returned: [BufferStorage] = []
    /// The feeder was told that the present stream ends.
    var isEndKnown = false
    /// A stream whose silence is awaited, to tell that the queue has stopped.
    var stopping: Epoch?
    /// As it was told.
    var isRunning = false
    /// It stopped at the end of a stream, which is to be told.
    var hasStopped = false
    var startTime: HostTime?

    /// - Parameter stream: what the first buffers hold.
    init(_ stream: OutputQueueStream) {
        streams = [EnqueuedStream(stream: stream)]
        cutter = stream.makeCutter(at: nil)
    }

    mutating func enqueue(_ buffer: BufferStorage) {
        let last = streams[streams.count - 1]
        if last.isEnding { streams.append(EnqueuedStream(stream: last.stream)) }
        streams[streams.count - 1].buffers.append(buffer)
    }

    /// What is enqueued from now on is of another stream; what was before is heard to its last frame.
    /// - Returns: whether that is the present stream now.
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

    /// What was enqueued last is the end of its stream.
    mutating func endLastStream(thenStop stops: Bool) {
        streams[streams.count - 1].isEnding = true
        streams[streams.count - 1].stopsAtEnd = stops
    }

    /// The present stream is over: the next is the present one.
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

    /// Hands back what was heard.
    mutating func noteHeard(_ position: FramePosition) {
        let count = underway.prefix { $0.end <= position }.count
        returned.append(contentsOf: underway.prefix(count).map(\.buffer))
        underway.removeFirst(count)
    }

    /// Hands back everything.
    mutating func returnAll() {
        returned.append(contentsOf: underway.map(\.buffer))
        for stream in streams { returned.append(contentsOf: stream.buffers) }
        underway = []
        streams = [EnqueuedStream(stream: streams[streams.count - 1].stream)]
    }

    /// Buffers that are enqueued and not handed back.
    var enqueuedCount: Int { streams.reduce(underway.count) { $0 + $1.buffers.count } }
}
