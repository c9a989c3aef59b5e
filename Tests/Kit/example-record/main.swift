import ALSADevices
import AudioFileWriting
import AudioQueueServices
import Synchronization

/// What the callback of the guide knows of its recording.
final class Recorder: Sendable {
    private struct State: ~Copyable {
        var file: AudioFileWriter
        var framesLeft: Int
        var isRunning = true
        var failure: AudioFileWritingError?
    }

    private let format: AudioStreamFormat
    private let state: Mutex<State>

    init(_ format: AudioStreamFormat, file: consuming sending AudioFileWriter, frameCount: Int) {
        self.format = format
        state = Mutex(State(file: file, framesLeft: frameCount))
    }

    /// Writes as much of a buffer as is still wanted.
    func write(_ buffer: borrowing InputBuffer) {
        state.withLock { state in
            let count = min(buffer.frameCount, state.framesLeft)
            state.framesLeft -= count
            do throws(AudioFileWritingError) {
                try buffer.withBytes { (bytes) throws(AudioFileWritingError) in
                    try state.file.append(pcm: bytes.extracting(first: count * format.bytesPerFrame), of: format)
                }
            } catch {
                state.failure = error
            }
        }
    }

    func noteStop() { state.withLock { $0.isRunning = false } }

    var isRunning: Bool { state.withLock { $0.isRunning } }
    var isDone: Bool { state.withLock { $0.framesLeft == 0 || $0.failure != nil } }

    func finish() throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            try state.file.finish()
        }
    }
}

func record(_ path: String, seconds: Double) throws {
    // The device, and a file for what it gives.
    let input = try ALSAInput()
    let format = input.description.format
    let fileFormat = try PCMFileFormat(
        type: PCMFileFormat.type(forPath: path) ?? .wave, sampleRate: format.sampleRate,
        channelCount: format.channelsPerFrame, samples: SampleFormat(of: format, cookie: []))
    let recorder = Recorder(
        format, file: try AudioFileWriter(path: path, format: fileFormat),
        frameCount: Int(seconds * format.sampleRate))

    // A queue, and three buffers of half a second.
    let wake = try WakeSignal()
    let queue = try InputQueue(input: input) { event in
        if event == .runningChanged(false) { recorder.noteStop() }
        wake.signal()
    } handler: { buffer in
        recorder.write(buffer)
        wake.signal()
        return buffer
    }
    for _ in 0..<3 { queue.enqueue(queue.makeBuffer(frameCapacity: Int(format.sampleRate / 2))) }

    try queue.start()
    while !recorder.isDone, recorder.isRunning { wake.wait(atMost: .seconds(1)) }
    queue.stop(.immediate)
    while recorder.isRunning { wake.wait(atMost: .milliseconds(100)) }
    try recorder.finish()
}

try record(CommandLine.arguments[1], seconds: Double(CommandLine.arguments[2]) ?? 1)
