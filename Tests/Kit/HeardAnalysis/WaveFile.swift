import Glibc

/// Why a recording cannot be read.
public enum RecordingError: Error, CustomStringConvertible {
    case cannotRead(String, Int32)
    case notWave(String)
    case unsupported(String)

    public var description: String {
        switch self {
        case .cannotRead(let path, let code): "cannot read \(path): \(String(cString: strerror(code)))"
        case .notWave(let path): "\(path) is not a WAVE file"
        case .unsupported(let what): "unsupported WAVE file: \(what)"
        }
    }
}

func readWhole(_ path: String) throws -> [UInt8] {
    guard let file = fopen(path, "re") else { throw RecordingError.cannotRead(path, errno) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var status = stat()
    guard fstat(fileno(file), &status) == 0 else { throw RecordingError.cannotRead(path, errno) }
    let size = Int(status.st_size)
    bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
        initialized = fread(buffer.baseAddress!, 1, size, file)
    }
    return bytes
}

/// A WAVE file of 16, 24 or 32-bit integers or 32-bit floats; a data chunk that claims more than there is ends with
/// the file.
struct WaveFile {
    var sampleRate = 0.0
    var channels = 0
    var samples: [Float] = []
    private var isFloat = false
    private var bits = 0

    init(path: String) throws {
        let bytes = try readWhole(path)
        try bytes.withUnsafeBytes { data in
            guard data.count >= 12, Self.tag(data, 0) == "RIFF", Self.tag(data, 8) == "WAVE" else {
                throw RecordingError.notWave(path)
            }
            try readChunks(of: data)
        }
    }

    private mutating func readChunks(of data: UnsafeRawBufferPointer) throws {
        var at = 12
        while at + 8 <= data.count {
            let size = min(Int(Self.uint32(data, at + 4)), data.count - at - 8)
            let body = UnsafeRawBufferPointer(rebasing: data[at + 8..<at + 8 + size])
            switch Self.tag(data, at) {
            case "fmt ": try readFormat(body)
            case "data": return try readSamples(body)
            default: break
            }
            at += 8 + size + size % 2
        }
    }

    private mutating func readFormat(_ body: UnsafeRawBufferPointer) throws {
        guard body.count >= 16 else { throw RecordingError.unsupported("short format chunk") }
        var code = Self.uint16(body, 0)
        if code == 0xFFFE, body.count >= 26 { code = Self.uint16(body, 24) }
        isFloat = code == 3
        channels = Int(Self.uint16(body, 2))
        sampleRate = Double(Self.uint32(body, 4))
        bits = Int(Self.uint16(body, 14))
        guard code == 1 || code == 3, channels > 0, sampleRate > 0 else {
            throw RecordingError.unsupported("format \(code), \(channels) channels")
        }
    }

    private mutating func readSamples(_ body: UnsafeRawBufferPointer) throws {
        guard channels > 0, [16, 24, 32].contains(bits), !isFloat || bits == 32 else {
            throw RecordingError.unsupported("\(bits) bits")
        }
        let width = bits / 8
        let count = body.count / (width * channels) * channels
        let isFloat = isFloat
        samples = [Float](unsafeUninitializedCapacity: count) { target, initialized in
            for index in 0..<count {
                let at = index &* width
                switch width {
                case 2:
                    target[index] = Float(body.loadUnaligned(fromByteOffset: at, as: Int16.self)) * 0x1p-15
                case 3:
                    let low = UInt32(body.loadUnaligned(fromByteOffset: at, as: UInt16.self))
                    let value = Int32(bitPattern: low << 8 | UInt32(body[at &+ 2]) << 24)
                    target[index] = Float(value) * 0x1p-31
                default:
                    let raw = body.loadUnaligned(fromByteOffset: at, as: UInt32.self)
                    target[index] =
                        isFloat ? Float(bitPattern: raw) : Float(Int32(bitPattern: raw)) * 0x1p-31
                }
            }
            initialized = count
        }
    }

    private static func tag(_ data: UnsafeRawBufferPointer, _ at: Int) -> String {
        String(decoding: data[at..<at + 4], as: UTF8.self)
    }

    private static func uint16(_ data: UnsafeRawBufferPointer, _ at: Int) -> UInt16 {
        data.loadUnaligned(fromByteOffset: at, as: UInt16.self)
    }

    private static func uint32(_ data: UnsafeRawBufferPointer, _ at: Int) -> UInt32 {
        data.loadUnaligned(fromByteOffset: at, as: UInt32.self)
    }
}
