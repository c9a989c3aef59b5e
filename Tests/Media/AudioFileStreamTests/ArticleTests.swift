import AudioCore
import Glibc
import StreamTestKit
import Testing

/// What the documentation says is so, and its example is a program that needs the parser and nothing else.
@Suite(.timeLimit(.minutes(30)))
struct ArticleTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    private static let catalogue = root + "/Sources/Media/AudioFileStreamServices/AudioFileStreamServices.docc"
    /// Where the modules that are tested were built.
    private static let build: String = {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let directory = String(decoding: path.prefix(max(0, count)), as: UTF8.self).split(separator: "/").dropLast()
        return "/" + directory.joined(separator: "/")
    }()
    private static let isLong = getenv("TUTTI_LONG_TESTS") != nil

    private static func article(_ name: String) throws -> String {
        String(decoding: try Tool.readFile("\(catalogue)/\(name).md"), as: UTF8.self)
    }

    /// The article's pieces of code, one after the other.
    private static func example() throws -> String {
        var code = ""
        var isCode = false
        for line in try article("ParsingAFile").split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isCode = line == "```swift"
            } else if isCode {
                code += line + "\n"
            }
        }
        return code
    }

    /// Linked with the objects of two modules: whatever else the parser needed would be missing.
    @Test func theExampleNeedsTheParserOnly() throws {
        let directory = TemporaryDirectory()
        try Tool.writeFile(directory.path + "/main.swift", Array(try Self.example().utf8))
        var objects: [String] = []
        for module in ["AudioCore", "AudioFileStreamServices"] {
            try Tool.run(
                "find '\(Self.root)'/Sources/*/\(module) -name '*.swift' -printf '%f\\n' > sources", in: directory)
            let sources = String(decoding: try Tool.readFile(directory.path + "/sources"), as: UTF8.self)
            objects += sources.split(separator: "\n").map { "'\(Self.build)/\(module).build/\($0).o'" }
        }
        try Tool.run(
            "swiftc -swift-version 6 -warnings-as-errors -I '\(Self.build)/Modules' main.swift "
                + "\(objects.joined(separator: " ")) -o list", in: directory)
        try expectExample("./list", in: directory)
    }

    /// The manifest leads from the product to two targets. With `Scripts/test --long` a package of somebody else's
    /// proves it: nothing is fetched, and no other module is compiled.
    @Test func anotherPackageGetsTheParserOnly() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "env TMPDIR='\(directory.path)' swift package --package-path '\(Self.root)' --scratch-path build "
                + "dump-package > manifest", in: directory)
        let walk = """
            import json
            package = json.load(open("manifest"))
            targets = {target["name"]: target for target in package["targets"]}
            names = [product["targets"] for product in package["products"] if product["name"] == "AudioFileStreamServices"][0]
            for name in names:
                for dependency in targets[name]["dependencies"] if name in targets else []:
                    names += [value[0] for value in dependency.values() if value[0] not in names]
            print(*sorted(names))
            """
        try Tool.writeFile(directory.path + "/walk.py", Array(walk.utf8))
        try Tool.run("python3 walk.py > targets", in: directory)
        #expect(try Tool.readFile(directory.path + "/targets") == Array("AudioCore AudioFileStreamServices\n".utf8))
        if Self.isLong { try buildAnotherPackage(in: directory) }
    }

    private func buildAnotherPackage(in directory: borrowing TemporaryDirectory) throws {
        // A package by path is known by its directory's name.
        try Tool.run("mkdir -p app/Sources/list && ln -s '\(Self.root)' tutti", in: directory)
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "app",
                dependencies: [.package(path: "../tutti")],
                targets: [
                    .executableTarget(
                        name: "list", dependencies: [.product(name: "AudioFileStreamServices", package: "tutti")])
                ])
            """
        try Tool.writeFile(directory.path + "/app/Package.swift", Array(manifest.utf8))
        try Tool.writeFile(directory.path + "/app/Sources/list/main.swift", Array(try Self.example().utf8))
        try Tool.run(
            "env TMPDIR='\(directory.path)' swift build -c release --package-path app", in: directory)
        try Tool.run("test -z \"$(find app/.build/checkouts app/.build/repositories -mindepth 1)\"", in: directory)
        try Tool.run("ls app/.build/release/Modules | grep '[.]swiftmodule$' > modules", in: directory)
        let modules = String(decoding: try Tool.readFile(directory.path + "/modules"), as: UTF8.self)
        #expect(
            modules.split(separator: "\n").sorted() == [
                "AudioCore.swiftmodule", "AudioFileStreamServices.swiftmodule", "list.swiftmodule",
            ])
        try expectExample("app/.build/release/list", in: directory)
    }

    private func expectExample(_ program: String, in directory: borrowing TemporaryDirectory) throws {
        let list = WAVEWriter.info([("INAM", "Pavane"), ("IART", "Fauré")])
        var writer = WAVEWriter()
        writer.leading = list
        let wave = writer.file(data: [UInt8](repeating: 7, count: 4 * 3_000))
        try Tool.writeFile(directory.path + "/a.wav", wave)
        try Tool.writeFile(directory.path + "/a.txt", Array("This is no song, however long it is.".utf8))
        try Tool.run(
            "test -x \(program); \(program) a.wav > said; ! \(program) a.txt >> said; ! \(program) >> said; "
                + "ldd \(program) > libraries", in: directory)
        let said = String(decoding: try Tool.readFile(directory.path + "/said"), as: UTF8.self)
        #expect(
            said == """
                streamed: 3 packets
                a song of 3 packets
                title: Pavane
                artist: Fauré
                PCM, 44100 Hz, 2 channels
                3 packets, 12000 bytes, 3000 frames
                \(TimeSpan(seconds: 3_000 / 44_100.0).seconds) s, the largest packet 4096 bytes
                no magic cookie
                packet 1 at byte \(44 + list.count + 4_096)
                2 packets from there on
                no audio file that is known
                usage: list FILE

                """)
        let chain = OggNextStreamTests.opus(60, serial: 1) + OggNextStreamTests.vorbis(30, serial: 2)
        try Tool.writeFile(directory.path + "/c.ogg", chain)
        try Tool.run("env \(program) c.ogg > songs", in: directory)
        let songs = String(decoding: try Tool.readFile(directory.path + "/songs"), as: UTF8.self)
        #expect(songs.hasPrefix("streamed: 60 packets\na song of 60 packets\na song of 30 packets\nOpus,"))
        let libraries = String(decoding: try Tool.readFile(directory.path + "/libraries"), as: UTF8.self)
        for name in ["avahi", "asound", "mpg123", "dbus", "avcodec", "NIO", "Foundation"] {
            #expect(!libraries.contains(name), "\(libraries)")
        }
        #expect(libraries.contains("libswiftCore"))
    }

    /// Every link leads somewhere, and what is public is documented.
    @Test func theDocumentationIsWhole() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "mkdir symbols && swift symbolgraph-extract -module-name AudioFileStreamServices -I '\(Self.build)/Modules' "
                + "-target $(uname -m)-unknown-linux-gnu -minimum-access-level public -output-dir symbols",
            in: directory)
        try Tool.run(
            "docc convert '\(Self.catalogue)' --additional-symbol-graph-dir symbols --warnings-as-errors "
                + "--fallback-display-name AudioFileStreamServices "
                + "--fallback-bundle-identifier AudioFileStreamServices "
                + "--output-path out", in: directory)
    }

    @Test func everyPropertyIsInTheTable() throws {
        let text = try Self.article("AudioFileStreamServices")
        let rows = text.split(separator: "\n").filter { $0.hasPrefix("| `") }
        let codes = try Tool.readFile(Self.root + "/Sources/Core/AudioCore/Stream/AudioStreamPropertyID.swift")
        let declared = String(decoding: codes, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            guard line.contains("= AudioStreamPropertyID(\"") else { return String?.none }
            return "| `\(words[3])`|\(line.split(separator: "\"")[1])"
        }
        #expect(declared.count == 22)
        for entry in declared {
            let (name, code) = (entry.split(separator: "|")[0], entry.split(separator: "|")[1])
            #expect(rows.contains { $0.contains(name) && $0.contains("| `\(code)` |") }, "\(entry)")
        }
    }
}
