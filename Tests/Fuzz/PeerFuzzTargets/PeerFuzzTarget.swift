/// Something that takes what others say, whatever bytes it is, and must neither trap, nor hang, nor break a rule:
/// peers, servers, a decode worker, files of the state directory.
///
/// Beside the targets for files: libFuzzer runs these too (`Scripts/fuzz`), the ordinary tests replay what it kept.
public enum PeerFuzzTarget: String, CaseIterable, Hashable, Sendable {
    /// The bytes of one connection through the wire's parser, in any pieces.
    case wire
    /// Whole sessions, to which connect peers that say anything, at any time, and read as they like.
    case greeting
    /// Clock datagrams of strangers, of other listeners and of a broadcaster that claims any times.
    case datagram
    /// TXT records, services that come and go, and addresses, as mDNS brings them.
    case txt
    /// Two sides that shake hands, and somebody on the way.
    case handshake
    /// The encrypted records of a connection, and somebody on the way.
    case record
    /// Exchanges about a code, the window in which codes may be tried, and both machines' sessions.
    case pairing
    /// Documents of households, members that let in, remove and meet, and rounds among them.
    case household
    /// What a decode worker answers, as the program that started it reads it.
    case worker
    /// Heads of HTTP responses, and how a transfer goes on after them.
    case head
    /// A station's bytes, with titles between them.
    case station
    /// Playlists that came from a server.
    case playlist
    /// Lyrics in files and tags.
    case lyrics
    /// A broadcast's packets and commands, as they become files.
    case recorder
    /// Files of the state directory: the key, the pins, the listeners' memory.
    case state
    /// Configuration files.
    case toml

    public var name: String { rawValue }

    public init?(name: String) { self.init(rawValue: name) }

    /// Inputs to begin with, made of real messages.
    public var seeds: [[UInt8]] {
        switch self {
        case .wire: WireRun.seeds
        case .greeting: GreetingRun.seeds
        case .datagram: DatagramRun.seeds
        case .txt: TXTRun.seeds
        case .handshake: HandshakeRun.seeds
        case .record: RecordRun.seeds
        case .pairing: PairingRun.seeds
        case .household: HouseholdRun.seeds
        case .worker: WorkerRun.seeds
        case .head: HeadRun.seeds
        case .station: StationRun.seeds
        case .playlist: PlaylistRun.seeds
        case .lyrics: LyricsRun.seeds
        case .recorder: RecorderRun.seeds
        case .state: StateRun.seeds
        case .toml: TOMLRun.seeds
        }
    }

    /// Runs one input; which rule was broken, nil if none.
    public func violation(of input: [UInt8]) -> String? {
        switch self {
        case .wire: WireRun(input).violation()
        case .greeting: GreetingRun(input).violation()
        case .datagram: DatagramRun(input).violation()
        case .txt: TXTRun(input).violation()
        case .handshake: HandshakeRun(input).violation()
        case .record: RecordRun(input).violation()
        case .pairing: PairingRun(input).violation()
        case .household: HouseholdRun(input).violation()
        case .worker: WorkerRun(input).violation()
        case .head: HeadRun(input).violation()
        case .station: StationRun(input).violation()
        case .playlist: PlaylistRun(input).violation()
        case .lyrics: LyricsRun(input).violation()
        case .recorder: RecorderRun(input).violation()
        case .state: StateRun(input).violation()
        case .toml: TOMLRun(input).violation()
        }
    }
}
