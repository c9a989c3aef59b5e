/// Something of the web server that takes what browsers and others say, whatever bytes it is, and must neither trap,
/// nor hang, nor break a rule.
///
/// Beside the targets for files and for peers: libFuzzer runs these too (`Scripts/fuzz`), the ordinary tests replay
/// what it kept.
public enum WebFuzzTarget: String, CaseIterable, Hashable, Sendable {
    /// The bytes of one connection, in any pieces: heads, bodies, requests in a row, WebSockets that begin.
    case request
    /// The bytes of one WebSocket, in any pieces.
    case websocket
    /// A text as JSON, and as a command.
    case json

    public var name: String { rawValue }

    public init?(name: String) { self.init(rawValue: name) }

    /// Inputs to begin with, made of real requests and frames.
    public var seeds: [[UInt8]] {
        switch self {
        case .request: RequestRun.seeds
        case .websocket: FrameRun.seeds
        case .json: ProgrammeJSONRun.seeds
        }
    }

    /// Runs one input; which rule was broken, nil if none.
    public func violation(of input: [UInt8]) -> String? {
        switch self {
        case .request: RequestRun(input).violation()
        case .websocket: FrameRun(input).violation()
        case .json: ProgrammeJSONRun(input).violation()
        }
    }
}
