import AudioCore

/// What was asked for on the command line.
public struct LoadOptions: Sendable {
    /// Why the command line is refused.
    public struct Refusal: Error, CustomStringConvertible {
        public let description: String
    }

    public var broadcaster = LoadAddress(host: 0, port: 0)
    public var song = ""
    public var listenerCount = 1
    /// From when all have joined on; the broadcast's end comes first if it does.
    public var seconds = 60.0
    /// How many begin to connect in a second.
    public var joinsPerSecond = 250.0
    public var sources: [UInt32] = []
    /// How many compute their clocks as real listeners do; nil for all.
    public var fittingCount: Int?
    /// How many of the listeners do not read as they should.
    public var disturbed: [LoadBehaviour: Int] = [:]

    public static let usage = """
        usage: listener-load --connect ADDRESS:PORT --listeners N --song FILE [--seconds S] [--joins-per-second N]
               [--from ADDRESS,... | --from NETWORK/BITS] [--stalled N] [--half-speed N] [--flapping N]
               [--fitting N]

        Plays N listeners of one broadcast, and checks everything that they are sent against the song. Prints JSON.
        With --fitting, N of them compute their clocks as real listeners do, and the others only ask as often: to
        compute all takes more of one core than it has from some 3,000 listeners on.
        Exit code: 0 when all that read as they should got everything in time, 1 when not, 2 when it could not be tried,
        64 for a wrong command line.
        """

    public init(_ arguments: [String]) throws(Refusal) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Refusal(description: "\(name) needs a value") }
            switch name {
            case "--connect": broadcaster = try Self.address(value)
            case "--listeners": listenerCount = Int(try Self.number(name, value, 1...20_000))
            case "--song": song = value
            case "--seconds": seconds = try Self.number(name, value, 1...86_400)
            case "--joins-per-second": joinsPerSecond = try Self.number(name, value, 1...100_000)
            case "--from": sources = try Self.sources(value)
            case "--fitting": fittingCount = Int(try Self.number(name, value, 0...20_000))
            case "--stalled": disturbed[.stalling] = Int(try Self.number(name, value, 0...20_000))
            case "--half-speed": disturbed[.halfSpeed] = Int(try Self.number(name, value, 0...20_000))
            case "--flapping": disturbed[.flapping] = Int(try Self.number(name, value, 0...20_000))
            default: throw Refusal(description: "unknown option '\(name)'")
            }
        }
        guard broadcaster.port != 0 else { throw Refusal(description: "--connect ADDRESS:PORT is missing") }
        guard !song.isEmpty else { throw Refusal(description: "--song FILE is missing") }
        guard fittingCount ?? 0 <= listenerCount else {
            throw Refusal(description: "more listeners are to compute their clocks than there are")
        }
        guard disturbed.values.reduce(0, +) <= listenerCount else {
            throw Refusal(description: "more listeners are to be disturbed than there are")
        }
    }

    private static func number(
        _ name: String, _ text: String, _ range: ClosedRange<Double>
    ) throws(Refusal) -> Double {
        guard let number = Double(text), range.contains(number) else {
            throw Refusal(description: "\(name) is from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        }
        return number
    }

    private static func address(_ text: String) throws(Refusal) -> LoadAddress {
        let parts = text.split(separator: ":")
        guard parts.count == 2, let host = LoadAddress.host(parts[0]), let port = UInt16(parts[1]), port > 0 else {
            throw Refusal(description: "'\(text)' is no IPv4 address and port, such as 127.0.0.1:8000")
        }
        return LoadAddress(host: host, port: port)
    }

    /// Single addresses, or all of a network but its first and last.
    private static func sources(_ text: String) throws(Refusal) -> [UInt32] {
        let refusal = Refusal(description: "'\(text)' is no list of IPv4 addresses, nor a network such as 127.1.0.0/24")
        let parts = text.split(separator: "/")
        guard parts.count == 2 else {
            var addresses: [UInt32] = []
            for part in text.split(separator: ",") {
                guard let address = LoadAddress.host(part) else { throw refusal }
                addresses.append(address)
            }
            return addresses
        }
        guard let network = LoadAddress.host(parts[0]), let bits = UInt32(parts[1]), (16...30).contains(bits) else {
            throw refusal
        }
        let count = UInt32(1) << (32 - bits)
        let first = network & ~(count - 1)
        return Array(first + 1..<first + count - 1)
    }
}
