// swift-tools-version: 6.2
import PackageDescription

/// Settings that every Swift target shares: warnings are errors, existentials are written `any`.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
]

/// Breaks synchronization on purpose: session time is the wall clock. Scripts/test builds a program that way, and the
/// tests must notice.
let canary: [SwiftSetting] =
    Context.environment["TUTTI_WALL_CLOCK_CANARY"] == nil ? [] : [.define("WallClockCanary")]

/// What `tutti --version` says behind the version. Scripts/install sets it.
let revision: [CSetting] =
    Context.environment["TUTTI_REVISION"].map { [.define("TUTTI_REVISION", to: "\"\($0)\"")] } ?? []

/// A layer: its targets are the folders of Sources/NAME.
func layer(_ name: String, _ targets: Target...) -> [Target] { folders(of: "Sources/\(name)", targets) }

/// A room of the tests: its targets are the folders of Tests/NAME.
func testRoom(_ name: String, _ targets: Target...) -> [Target] { folders(of: "Tests/\(name)", targets) }

func folders(of folder: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "\(folder)/\(target.name)" }
    return targets
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func library(
    _ name: String, uses dependencies: Target.Dependency..., exclude: [String] = [], settings more: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings + more)
}

func program(_ name: String, uses dependencies: Target.Dependency...) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, uses dependencies: Target.Dependency...) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")

/// From the bottom up: a target uses targets of its own layer and of those that stand before it. LayerTests looks.
let layers = [
    // Modules in C: the headers of one system library each, or the few functions that are written in C.
    layer(
        "CModules",
        systemLibrary("CALSA", pkgConfig: "alsa", apt: "libasound2-dev"),
        systemLibrary("CAvahi", pkgConfig: "avahi-client", apt: "libavahi-client-dev"),
        systemLibrary("CDBus", pkgConfig: "dbus-1", apt: "libdbus-1-dev"),
        systemLibrary("CMPG123", pkgConfig: "libmpg123", apt: "libmpg123-dev"),
        systemLibrary("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        systemLibrary("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        systemLibrary("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        // libcurl is loaded at run time.
        .target(name: "CCurl"),
        // So is SQLite.
        .target(name: "CSQLite"),
        // And libmp3lame.
        .target(name: "CLAME"),
        .target(name: "CLinux"),
        .target(name: "CResampling"),
        .target(name: "CRevision", cSettings: revision)),

    // What runs while Tutti is built.
    layer(
        "Build",
        // Makes the page for browsers a part of the program.
        .plugin(name: "EmbedPage", capability: .buildTool())),

    // What all others speak of: times, frames, rates, formats, the push parser's protocol, limits. No system calls.
    layer(
        "Core",
        // Rounding is a call of libm on x86-64, and the parser's users may import no module that links it.
        .target(
            name: "AudioCore", swiftSettings: settings,
            linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
        // Lines under clouds of points: what both clock models are made of.
        library("LineFitting")),

    // The machine under us: its clock, threads, real-time rights.
    layer(
        "Host",
        library("HostSystem", uses: "AudioCore", "CLinux", settings: canary),
        // Real-time priority for the programs of ordinary users, by D-Bus.
        library("RealtimeKitClient", uses: "AudioCore", "CDBus", "CLinux", "HostSystem"),
        // Signs of life for whoever started this as a service, and entries for the journal.
        library("ServiceManager", uses: "AudioCore", "HostSystem")),

    // Songs, wherever they lie, to packets; packets to frames; frames to files.
    layer(
        "Media",
        library("AudioFileStreamServices", uses: "AudioCore"),
        library("AudioDecoding", uses: "AudioCore"),
        library("MPEGDecoding", uses: "AudioCore", "AudioDecoding", "CMPG123"),
        // libavcodec is loaded at run time, in a process that has no rights.
        library("LibavcodecDecoding", uses: "AudioCore", "AudioDecoding", "CLinux", "HostSystem"),
        // Frames to WAVE, AIFF and CAF files that are whole at any moment.
        library("AudioFileWriting", uses: "AudioCore"),
        // Files, directories, playlists and addresses to songs; a song to a file.
        library(
            "Songs", uses: "AudioCore", "AudioDecoding", "AudioFileStreamServices", "AudioFileWriting", "CCurl",
            "HostSystem")),

    // Session time: estimator and datagrams, and the threads that carry them.
    layer(
        "Clock",
        library("ClockSync", uses: "AudioCore", "LineFitting"),
        library("ClockExchange", uses: "AudioCore", "CLinux", "ClockSync", "HostSystem")),

    // Frames to a device and from one, each at its instant; the queues that feed and empty devices.
    layer(
        "Sound",
        library("Playout", uses: "AudioCore", "CResampling", "LineFitting"),
        library("ALSADevices", uses: "AudioCore", "CALSA", "HostSystem", "Playout"),
        // Files in place of devices, each with a sidecar: what was heard, and when.
        library("VirtualDevices", uses: "AudioCore", "AudioFileWriting", "HostSystem", "Playout"),
        library("AudioQueueServices", uses: "AudioCore", "AudioDecoding", "HostSystem", "Playout")),

    // Between peers: discovery by mDNS, messages, connections.
    layer(
        "Network",
        library("Discovery", uses: "AudioCore", "CAvahi", "HostSystem", "WireProtocol"),
        library("WireProtocol", uses: "AudioCore", nioCore),
        // Hashes, signatures, agreements and encryption, by libsodium.
        library("Cryptography", uses: "CSodium"),
        // Keys of peers, the handshake that opens an encrypted connection, its records.
        library("SecureChannel", uses: "Cryptography", "WireProtocol", nioCore),
        // Who belongs together, the secret that they share, and who may do what.
        library("Households", uses: "AudioCore", "Cryptography", "SecureChannel", nioCore),
        // A short code, shown on one machine and typed on another, proves to each that it speaks with the other.
        library("Pairing", uses: "AudioCore", "Cryptography", "SecureChannel"),
        library("Peering", uses: "AudioCore", "Households", "SecureChannel", "WireProtocol", nioCore)),

    // Broadcasting, listening, observing, recording: events in, actions out, no sockets and no threads.
    layer(
        "Sessions",
        library(
            "Broadcasting", uses: "AudioCore", "AudioDecoding", "ClockSync", "Households", "Peering", "Programmes",
            "SecureChannel", "WireProtocol", nioCore),
        library(
            "Listening", uses: "AudioCore", "ClockSync", "Households", "Peering", "Playout", "SecureChannel",
            "WireProtocol", nioCore),
        // Commands to a broadcast, and following it.
        library("Controlling", uses: "AudioCore", "Households", "Peering", "SecureChannel", "WireProtocol", nioCore),
        library("Observing", uses: "AudioCore", "Households", "Peering", "SecureChannel", "WireProtocol", nioCore),
        // Between machines of a household, and those that are to be: pairing.
        library(
            "HouseholdSessions", uses: "AudioCore", "Cryptography", "Households", "Pairing", "Peering", "SecureChannel",
            "WireProtocol", nioCore),
        // What a broadcast plays, and the order of the commands that change it.
        library("Programmes", uses: "AudioCore", "WireProtocol"),
        // A broadcast's packets, or what a device captures, to a file.
        library(
            "Recording", uses: "AudioCore", "AudioDecoding", "AudioFileWriting", "AudioQueueServices", "HostSystem",
            "Playout"),
        // What performs the sessions' actions, for the app and the simulation alike.
        library(
            "SessionExecution", uses: "AudioCore", "AudioDecoding", "AudioQueueServices", "Broadcasting", "ClockSync",
            "HostSystem", "Listening", "Peering", "Playout", "SecureChannel", "WireProtocol", nioCore)),

    // Sockets, threads, wiring; the command line.
    layer(
        "App",
        // Songs of folders, found by what they say of themselves.
        library("MusicLibrary", uses: "AudioCore", "CLinux", "CSQLite", "HostSystem", "Songs"),
        library(
            "TuttiRuntime", uses: "ALSADevices", "AudioCore", "AudioDecoding", "AudioFileWriting", "AudioQueueServices",
            "Broadcasting", "ClockExchange", "ClockSync", "Controlling", "Cryptography", "Discovery", "HostSystem",
            "HouseholdSessions", "Households", "LibavcodecDecoding", "Listening", "MPEGDecoding", "Observing",
            "Pairing", "Peering", "Playout", "Programmes", "RealtimeKitClient", "Recording", "SecureChannel",
            "SessionExecution", "Songs", "VirtualDevices", "WireProtocol", nioCore, nioPosix, settings: canary),
        // What keeps Tutti from working on this machine and its network, and what mends it.
        library(
            "Diagnosis", uses: "ALSADevices", "AudioCore", "AudioDecoding", "Discovery", "HostSystem",
            "LibavcodecDecoding", "Peering", "Playout", "RealtimeKitClient", "TuttiRuntime", "WireProtocol"),
        // HTTP, also by TLS, and WebSockets for a site, whatever it is.
        library("WebServer", uses: nioCore, nioPosix, nioHTTP1, nioWebSocket, nioTLS, nioSSL),
        // A player on the desktop's bus: media keys, panels, lock screens.
        library("DesktopRemote", uses: "AudioCore", "CDBus", "HostSystem"),
        // Documents of TOML, with the place of each key and mistake.
        library("TOML", uses: "AudioCore"),
        // Keys in, styled text out, what a terminal shows of it.
        library("TerminalIO", uses: "AudioCore"),
        // The player in the terminal: what it knows, what keys do, how it looks.
        library(
            "PlayerScreen", uses: "AudioCore", "Controlling", "MusicLibrary", "Songs", "TerminalIO", "WireProtocol"),
        // The JSON by which programs and the page follow and command a broadcast.
        library("ProgrammeJSON", uses: "AudioCore", "Controlling", "MusicLibrary", "TerminalIO", "WireProtocol"),
        // The page for browsers: its files,
        .target(
            name: "WebPage", exclude: ["package.json", "page"], swiftSettings: settings, plugins: ["EmbedPage"]),
        // who may do what there, and what they are told.
        library(
            "WebRemote", uses: "AudioCore", "AudioDecoding", "CLAME", "CZlib", "Controlling", "Cryptography",
            "HostSystem", "MusicLibrary", "ProgrammeJSON", "TuttiRuntime", "WebPage", "WebServer", "WireProtocol",
            nioCore, nioPosix),
        program(
            "tutti", uses: "AudioCore", "AudioFileWriting", "AudioQueueServices", "Broadcasting", "CQREncode",
            "CRevision", "Controlling", "Cryptography", "DesktopRemote", "Diagnosis", "HostSystem", "HouseholdSessions",
            "Households", "Listening", "MusicLibrary", "Observing", "Pairing", "Peering", "PlayerScreen", "Playout",
            "ProgrammeJSON", "SecureChannel", "ServiceManager", "Songs", "TOML", "TerminalIO", "TuttiRuntime",
            "WebRemote", "WireProtocol")),
]

/// A room for the tests of each layer, by the layer's name; and Kit, Integration and Fuzz.
let testRooms = [
    // What tests are made of, and the tests of that; nothing that ships depends on it.
    testRoom(
        "Kit",
        library("StreamTestKit", uses: "AudioCore", "HostSystem"),
        library("WebServerKit", exclude: ["serve.py"]),
        // A peer's encrypted connection, for programs that say what no Tutti would say.
        library("PeerSocketKit", uses: "SecureChannel", nioCore),
        // Virtual clocks, network and cards.
        library(
            "SimulationKit", uses: "AudioCore", "AudioDecoding", "AudioQueueServices", "Broadcasting", "ClockSync",
            "Cryptography", "HostSystem", "HouseholdSessions", "Households", "Listening", "Pairing", "Peering",
            "Playout", "Programmes", "SecureChannel", "SessionExecution", "WireProtocol", nioCore),

        // The library is in Tests/Preloads, a package of its own.
        tests("SoftwareSoundCardTests", uses: "CALSA", "HeardAnalysis", "SoundCardKit"),

        // Hosts in namespaces, sound cards in software, what was heard on them.
        .executableTarget(name: "lan-host"),
        .executableTarget(name: "radio-link", linkerSettings: [.linkedLibrary("m")]),
        library("SoundCardKit", uses: "StreamTestKit"),
        .target(name: "CProcessors"),
        library("LANKit", uses: "AudioCore", "CProcessors", "SoundCardKit", "StreamTestKit"),
        library("HeardAnalysis", uses: "AudioCore", "StreamTestKit", "VirtualDevices"),
        program("tutti-heard", uses: "HeardAnalysis"),
        library("TestbedKit", uses: "AudioCore", "HeardAnalysis", "LANKit", "SoundCardKit", "VirtualDevices"),
        // Browsers on such a host, led from outside.
        library("BrowserKit", uses: "LANKit", "ProgrammeJSON", "SoundCardKit"),
        tests("LANKitTests", uses: "LANKit", "SoundCardKit"),
        tests("BrowserKitTests", uses: "BrowserKit", "HeardAnalysis", "LANKit", "SoundCardKit"),
        tests("HeardAnalysisTests", uses: "AudioCore", "HeardAnalysis", "VirtualDevices"),
        tests(
            "TestbedKitTests", uses: "AudioCore", "HeardAnalysis", "LANKit", "StreamTestKit", "TestbedKit",
            "VirtualDevices"),

        // Many listeners of one broadcast, who check what they are sent.
        .target(name: "CLoadPolling"),
        library(
            "ListenerLoad", uses: "AudioCore", "AudioFileStreamServices", "CLoadPolling", "ClockSync", "HostSystem",
            "Listening", "SecureChannel", "WireProtocol", nioCore),
        program("listener-load", uses: "LANKit", "ListenerLoad"),
        tests(
            "ListenerLoadTests", uses: "listener-load", "tutti", "AudioCore", "ListenerLoad", "StreamTestKit",
            "WireProtocol", nioCore),

        // Programs that tests and benchmarks start.
        program(
            "benchmark-sync", uses: "AudioCore", "HeardAnalysis", "LANKit", "SimulationKit", "SoundCardKit",
            "TestbedKit"),
        program("benchmark-command", uses: "HeardAnalysis", "LANKit", "SoundCardKit", "TestbedKit"),
        program("benchmark-browser", uses: "BrowserKit", "HeardAnalysis", "LANKit", "SoundCardKit", "TestbedKit"),
        // What Scripts/test-guest measured.
        program("guest-report", uses: "HeardAnalysis", "ProgrammeJSON"),
        // Many browsers that listen.
        program("browser-load", uses: "AudioCore", "WireProtocol", nioCore),
        .target(name: "AllocationCount"),
        program("benchmark-parse", uses: "AllocationCount", "AudioCore", "AudioFileStreamServices"),
        .target(name: "CThreadFilter"),
        program("decode-worker", uses: "CThreadFilter", "LibavcodecDecoding"),
        program("discovery-probe", uses: "AudioCore", "Discovery", "WireProtocol"),
        program(
            "flooding-controller", uses: "AudioCore", "HostSystem", "PeerSocketKit", "SecureChannel", "WireProtocol",
            nioCore),
        program("impostor", uses: "AudioCore", "Discovery", "PeerSocketKit", "SecureChannel", "WireProtocol", nioCore),
        program("wire-capture"),
        program(
            "welcomed-listener", uses: "AudioCore", "ClockSync", "PeerSocketKit", "SecureChannel", "WireProtocol",
            nioCore),
        program(
            "realtime-probe", uses: "ALSADevices", "AudioCore", "AudioDecoding", "AudioQueueServices", "HostSystem",
            "Playout", "SoundCardKit"),
        // The code of the audio queue's articles.
        program("example-play", uses: "ALSADevices", "AudioFileStreamServices", "AudioQueueServices", "MPEGDecoding"),
        program("example-record", uses: "ALSADevices", "AudioFileWriting", "AudioQueueServices"),
        // That of TuttiRuntime's.
        program("example-embed", uses: "TuttiRuntime")),

    testRoom(
        "Core",
        tests("AudioCoreTests", uses: "AudioCore", "StreamTestKit"),
        tests("LineFittingTests", uses: "LineFitting")),

    testRoom(
        "Host",
        tests("HostSystemTests", uses: "AudioCore", "HostSystem"),
        tests("RealTimeRightsTests", uses: "AudioCore", "CDBus", "CLinux", "HostSystem", "LANKit", "RealtimeKitClient"),
        tests("ServiceManagerTests", uses: "AudioCore", "HostSystem", "ServiceManager", "StreamTestKit")),

    testRoom(
        "Media",
        tests("AudioFileStreamTests", uses: "AudioCore", "AudioFileStreamServices", "StreamTestKit"),
        tests("SongReadingTests", uses: "AudioCore", "AudioFileStreamServices", "HostSystem", "Songs", "StreamTestKit"),
        tests("SongCollectionTests", uses: "AudioCore", "Songs", "StreamTestKit"),
        tests(
            "HTTPSourceTests", uses: "AudioCore", "AudioFileStreamServices", "HostSystem", "Songs", "StreamTestKit",
            "WebServerKit"),
        tests("AudioDecodingTests", uses: "AudioCore", "AudioDecoding"),
        tests("FileDecodingTests", uses: "AudioCore", "AudioDecoding", "AudioFileStreamServices", "StreamTestKit"),
        tests(
            "MPEGDecodingTests", uses: "AudioCore", "AudioDecoding", "AudioFileStreamServices", "MPEGDecoding",
            "StreamTestKit"),
        tests(
            "LibavcodecDecodingTests", uses: "decode-worker", "AudioCore", "AudioDecoding", "AudioFileStreamServices",
            "AudioQueueServices", "HostSystem", "LibavcodecDecoding", "MPEGDecoding", "Playout", "Songs",
            "StreamTestKit", "VirtualDevices"),
        tests(
            "AudioFileWritingTests", uses: "AudioCore", "AudioFileStreamServices", "AudioFileWriting", "StreamTestKit"),
        tests("SongDecodingTests", uses: "AudioCore", "AudioDecoding", "MPEGDecoding", "Songs", "StreamTestKit")),

    testRoom(
        "Clock",
        tests("ClockSyncTests", uses: "AudioCore", "ClockSync"),
        tests("ClockExchangeTests", uses: "AudioCore", "CLinux", "ClockExchange", "ClockSync", "HostSystem", "LANKit")),

    testRoom(
        "Sound",
        tests("PlayoutTests", uses: "AudioCore", "Playout"),
        tests("CaptureTests", uses: "AudioCore", "Playout"),
        tests(
            "ALSAOutputTests", uses: "ALSADevices", "AudioCore", "AudioDecoding", "AudioFileStreamServices", "Playout",
            "StreamTestKit"),
        tests("RecordingSidecarTests", uses: "AudioCore", "VirtualDevices"),
        tests("VirtualOutputTests", uses: "AudioCore", "HostSystem", "Playout", "VirtualDevices"),
        tests("AudioQueueTests", uses: "AudioCore", "AudioDecoding", "AudioQueueServices", "HostSystem", "Playout"),
        // On the software sound card.
        tests(
            "OutputTests", uses: "ALSADevices", "AudioCore", "AudioDecoding", "AudioQueueServices", "HeardAnalysis",
            "HostSystem", "LANKit", "Playout", "SoundCardKit", "VirtualDevices"),
        tests(
            "InputTests", uses: "ALSADevices", "AudioCore", "AudioFileWriting", "AudioQueueServices", "HeardAnalysis",
            "HostSystem", "LANKit", "Playout", "Recording", "SoundCardKit", "StreamTestKit")),

    testRoom(
        "Network",
        tests("DiscoveryTests", uses: "AudioCore", "CAvahi", "Discovery", "WireProtocol"),
        tests("DiscoveryLANTests", uses: "LANKit"),
        tests("WireProtocolTests", uses: "AudioCore", "WireProtocol", nioCore),
        tests("PeeringTests", uses: "AudioCore", "Peering", "SecureChannel", "WireProtocol", nioCore),
        tests("CryptographyTests", uses: "Cryptography"),
        tests("SecureChannelTests", uses: "Cryptography", "SecureChannel", "StreamTestKit", "WireProtocol", nioCore),
        tests("PairingTests", uses: "AudioCore", "Cryptography", "Pairing", "SecureChannel"),
        tests(
            "HouseholdsTests", uses: "AudioCore", "Cryptography", "Households", "SecureChannel", "StreamTestKit",
            nioCore)),

    testRoom(
        "Sessions",
        tests(
            "BroadcastingTests", uses: "AudioCore", "AudioDecoding", "Broadcasting", "ClockSync", "Households",
            "Peering", "Programmes", "SecureChannel", "WireProtocol", nioCore),
        tests(
            "ListeningTests", uses: "AudioCore", "ClockSync", "Households", "Listening", "Peering", "Playout",
            "SecureChannel", "WireProtocol", nioCore),
        tests(
            "ControllingTests", uses: "AudioCore", "Broadcasting", "Controlling", "Households", "Peering", "Programmes",
            "SecureChannel", "WireProtocol", nioCore),
        tests(
            "ObservingTests", uses: "AudioCore", "Households", "Observing", "Peering", "SecureChannel", "WireProtocol",
            nioCore),
        tests(
            "HouseholdSessionsTests", uses: "AudioCore", "Cryptography", "HouseholdSessions", "Households", "Pairing",
            "Peering", "SecureChannel", "WireProtocol", nioCore),
        tests("ProgrammesTests", uses: "AudioCore", "Programmes", "StreamTestKit", "WireProtocol"),
        tests("RecordingTests", uses: "AudioCore", "AudioDecoding", "AudioFileWriting", "Recording", "StreamTestKit"),
        tests(
            "SessionExecutionTests", uses: "AudioCore", "AudioDecoding", "AudioQueueServices", "Broadcasting",
            "ClockSync", "HostSystem", "Listening", "Peering", "Playout", "Programmes", "SessionExecution",
            "WireProtocol", nioCore)),

    testRoom(
        "App",
        tests(
            "TuttiRuntimeTests", uses: "tutti", "AudioCore", "AudioDecoding", "AudioQueueServices", "Broadcasting",
            "ClockSync", "Controlling", "Discovery", "HostSystem", "Households", "LANKit", "LibavcodecDecoding",
            "Listening", "MPEGDecoding", "Observing", "PeerSocketKit", "Peering", "Playout", "Programmes",
            "SecureChannel", "SessionExecution", "Songs", "StreamTestKit", "TuttiRuntime", "WebServerKit",
            "WireProtocol", nioCore, nioPosix),
        tests(
            "WebServerTests", uses: "StreamTestKit", "WebServer", nioCore, nioPosix, nioHTTP1, nioWebSocket,
            nioEmbedded, nioTLS, nioSSL),
        tests(
            "DiagnosisTests", uses: "AudioCore", "AudioDecoding", "Diagnosis", "Discovery", "HostSystem",
            "LibavcodecDecoding", "Peering", "Playout", "StreamTestKit", "TuttiRuntime", "WireProtocol"),
        tests("DesktopRemoteTests", uses: "AudioCore", "DesktopRemote"),
        tests("TOMLTests", uses: "StreamTestKit", "TOML"),
        tests("TerminalIOTests", uses: "TerminalIO"),
        tests(
            "PlayerScreenTests", uses: "AudioCore", "Controlling", "MusicLibrary", "PlayerScreen", "Songs",
            "TerminalIO", "WireProtocol"),
        tests(
            "ProgrammeJSONTests", uses: "AudioCore", "Controlling", "MusicLibrary", "ProgrammeJSON", "StreamTestKit",
            "WireProtocol"),
        tests(
            "WebRemoteTests", uses: "AudioCore", "AudioDecoding", "CZlib", "Controlling", "Cryptography",
            "MPEGDecoding", "ProgrammeJSON", "StreamTestKit", "WebPage", "WebRemote", "WebServer", "WireProtocol",
            nioCore, nioEmbedded, nioHTTP1, nioPosix),
        tests("MusicLibraryTests", uses: "tutti", "AudioCore", "LANKit", "MusicLibrary", "StreamTestKit"),
        tests(
            "TuttiTests", uses: "tutti", "AudioCore", "AudioDecoding", "AudioFileWriting", "Broadcasting",
            "Controlling", "Diagnosis", "HouseholdSessions", "Households", "Listening", "Observing", "Pairing",
            "Peering", "Playout", "ProgrammeJSON", "Recording", "SecureChannel", "ServiceManager", "Songs",
            "StreamTestKit", "TerminalIO", "TuttiRuntime", "WebRemote", "WireProtocol")),

    // Many modules or whole programs at once: simulated, as processes, on networks of their own, beside others'
    // programs.
    testRoom(
        "Integration",
        // The package itself: which target uses which.
        tests("LayerTests", uses: "StreamTestKit"),
        tests(
            "SimulationTests", uses: "AudioCore", "Broadcasting", "CSodium", "ClockSync", "Cryptography",
            "HouseholdSessions", "Households", "Listening", "Pairing", "Peering", "Playout", "SecureChannel",
            "SimulationKit", "WireProtocol"),
        tests(
            "ProgramRecordingTests", uses: "example-embed", "example-play", "example-record", "flooding-controller",
            "tutti", "HeardAnalysis", "LANKit", "SoundCardKit", "StreamTestKit", "WebServerKit"),
        tests(
            "EndToEndTests", uses: "Cryptography", "HeardAnalysis", "Households", "LANKit", "SecureChannel",
            "SoundCardKit", "TestbedKit"),
        // The page for browsers, in Chromium.
        tests(
            "PageEndToEndTests", uses: "BrowserKit", "HeardAnalysis", "LANKit", "SoundCardKit", "StreamTestKit",
            "TestbedKit"),
        tests("DemoEndToEndTests", uses: "LANKit"),
        tests("RealTimeTests", uses: "HeardAnalysis", "LANKit", "SoundCardKit"),
        tests(
            "BenchmarkTests", uses: "benchmark-command", "benchmark-sync", "AudioCore", "HeardAnalysis", "TestbedKit",
            "VirtualDevices"),
        // Parsers and decoders beside those of other projects, on songs from every encoder.
        tests(
            "ConformanceTests", uses: "decode-worker", "AudioCore", "AudioDecoding", "AudioFileStreamServices",
            "LibavcodecDecoding", "MPEGDecoding", "Songs")),

    // Inputs that Scripts/fuzz found, and what it and the tests do with them.
    testRoom(
        "Fuzz",
        library(
            "FuzzTargets", uses: "AudioCore", "AudioDecoding", "AudioFileStreamServices", "LibavcodecDecoding",
            "MPEGDecoding"),
        library(
            "PeerFuzzTargets", uses: "AudioCore", "AudioDecoding", "AudioFileStreamServices", "AudioFileWriting",
            "Broadcasting", "ClockSync", "Cryptography", "Discovery", "HouseholdSessions", "Households",
            "LibavcodecDecoding", "Listening", "Pairing", "Peering", "Playout", "Programmes", "Recording",
            "SecureChannel", "Songs", "TOML", "WireProtocol", nioCore),
        library(
            "WebFuzzTargets", uses: "AudioCore", "ProgrammeJSON", "WebServer", "WireProtocol", nioCore, nioEmbedded),
        tests("FuzzTests", uses: "FuzzTargets", "StreamTestKit"),
        tests("PeerFuzzTests", uses: "PeerFuzzTargets", "StreamTestKit"),
        tests("WebFuzzTests", uses: "StreamTestKit", "WebFuzzTargets")),
]

let package = Package(
    name: "tutti",
    products: [
        // Bytes of a container to packets. Swift's standard library, nothing else.
        .library(name: "AudioFileStreamServices", targets: ["AudioFileStreamServices"]),
        // Packets in, sound out; sound in, buffers out: on a device of one of the three products that follow.
        .library(name: "AudioQueueServices", targets: ["AudioQueueServices"]),
        .library(name: "ALSADevices", targets: ["ALSADevices"]),
        .library(name: "RealtimeKitClient", targets: ["RealtimeKitClient"]),
        .library(name: "VirtualDevices", targets: ["VirtualDevices"]),
        // Decoders beyond PCM, G.711 and IMA 4:1.
        .library(name: "MPEGDecoding", targets: ["MPEGDecoding"]),
        // Frames to WAVE, AIFF and CAF files.
        .library(name: "AudioFileWriting", targets: ["AudioFileWriting"]),
        // A broadcaster or a listener in a program of one's own.
        .library(name: "TuttiRuntime", targets: ["TuttiRuntime"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.6"),
    ],
    targets: (layers + testRooms).flatMap { $0 }
)
