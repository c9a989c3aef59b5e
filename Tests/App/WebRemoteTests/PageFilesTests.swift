import CZlib
import Glibc
import NIOCore
import Testing
import WebPage

@testable import WebRemote
@testable import WebServer

@Suite(.timeLimit(.minutes(5)))
struct PageFilesTests {
    /// The folder of the page in the sources.
    private static let folder: String = {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        return "/\(root)/Sources/App/WebPage/page"
    }()

    private static func names() -> [String] {
        guard let directory = opendir(folder) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    @Test func everyFileOfTheFolderIsInTheProgram() throws {
        #expect(!Self.names().isEmpty)
        #expect(PageFile.all.map(\.name).sorted() == Self.names())
        for page in PageFile.all {
            let file = try #require(fopen("\(Self.folder)/\(page.name)", "r"))
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
            #expect(inflated(ByteBuffer(bytes: page.gzip)) == bytes, "\(page.name)")
            #expect(page.byteCount == bytes.count, "\(page.name)")
        }
    }

    /// In the program and on its way, since it is packed in both.
    @Test func thePageIsSmall() throws {
        let files = ServedFiles()
        for page in PageFile.all {
            let sent = try #require(files.response(at: "/" + page.name, accepting: "gzip, deflate"))
            #expect(sent.value(of: "Content-Encoding") == "gzip")
            #expect(sent.body == ByteBuffer(bytes: page.gzip), "\(page.name)")
        }
        let byteCount = PageFile.all.reduce(0) { $0 + $1.gzip.count }
        #expect(byteCount > 1_000 && byteCount < 100_000)
    }

    @Test func aFileIsUnpackedOnce() throws {
        let files = ServedFiles()
        let first = try #require(files.response(at: "/style.css", accepting: nil))
        let second = try #require(files.response(at: "/style.css", accepting: nil))
        let addresses = [first, second].map { $0.body.withUnsafeReadableBytes { $0.baseAddress } }
        #expect(addresses[0] != nil && addresses[0] == addresses[1])
    }

    @Test func whoDoesNotTakeGzipGetsTheFileAsItIs() throws {
        let files = ServedFiles()
        for page in PageFile.all {
            let packed = try #require(files.response(at: "/" + page.name, accepting: "gzip"))
            let plain = try #require(files.response(at: "/" + page.name, accepting: nil))
            #expect(Array(plain.body.readableBytesView) == inflated(ByteBuffer(bytes: page.gzip)), "\(page.name)")
            #expect(plain.value(of: "Content-Encoding") == nil)
            #expect(plain.value(of: "ETag") != packed.value(of: "ETag"))
            for response in [plain, packed] { #expect(response.value(of: "Vary") == "Accept-Encoding") }
        }
    }

    /// The client keeps each coding by a tag of its own.
    @Test func whatAClientHasIsNotSentAgain() throws {
        let files = ServedFiles()
        let compressed = try #require(files.response(at: "/", accepting: "gzip"))
        let plain = try #require(files.response(at: "/", accepting: nil))
        let tag = try #require(compressed.value(of: "ETag"))
        let answer = ResponseHeaders.response(compressed, known: [tag])
        #expect(answer.status == .notModified && answer.body.readableBytes == 0)
        #expect(answer.value(of: "Vary") == "Accept-Encoding" && answer.value(of: "Content-Encoding") == nil)
        #expect(ResponseHeaders.response(plain, known: [tag]).status == .ok)
    }

    @Test(arguments: [
        ("gzip", true), ("gzip, deflate, br, zstd", true), ("br;q=1.0, GZIP ; q=0.8, *;q=0.1", true), ("x-gzip", true),
        ("*", true), ("*;q=0.1, gzip;q=0", false), ("gzip;q=0", false), ("gzip;q=0.000", false), ("*;q=0", false),
        ("", false), ("identity", false), ("deflate, br", false), ("gzip;q=nan", false), ("gzip;q=", false),
        ("gzip;", false), (";;,,;q", false), ("ungzip", false),
    ])
    func gzipIsSentToWhoeverTakesIt(_ header: String, isAllowed: Bool) {
        #expect(ContentCodings.allowGzip(header) == isAllowed)
    }

    /// "hello" and a line feed, as gzip packed them (`printf 'hello\n' | gzip -9n | od -An -tu1`).
    private static let packed: [UInt8] = [
        31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 231, 2, 0, 32, 48, 58, 54, 6, 0, 0, 0,
    ]

    @Test func gzipIsUnpackedWhole() {
        #expect(Gzip.unpack(ByteBuffer(bytes: Self.packed), byteCount: 6) == ByteBuffer(string: "hello\n"))
        for byteCount in [0, 5, 7, 1 << 20] {
            #expect(Gzip.unpack(ByteBuffer(bytes: Self.packed), byteCount: byteCount) == nil, "\(byteCount)")
        }
        for count in Self.packed.indices {
            #expect(Gzip.unpack(ByteBuffer(bytes: Self.packed.prefix(count)), byteCount: 6) == nil, "\(count)")
        }
        #expect(Gzip.unpack(ByteBuffer(bytes: Self.packed + [0]), byteCount: 6) == nil)
        var damaged = Self.packed
        damaged[12] ^= 1
        #expect(Gzip.unpack(ByteBuffer(bytes: damaged), byteCount: 6) == nil)
    }

    @Test func filesAreServedWithTheirTypeAndTag() throws {
        let files = ServedFiles()
        let index = try #require(files.response(at: "/", accepting: nil))
        let other = try #require(files.response(at: "/style.css", accepting: nil))
        #expect(index.mediaType == "text/html; charset=utf-8" && other.mediaType == "text/css; charset=utf-8")
        #expect(
            files.files.values.allSatisfy { !$0.name.hasSuffix(".js") || $0.mediaType.hasPrefix("text/javascript") })
        let tags = [index, other].compactMap { $0.value(of: "ETag") }
        #expect(tags.count == 2 && tags[0] != tags[1] && tags.allSatisfy { $0.hasPrefix("\"") && $0.hasSuffix("\"") })
        #expect(files.response(at: "/index.html", accepting: nil)?.body == index.body)
        #expect(files.response(at: "/missing.js", accepting: "gzip") == nil)
        #expect(files.response(at: "", accepting: nil) == nil)
    }
}

/// The files as one server serves them.
private final class ServedFiles {
    private var kept = PageFiles()

    var files: [String: PageFiles.File] { kept.files }

    func response(at path: String, accepting codings: String?) -> WebResponse? {
        kept.response(at: path, accepting: codings)
    }
}

extension WebResponse {
    /// Returns the value of the header of this name; nil if there is none, or more than one.
    fileprivate func value(of name: String) -> String? {
        let values = headers.filter { $0.0 == name }
        return values.count == 1 ? values[0].1 : nil
    }
}

/// Returns what gzip made these bytes of; nil if it is no whole file of gzip's, or one of more than a megabyte.
private func inflated(_ bytes: ByteBuffer) -> [UInt8]? {
    var stream = z_stream()
    guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { return nil }
    defer { inflateEnd(&stream) }
    var input = Array(bytes.readableBytesView)
    var output = [UInt8](repeating: 0, count: 1 << 20)
    let status = input.withUnsafeMutableBufferPointer { input in
        output.withUnsafeMutableBufferPointer { output in
            stream.next_in = input.baseAddress
            stream.avail_in = uInt(input.count)
            stream.next_out = output.baseAddress
            stream.avail_out = uInt(output.count)
            return inflate(&stream, Z_FINISH)
        }
    }
    guard status == Z_STREAM_END, stream.avail_in == 0 else { return nil }
    return Array(output.prefix(Int(stream.total_out)))
}
