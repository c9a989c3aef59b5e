import NIOCore
import NIOPosix
import Synchronization
import Testing
import WireProtocol

@testable import TuttiRuntime

/// What others look up, answered part by part.
@Suite(.timeLimit(.minutes(5))) struct LookupResponderTests {
    /// Finds what it was given, once it may.
    private final class Library: MusicLookups {
        let results: [MusicLookup: MusicLookupResult]
        let asked = Mutex<[MusicLookup]>([])

        init(_ results: [MusicLookup: MusicLookupResult]) { self.results = results }

        func find(_ lookup: MusicLookup) -> MusicLookupResult {
            asked.withLock { $0.append(lookup) }
            return results[lookup] ?? .nothing(reason: "")
        }

        func stop() {}
    }

    private static let picture = MusicLookup.artwork(ofSong: "/a.flac")
    private let bytes = (0..<40_000).map { UInt8(truncatingIfNeeded: $0) }

    private func answer(
        _ lookup: Lookup, _ subject: MusicLookup?, _ responder: LookupResponder, _ loop: any EventLoop
    ) async throws -> Finding {
        let promise = loop.makePromise(of: Finding.self)
        loop.execute { responder.answer(lookup, subject) { promise.succeed($0) } }
        return try await promise.futureResult.get()
    }

    @Test func aWholeComesInParts() async throws {
        let library = Library([Self.picture: .found(bytes)])
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let responder = LookupResponder(library, loop: loop)
        var lookup = Lookup(.artwork(of: ItemID(1)))
        var found: [UInt8] = []
        while found.count < bytes.count {
            lookup.offset = found.count
            let finding = try await answer(lookup, Self.picture, responder, loop)
            guard case .part(bytes.count, lookup.offset, let part) = finding.content, part.readableBytes > 0 else {
                Issue.record("\(finding)")
                break
            }
            found += part.readableBytesView
        }
        #expect(found == bytes)
        #expect(library.asked.withLock { $0 } == [Self.picture], "it is read once")
        lookup.offset = bytes.count + 1
        let behind = try await answer(lookup, Self.picture, responder, loop)
        guard case .nothing = behind.content else { Issue.record("\(behind)"); return }
        try await loop.flatSubmit { responder.shutDown() }.get()
    }

    @Test func thereMayBeNothing() async throws {
        let large = [UInt8](repeating: 0, count: WireLimits.findingByteCount + 1)
        let library = Library([
            Self.picture: .found(large), .lyrics(ofSong: "/a.flac"): .nothing(reason: "no words"),
            .levels(ofSong: "/a.flac"): .found([]),
        ])
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let responder = LookupResponder(library, loop: loop)
        let lookup = Lookup(.artwork(of: ItemID(1)))
        func content(_ subject: MusicLookup?) async throws -> Finding.Content {
            try await answer(lookup, subject, responder, loop).content
        }
        #expect(try await content(nil) == .nothing(reason: ""))
        #expect(try await content(.lyrics(ofSong: "/a.flac")) == .nothing(reason: "no words"))
        #expect(try await content(.levels(ofSong: "/a.flac")) == .part(ofByteCount: 0, offset: 0, bytes: ByteBuffer()))
        guard case .nothing(let reason) = try await content(Self.picture), !reason.isEmpty else {
            Issue.record("what is too large was sent")
            return
        }
        try await loop.flatSubmit { responder.shutDown() }.get()
    }

    @Test func manyAskersOfOneSongReadItOnce() async throws {
        let library = Library([Self.picture: .found([7])])
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let responder = LookupResponder(library, loop: loop)
        let promises = (0..<10).map { _ in loop.makePromise(of: Finding.self) }
        loop.execute {
            for promise in promises {
                responder.answer(Lookup(.artwork(of: ItemID(1))), Self.picture) { promise.succeed($0) }
            }
        }
        for promise in promises {
            let finding = try await promise.futureResult.get()
            #expect(finding.content == .part(ofByteCount: 1, offset: 0, bytes: ByteBuffer(bytes: [7])))
        }
        #expect(library.asked.withLock { $0.count } == 1)
        try await loop.flatSubmit { responder.shutDown() }.get()
    }

    /// As many as there may be; one more is told so, and those before are answered all the same.
    @Test func thereIsABound() async throws {
        let library = Library([:])
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let responder = LookupResponder(library, loop: loop)
        let findings = Mutex<[Finding.Content]>([])
        let all = loop.makePromise(of: Void.self)
        let count = 100
        loop.execute {
            for index in 0..<count {
                responder.answer(Lookup(.artwork(of: ItemID(1))), .artwork(ofSong: "/\(index)")) { finding in
                    let isLast = findings.withLock { found in
                        found.append(finding.content)
                        return found.count == count
                    }
                    if isLast { all.succeed() }
                }
            }
        }
        try await all.futureResult.get()
        let refused = findings.withLock { $0.count { $0 == .nothing(reason: LookupRefusal.tooMany) } }
        #expect(refused == count - 16)
        try await loop.flatSubmit { responder.shutDown() }.get()
    }
}
