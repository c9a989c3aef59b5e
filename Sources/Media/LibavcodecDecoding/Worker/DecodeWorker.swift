import AudioCore
import CLinux
import Glibc

/// The decode worker's side: a process that decodes one stream with a foreign library and can do nothing else.
///
/// It loads the library, drops all privileges, and only then reads anything from outside. Whatever a hostile stream
/// does to the library, the process has no files, no network, no other process, and little memory; it can send wrong
/// samples, or end. It ends when the other end closes the socket, or when one packet takes longer than
/// ``secondsForOnePacket``.
public struct DecodeWorker {
    /// The first argument of a program that runs as a worker.
    public static let argument = "decode-worker"
    /// The descriptor of the socket to the program that started it.
    public static let descriptor: Int32 = 3
    /// Reached only if the program that started the worker is gone; that one waits less.
    static let secondsForOnePacket: Int32 = 10
    /// Memory limit besides the library itself. Real streams need a few megabytes.
    static let memoryByteCount: UInt64 = 192 * 1024 * 1024

    private var libraries: CodecLibraries?
    /// Major versions of what was loaded.
    private var versions = (codec: 0, util: 0)
    private var setup: LibraryDecoderSetup?
    private var decoder: (any LibraryDecoder)?
    private var frames = DecodedFrames(
        headerByteCount: WorkerMessageHeader.byteCount + WorkerMessageHeader.framesByteCount)
    private var body = [UInt8](repeating: 0, count: WorkerMessageHeader.largestRequest)
    /// Handles unknown messages; tests use it to show what a worker may not do.
    private let onUnknownMessage: (UInt32) -> Void

    /// Runs the worker; call this first in a process started for it. Its limits bind the threads of a library, too.
    /// - Returns: the exit status of the process.
    public static func run(onUnknownMessage: @escaping (UInt32) -> Void = { _ in exit(1) }) -> Int32 {
        var isSocket = stat()
        guard fstat(descriptor, &isSocket) == 0, isSocket.st_mode & S_IFMT == S_IFSOCK else { return EX_USAGE }
        signal(SIGPIPE, SIG_IGN)
        var worker = DecodeWorker(onUnknownMessage: onUnknownMessage)
        worker.loadLibraries()
        guard csandbox_enter(descriptor, memoryByteCount) == 0 else { return EX_OSERR }
        return worker.serve()
    }

    private init(onUnknownMessage: @escaping (UInt32) -> Void) { self.onUnknownMessage = onUnknownMessage }

    private mutating func loadLibraries() {
        do throws(CodecLibraryError) {
            libraries = try CodecLibraries()
            versions = (CodecLibraryVersion.codec, CodecLibraryVersion.util)
        } catch .unsupported(let codec, let util) {
            versions = (codec, util)
        } catch {}
    }

    private mutating func serve() -> Int32 {
        guard send(.ready, UInt32(versions.codec), UInt32(versions.util)), libraries != nil else {
            return EX_UNAVAILABLE
        }
        var header = [UInt8](repeating: 0, count: WorkerMessageHeader.byteCount)
        while Self.receive(&header, count: header.count) {
            let message = header.withUnsafeBytes { WorkerMessageHeader($0) }
            guard message.bodyByteCount <= body.count, Self.receive(&body, count: message.bodyByteCount) else {
                return EX_PROTOCOL
            }
            csandbox_set_alarm(Self.secondsForOnePacket)
            guard handle(message) else { return EX_PROTOCOL }
            csandbox_set_alarm(0)
        }
        return EX_OK
    }

    private mutating func handle(_ message: WorkerMessageHeader) -> Bool {
        switch WorkerMessageKind(rawValue: message.kind) {
        case .open:
            guard
                let setup = body.withUnsafeBytes({
                    LibraryDecoderSetup(message: UnsafeRawBufferPointer(rebasing: $0[..<message.bodyByteCount]))
                })
            else { return false }
            self.setup = setup
            let (status, code) = open(setup)
            return send(.opened, status.rawValue, UInt32(bitPattern: code))
        case .decode:
            return sendFrames(of: message.bodyByteCount)
        case .reset:
            // A new decoder instead of the library's flush: some of its decoders do not discard everything.
            if let setup { _ = open(setup) }
            return true
        case .ready, .opened, .frames, nil:
            onUnknownMessage(message.kind)
            return true
        }
    }

    private mutating func open(_ setup: LibraryDecoderSetup) -> (WorkerStatus, Int32) {
        decoder = nil
        guard let libraries else { return (.missingDecoder, 0) }
        do throws(LibraryDecoderError) {
            decoder = try libraries.makeDecoder(setup)
            return (.fine, 0)
        } catch {
            switch error {
            case .missing: return (.missingDecoder, 0)
            case .refused(let code): return (.refused, code)
            case .noMemory: return (.refused, -ENOMEM)
            }
        }
    }

    private mutating func sendFrames(of packetByteCount: Int) -> Bool {
        frames.removeAll()
        let isWhole = body.withUnsafeBytes {
            let packet = UnsafeRawBufferPointer(rebasing: $0[..<packetByteCount])
            return decoder?.decode(packet, into: &frames) ?? false
        }
        let numbers = [
            isWhole ? 1 : 0, UInt32(clamping: frames.sampleRate), UInt32(frames.channelCount),
            UInt32(frames.frameCount), 0,
        ]
        return frames.withMessage { message in
            let bodyByteCount = message.count - WorkerMessageHeader.byteCount
            WorkerMessageHeader(kind: WorkerMessageKind.frames.rawValue, bodyByteCount: bodyByteCount)
                .store(to: message)
            for (index, number) in numbers.enumerated() {
                message.storeBytes(of: number, toByteOffset: WorkerMessageHeader.byteCount + index * 4, as: UInt32.self)
            }
            return Self.write(UnsafeRawBufferPointer(message))
        }
    }
}

/// Access to the socket with the only calls that are allowed.
extension DecodeWorker {
    private func send(_ kind: WorkerMessageKind, _ numbers: UInt32...) -> Bool {
        let message = [kind.rawValue, UInt32(numbers.count * 4)] + numbers
        return message.withUnsafeBytes { Self.write($0) }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var offset = 0
        while offset < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress! + offset, bytes.count - offset)
            guard count > 0 else { return false }
            offset += count
        }
        return true
    }

    /// Returns false at the end of the stream.
    private static func receive(_ bytes: inout [UInt8], count: Int) -> Bool {
        bytes.withUnsafeMutableBytes { buffer in
            var offset = 0
            while offset < count {
                let got = read(descriptor, buffer.baseAddress! + offset, count - offset)
                guard got > 0 else { return false }
                offset += got
            }
            return true
        }
    }
}
