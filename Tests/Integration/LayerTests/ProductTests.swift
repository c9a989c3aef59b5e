import Glibc
import StreamTestKit
import Testing

/// What a package gets that depends on one product alone: modules, and system libraries.
@Suite(.timeLimit(.minutes(30))) struct ProductTests {
    private struct Product {
        var name: String
        var modules: [String]
        /// By the names of their pkg-config files.
        var systemLibraries: [String] = []
        /// A program that uses it and imports nothing else.
        var program: String
    }

    private static let products = [
        Product(
            name: "AudioFileStreamServices", modules: ["AudioCore", "AudioFileStreamServices"],
            program: "var stream = AudioFileStream(); stream.close(); print(AudioFileType.mpegLayer3)"),
        Product(
            name: "AudioQueueServices",
            modules: [
                "AudioCore", "AudioDecoding", "AudioQueueServices", "CLinux", "CResampling", "HostSystem",
                "LineFitting", "Playout",
            ],
            program: "print(DecoderCatalog.builtIn, HostTime.now(), TimelineQueue.self, OutputQueue.self)"),
        Product(
            name: "ALSADevices",
            modules: [
                "ALSADevices", "AudioCore", "CALSA", "CLinux", "CResampling", "HostSystem", "LineFitting", "Playout",
            ],
            systemLibraries: ["alsa"],
            program: "do { _ = try ALSAOutput(deviceName: \"no such device\") } catch { print(error) }"),
        Product(
            name: "RealtimeKitClient", modules: ["AudioCore", "CDBus", "CLinux", "HostSystem", "RealtimeKitClient"],
            systemLibraries: ["dbus-1"], program: "print(RealtimeKit(), RealTimeSystem.withRealtimeKit)"),
        Product(
            name: "VirtualDevices",
            modules: [
                "AudioCore", "AudioFileWriting", "CLinux", "CResampling", "HostSystem", "LineFitting", "Playout",
                "VirtualDevices",
            ],
            program: "print(try VirtualOutput.null().description)"),
        Product(
            name: "MPEGDecoding", modules: ["AudioCore", "AudioDecoding", "CMPG123", "MPEGDecoding"],
            systemLibraries: ["libmpg123"],
            program: "var catalog = DecoderCatalog.builtIn; catalog.registerMPEG(); print(catalog)"),
        Product(
            name: "AudioFileWriting", modules: ["AudioCore", "AudioFileWriting"],
            program: "print(AudioFileWriter.self, AudioStreamFormat.self)"),
    ]
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    private static let isLong = getenv("TUTTI_LONG_TESTS") != nil

    @Test func theManifestNamesTheseProductsAndTheRuntimeAlone() throws {
        let manifest = try Manifest(ofPackageAt: Self.root)
        #expect(Set(manifest.products.keys) == Set(Self.products.map(\.name) + ["TuttiRuntime"]))
        for product in Self.products {
            let modules = manifest.closure(of: product.name)
            #expect(modules.sorted() == product.modules, "\(product.name)")
            #expect(modules.compactMap { manifest.systemLibraries[$0] }.sorted() == product.systemLibraries)
            #expect(modules.allSatisfy { manifest.foreignProducts[$0, default: []].isEmpty }, "\(product.name)")
        }
        let all = manifest.closure(of: "TuttiRuntime")
        #expect(
            all.compactMap { manifest.systemLibraries[$0] }.sorted() == [
                "alsa", "avahi-client", "dbus-1", "libmpg123", "libsodium",
            ])
    }

    /// Links the objects of the product's modules and nothing else: whatever else it needed would be missing. With
    /// `Scripts/test --long` a package of somebody else's proves it.
    @Test(arguments: products.indices) func aProgramNeedsTheProductOnly(_ index: Int) throws {
        let product = Self.products[index]
        let directory = TemporaryDirectory()
        let build = try BuiltModules()
        try Tool.writeFile(
            directory.path + "/main.swift", Array("import \(product.name)\n\n\(product.program)\n".utf8))
        var arguments = ["-swift-version 6", "-I '\(build.path)/Modules'", "-lm"]
        for module in product.modules { arguments += try build.arguments(of: module, below: Self.root, in: directory) }
        arguments += product.systemLibraries.map { "$(pkg-config --cflags-only-I --libs \($0))" }
        // The compiler leaves a list of libraries by the module's name beside the first object. If modules of one name
        // are linked at once, they read each other's. A module is called as the program unless that has a hyphen.
        let program = "uses_\(product.name)"
        try Tool.run("swiftc \(arguments.joined(separator: " ")) main.swift -o \(program)", in: directory)
        try Tool.run("env ./\(program) > said && ldd ./\(program) > libraries", in: directory)
        let libraries = String(decoding: try Tool.readFile(directory.path + "/libraries"), as: UTF8.self)
        let known = [
            "alsa": "libasound", "dbus-1": "libdbus", "libmpg123": "libmpg123", "avahi-client": "libavahi",
            "FFmpeg": "libav", "NIO": "NIO", "Foundation": "Foundation",
        ]
        for (name, library) in known {
            #expect(libraries.contains(library) == product.systemLibraries.contains(name), "\(library): \(libraries)")
        }
        let said = try Tool.readFile(directory.path + "/said")
        #expect(!said.isEmpty)
        if Self.isLong { try buildAnotherPackage(of: product, in: directory) }
    }

    /// A package of somebody else's, which SwiftPM builds. It downloads what any product needs, and must build nothing
    /// of SwiftNIO, which `TuttiRuntime` alone is made with.
    private func buildAnotherPackage(of product: Product, in directory: borrowing TemporaryDirectory) throws {
        // A package by path is known by its directory's name.
        try Tool.run("mkdir -p app/Sources/program && ln -s '\(Self.root)' tutti", in: directory)
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "app",
                dependencies: [.package(path: "../tutti")],
                targets: [
                    .executableTarget(
                        name: "program", dependencies: [.product(name: "\(product.name)", package: "tutti")])
                ])
            """
        try Tool.writeFile(directory.path + "/app/Package.swift", Array(manifest.utf8))
        try Tool.writeFile(
            directory.path + "/app/Sources/program/main.swift",
            Array("import \(product.name)\n\n\(product.program)\n".utf8))
        try Tool.run("env TMPDIR='\(directory.path)' swift build -c release --package-path app", in: directory)
        try Tool.run("test -z \"$(find app/.build/ -path '*NIO*.build/*.o')\"", in: directory)
        try Tool.run("env app/.build/release/program > said", in: directory)
    }
}

/// The modules that are tested, where they were built.
private struct BuiltModules {
    let path: String

    init() throws {
        var path = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = path.withUnsafeMutableBytes { readlink("/proc/self/exe", $0.baseAddress!, $0.count) }
        let directory = String(decoding: path.prefix(max(0, count)), as: UTF8.self).split(separator: "/").dropLast()
        self.path = "/" + directory.joined(separator: "/")
    }

    /// What the compiler is told, so that a program finds a module and is linked with its objects.
    func arguments(
        of module: String, below root: String, in directory: borrowing TemporaryDirectory
    ) throws -> [String] {
        try Tool.run(
            "cd '\(root)'/Sources/*/'\(module)' && pwd > '\(directory.path)/folder' && "
                + "find . -name '*.swift' -o -name '*.c' > '\(directory.path)/sources'", in: directory)
        let folder = String(decoding: try Tool.readFile(directory.path + "/folder").dropLast(), as: UTF8.self)
        let sources = String(decoding: try Tool.readFile(directory.path + "/sources"), as: UTF8.self)
            .split(separator: "\n")
        let isC = sources.contains { $0.hasSuffix(".c") }
        // SwiftPM writes the map of a module in C; that of a system library lies beside its header.
        let headers = isC ? ["-Xcc -fmodule-map-file='\(path)/\(module).build/module.modulemap'"] : []
        let system = sources.isEmpty ? ["-I '\(folder)'"] : []
        return headers + system
            + sources.map { "'\(path)/\(module).build/\($0.split(separator: "/").last ?? "").o'" }
    }
}
