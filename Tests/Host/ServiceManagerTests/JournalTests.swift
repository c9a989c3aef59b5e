import AudioCore
import Glibc
import StreamTestKit
import Testing

@testable import ServiceManager

/// Entries as a journal receives them, by a real socket.
@Suite(.timeLimit(.minutes(5))) struct JournalTests {
    private func sent(_ entry: JournalEntry) throws -> [UInt8] {
        let directory = TemporaryDirectory()
        let path = directory.path + "/journal"
        let receiver = try DatagramReceiver(path)
        let journal = try #require(Journal(socketPath: path))
        #expect(journal.write(entry))
        return try #require(receiver.receive())
    }

    /// Reads an entry as journald does; fails where the protocol is broken.
    private func fields(_ datagram: [UInt8]) throws -> [String: String] {
        var fields: [String: String] = [:]
        var rest = datagram[...]
        while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let line = rest[..<end]
            rest = rest[(end + 1)...]
            if let sign = line.firstIndex(of: UInt8(ascii: "=")) {
                fields[String(decoding: line[..<sign], as: UTF8.self)] =
                    String(decoding: line[(sign + 1)...], as: UTF8.self)
                continue
            }
            try #require(rest.count >= 8)
            let count = rest.prefix(8).reversed().reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(8)
            try #require(rest.count > count)
            fields[String(decoding: line, as: UTF8.self)] = String(decoding: rest.prefix(count), as: UTF8.self)
            rest = rest.dropFirst(count)
            #expect(rest.popFirst() == UInt8(ascii: "\n"))
        }
        #expect(rest.isEmpty)
        return fields
    }

    @Test func anEntryHasPriorityMessageAndFields() throws {
        let datagram = try sent(JournalEntry(.warning, "lost Attic", [.init(.event, "listening.lost")]))
        #expect(
            String(decoding: datagram, as: UTF8.self)
                == "PRIORITY=4\nSYSLOG_IDENTIFIER=tutti\nMESSAGE=lost Attic\nTUTTI_EVENT=listening.lost\n")
    }

    /// A line break in a value must not begin another field.
    @Test func aValueWithALineBreakIsCounted() throws {
        let value = "a\nPRIORITY=0\n"
        let datagram = try sent(JournalEntry(.information, "m", [.init(.peer, value)]))
        let found = try fields(datagram)
        #expect(found == ["PRIORITY": "6", "SYSLOG_IDENTIFIER": "tutti", "MESSAGE": "m", "TUTTI_PEER": value])
        let counted = Array("TUTTI_PEER\n".utf8) + [13, 0, 0, 0, 0, 0, 0, 0] + Array("a\nPRIORITY=0\n\n".utf8)
        #expect(Array(datagram.suffix(counted.count)) == counted)
    }

    @Test func whatIsLongIsCutBetweenCharacters() throws {
        let long = String(repeating: "é\n", count: 100_000)
        let many = [JournalEntry.Field](repeating: .init(.song, long), count: 1_000)
        let datagram = try sent(JournalEntry(.information, long, many))
        #expect(datagram.count < 60_000)
        let message = try #require(try fields(datagram)["MESSAGE"])
        #expect(message.utf8.count > 4_000 && long.hasPrefix(message))
    }

    @Test func anEntryIsLostWhereThereIsNoJournal() throws {
        let directory = TemporaryDirectory()
        let journal = try #require(Journal(socketPath: directory.path + "/nobody"))
        #expect(!journal.write(JournalEntry(.error, "m")))
    }

    /// A service may be started with standard error elsewhere; the variable stays then.
    @Test func theJournalIsThereOnlyIfStandardErrorGoesThere() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        var status = stat()
        try #require(fstat(ends[1], &status) == 0)
        let stream = "\(status.st_dev):\(status.st_ino)"
        #expect(Journal.ofStandardError(ends[1]) { ["JOURNAL_STREAM": stream][$0] } != nil)
        for other in ["", "1:2", stream + "0", "nonsense"] {
            #expect(Journal.ofStandardError(ends[1]) { ["JOURNAL_STREAM": other][$0] } == nil, "\(other)")
        }
        #expect(Journal.ofStandardError(ends[1]) { _ in nil } == nil)
    }

    @Test func theNamesOfFieldsAreOnesThatAJournalTakes() {
        for name in JournalEntry.FieldName.allCases {
            #expect(name.rawValue.utf8.count <= 64 && name.rawValue.hasPrefix("TUTTI_"))
            #expect(name.rawValue.allSatisfy { $0.isASCII && ($0.isUppercase || $0.isNumber || $0 == "_") })
        }
    }
}
