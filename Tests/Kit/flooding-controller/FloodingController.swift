import AudioCore
import Glibc
import HostSystem
import NIOCore
import WireProtocol

/// A controller that sends the same command again and again, each time as a new one, and counts the outcomes.
///
///     flooding-controller PORT SECONDS COMMANDS-PER-SECOND pause|resume|next|remove|volume
///
/// `remove` names an item that is not there. At the end it prints `sent N done N refused N excess N`: `excess` are
/// those that were refused because there were too many. Ends with status 1 if the connection broke.
@main
enum FloodingController {
    private static let operations: [String: CommandOperation] = [
        "pause": .programme(.pause), "resume": .programme(.resume), "next": .programme(.next),
        "remove": .programme(.remove(.id(ItemID(.max)))), "volume": .listeners(.volume(.step(1)), of: .all),
    ]

    static func main() {
        let arguments = CommandLine.arguments.dropFirst()
        guard arguments.count == 4, let port = UInt16(arguments[1]), let seconds = Double(arguments[2]),
            let rate = Double(arguments[3]), let operation = operations[arguments[4]]
        else {
            print("flooding-controller PORT SECONDS COMMANDS-PER-SECOND \(operations.keys.sorted())")
            exit(64)
        }
        guard let connection = ControllerConnection(port: port) else { exit(1) }
        let start = HostTime.now()
        var count = 0
        var elapsed = TimeSpan.zero
        while elapsed.seconds < seconds {
            var commands = ByteBuffer()
            while Double(count) <= elapsed.seconds * rate {
                commands.writeImmutableBuffer(WireEncoder.command(Command(operation)))
                count += 1
            }
            guard connection.send(commands), connection.receive(for: .milliseconds(5)) else { exit(1) }
            elapsed = HostTime.now() - start
        }
        let deadline = HostTime.now() + .seconds(5)
        while connection.outcomes.count < count, HostTime.now() < deadline {
            guard connection.receive(for: .milliseconds(50)) else { exit(1) }
        }
        let outcomes = connection.outcomes
        print("sent \(count) done \(outcomes.done) refused \(outcomes.refused) excess \(outcomes.excess)")
    }
}
