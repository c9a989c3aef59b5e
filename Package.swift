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

/// A layer: its targets are the folders of Sources/NAME.
func layer(_ name: String, _ targets: [Target]) -> [Target] { folders(of: "Sources/\(name)", targets) }

/// A room of the tests: its targets are the folders of Tests/NAME.
func testRoom(_ name: String, _ targets: [Target]) -> [Target] { folders(of: "Tests/\(name)", targets) }

func folders(of folder: String, _ targets: [Target]) -> [Target] {
    for target in targets { target.path = "\(folder)/\(target.name)" }
    return targets
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = [], _ more: [SwiftSetting] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: settings + more)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

/// From the bottom up: a target uses targets of its own layer and of those that stand before it. LayerTests looks.
let layers = [
    // Modules in C: the headers of one system library each, or the few functions that are written in C.
    layer(
        "CModules",
        [
            systemLibrary("CALSA", pkgConfig: "alsa", apt: "libasound2-dev"),
            systemLibrary("CAvahi", pkgConfig: "avahi-client", apt: "libavahi-client-dev"),
            systemLibrary("CDBus", pkgConfig: "dbus-1", apt: "libdbus-1-dev"),
            systemLibrary("CMPG123", pkgConfig: "libmpg123", apt: "libmpg123-dev"),
            // libcurl is loaded at run time.
            .target(name: "CCurl"),
            .target(name: "CLinuxSocket"),
            .target(name: "CRealtime"),
            .target(name: "CResampling"),
            .target(name: "CSandbox"),
        ]),

    // What all others speak of: times, frames, rates, formats, the push parser's protocol, limits. No system calls.
    layer(
        "Core",
        [
            library("AudioCore"),
            // Lines under clouds of points: what both clock models are made of.
            library("LineFitting"),
        ]),

    // The machine under us: its clock, threads, real-time rights.
    layer(
        "Host",
        [
            library("HostSystem", ["AudioCore", "CRealtime"], canary),
            library("RealTimeRights", ["AudioCore", "CDBus", "CRealtime", "HostSystem"]),
        ]),

    // Songs, wherever they lie, to packets; packets to frames; frames to files.
    layer(
        "Media",
        [
            library("AudioFileStream", ["AudioCore"]),
            library("SongReading", ["AudioCore", "AudioFileStream", "HostSystem"]),
            // From files, directories and playlists to songs.
            library("SongCollection", ["AudioCore", "SongReading"]),
            // Songs and stations by HTTP.
            library(
                "HTTPSource", ["AudioCore", "AudioFileStream", "CCurl", "HostSystem", "SongCollection", "SongReading"]),
            library("AudioDecoding", ["AudioCore"]),
            library("MPEGDecoding", ["AudioCore", "AudioDecoding", "CMPG123"]),
            // Codecs of FFmpeg's library, which is loaded at run time, in a process that has no rights.
            library("CodecLibrary", ["AudioCore"]),
            library("DecodeWorker", ["AudioCore", "CSandbox", "CodecLibrary"]),
            library("WorkerDecoding", ["AudioCore", "AudioDecoding", "CSandbox", "CodecLibrary", "DecodeWorker"]),
            // Frames to WAVE, AIFF and CAF files that are whole at any moment.
            library("AudioFileWriting", ["AudioCore"]),
            // A song's file to a WAVE file, as fast as it goes.
            library("SongDecoding", ["AudioCore", "AudioDecoding", "AudioFileWriting", "SongReading"]),
        ]),

    // Session time: estimator and datagrams, and the threads that carry them.
    layer(
        "Clock",
        [
            library("ClockSync", ["AudioCore", "LineFitting"]),
            library("ClockExchange", ["AudioCore", "CLinuxSocket", "ClockSync", "HostSystem"]),
        ]),

    // Frames to a device and from one, each at its instant; the queues that feed and empty devices.
    layer(
        "Sound",
        [
            library("Playout", ["AudioCore", "CResampling", "LineFitting"]),
            library("Capture", ["AudioCore", "Playout"]),
            library("ALSADevices", ["AudioCore", "CALSA", "HostSystem", "Playout"]),
            library("ALSAOutput", ["ALSADevices", "AudioCore", "CALSA", "HostSystem", "Playout", "RealTimeRights"]),
            library(
                "ALSAInput",
                ["ALSADevices", "AudioCore", "CALSA", "Capture", "HostSystem", "Playout", "RealTimeRights"]),
            // What was heard, and when: the sidecar of a recording.
            library("RecordingSidecar", ["AudioCore"]),
            library("VirtualOutput", ["AudioCore", "AudioFileWriting", "HostSystem", "Playout", "RecordingSidecar"]),
            library("AudioQueue", ["AudioCore", "AudioDecoding", "Capture", "HostSystem", "Playout"]),
        ]),

    // Between peers: discovery by mDNS, messages, connections.
    layer(
        "Network",
        [
            library("PeerDiscovery", ["AudioCore", "CAvahi"]),
            library("WireProtocol", ["AudioCore", nioCore]),
            library("Peering", ["AudioCore", "WireProtocol", nioCore]),
        ]),

    // Broadcasting, listening, observing, recording: events in, actions out, no sockets and no threads.
    layer(
        "Sessions",
        [
            library("Broadcasting", ["AudioCore", "AudioDecoding", "ClockSync", "Peering", "WireProtocol", nioCore]),
            library("Listening", ["AudioCore", "ClockSync", "Peering", "Playout", "WireProtocol", nioCore]),
            library("Observing", ["AudioCore", "Peering", "WireProtocol", nioCore]),
            // A broadcast's packets to frames of a file.
            library("TimelineRecording", ["AudioCore", "AudioDecoding", "AudioFileWriting"]),
            // What a device captures, into a file.
            library("DeviceRecording", ["AudioCore", "AudioFileWriting", "AudioQueue", "Capture", "HostSystem"]),
            // What performs the sessions' actions, for the app and the simulation alike.
            library(
                "SessionExecution",
                [
                    "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync", "HostSystem", "Listening",
                    "Peering", "Playout", "WireProtocol", nioCore,
                ]),
        ]),

    // Sockets, threads, wiring; the command line.
    layer(
        "App",
        [
            library(
                "TuttiRuntime",
                [
                    "ALSADevices", "ALSAInput", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioFileWriting",
                    "AudioQueue", "Broadcasting", "Capture", "ClockExchange", "ClockSync", "DecodeWorker",
                    "DeviceRecording", "HTTPSource", "HostSystem", "Listening", "MPEGDecoding", "Observing",
                    "PeerDiscovery", "Peering", "Playout", "SessionExecution", "SongCollection", "SongDecoding",
                    "SongReading", "TimelineRecording", "VirtualOutput", "WireProtocol", "WorkerDecoding", nioCore,
                    nioPosix,
                ], canary),
            program(
                "tutti",
                [
                    "AudioCore", "AudioFileWriting", "AudioQueue", "Broadcasting", "Capture", "HostSystem",
                    "Listening", "Observing", "Peering", "Playout", "SongDecoding", "SongReading",
                    "TuttiRuntime",
                ]),
        ]),
]

/// A room for the tests of each layer, by the layer's name, and three more.
let testRooms = [
    // What tests are made of, and the tests of that; nothing that ships depends on it.
    testRoom(
        "Kit",
        [
            library("StreamTestKit", ["AudioCore"]),
            library("WebServerKit", exclude: ["serve.py"]),
            // Virtual clocks, network and cards.
            library(
                "SimulationKit",
                [
                    "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync", "HostSystem", "Listening",
                    "Peering", "Playout", "SessionExecution", "WireProtocol", nioCore,
                ]),

            // Loaded by processes under test.
            .target(
                name: "SoftwareSoundCard", dependencies: ["CALSA"], cSettings: [.define("PIC")],
                linkerSettings: [.linkedLibrary("m")]),
            .target(name: "ClockInterposer", linkerSettings: [.linkedLibrary("m")]),
            .target(name: "DiskWatch"),
            .target(name: "StubbornCurl"),
            .target(name: "ThreadWatch", dependencies: ["CALSA"]),
            tests("SoftwareSoundCardTests", ["CALSA", "HeardAnalysis", "SoundCardKit"]),

            // Hosts in namespaces, sound cards in software, what was heard on them.
            .executableTarget(name: "lan-host"),
            .executableTarget(name: "radio-link", linkerSettings: [.linkedLibrary("m")]),
            library("SoundCardKit"),
            library("LANKit", ["SoundCardKit"]),
            library("HeardAnalysis", ["AudioCore", "RecordingSidecar"]),
            program("tutti-heard", ["HeardAnalysis"]),
            library("TestbedKit", ["HeardAnalysis", "LANKit", "SoundCardKit"]),
            tests("LANKitTests", ["LANKit", "SoundCardKit"]),
            tests("HeardAnalysisTests", ["AudioCore", "HeardAnalysis", "RecordingSidecar"]),
            tests("TestbedKitTests", ["HeardAnalysis", "LANKit", "TestbedKit"]),

            // Many listeners of one broadcast, who check what they are sent.
            .target(name: "CLoadPolling"),
            library(
                "ListenerLoad",
                [
                    "AudioCore", "AudioFileStream", "CLoadPolling", "ClockSync", "HostSystem", "WireProtocol", nioCore,
                ]),
            program("listener-load", ["LANKit", "ListenerLoad"]),
            tests(
                "ListenerLoadTests",
                ["listener-load", "tutti", "AudioCore", "ListenerLoad", "StreamTestKit", "WireProtocol", nioCore]),

            // Programs that tests and benchmarks start.
            program(
                "benchmark-sync",
                ["AudioCore", "HeardAnalysis", "LANKit", "SimulationKit", "SoundCardKit", "TestbedKit"]),
            .target(name: "AllocationCount"),
            program("benchmark-parse", ["AllocationCount", "AudioCore", "AudioFileStream"]),
            .target(name: "CThreadFilter"),
            program("decode-worker", ["CThreadFilter", "DecodeWorker"]),
            program("discovery-probe", ["PeerDiscovery", "AudioCore"]),
            program("impostor", ["AudioCore", "PeerDiscovery", "WireProtocol", nioCore]),
            program(
                "realtime-probe",
                [
                    "ALSAInput", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioQueue", "HostSystem", "Playout",
                    "SoundCardKit",
                ]),
            // The code of the audio queue's articles.
            program(
                "example-play",
                ["ALSAOutput", "AudioDecoding", "AudioFileStream", "AudioQueue", "HostSystem", "MPEGDecoding"]),
            program(
                "example-record", ["ALSAInput", "AudioCore", "AudioFileWriting", "AudioQueue", "HostSystem"]),
            // That of TuttiRuntime's.
            program("example-embed", ["TuttiRuntime"]),
        ]),

    testRoom(
        "Core",
        [
            tests("AudioCoreTests", ["AudioCore"]),
            tests("LineFittingTests", ["LineFitting"]),
        ]),

    testRoom(
        "Host",
        [
            tests("HostSystemTests", ["AudioCore", "HostSystem"]),
            tests(
                "RealTimeRightsTests", ["AudioCore", "CDBus", "CRealtime", "HostSystem", "LANKit", "RealTimeRights"]),
        ]),

    testRoom(
        "Media",
        [
            tests("AudioFileStreamTests", ["AudioCore", "AudioFileStream", "StreamTestKit"]),
            tests("SongReadingTests", ["AudioCore", "AudioFileStream", "HostSystem", "SongReading", "StreamTestKit"]),
            tests("SongCollectionTests", ["AudioCore", "SongCollection", "SongReading", "StreamTestKit"]),
            tests(
                "HTTPSourceTests",
                [
                    "AudioCore", "AudioFileStream", "HTTPSource", "HostSystem", "SongReading", "StreamTestKit",
                    "WebServerKit",
                ]),
            tests("AudioDecodingTests", ["AudioCore", "AudioDecoding"]),
            tests("FileDecodingTests", ["AudioCore", "AudioDecoding", "AudioFileStream", "StreamTestKit"]),
            tests(
                "MPEGDecodingTests",
                ["AudioCore", "AudioDecoding", "AudioFileStream", "MPEGDecoding", "StreamTestKit"]),
            tests(
                "WorkerDecodingTests",
                [
                    "decode-worker", "AudioCore", "AudioDecoding", "AudioFileStream", "AudioQueue", "CodecLibrary",
                    "DecodeWorker", "HostSystem", "MPEGDecoding", "Playout", "SongDecoding", "SongReading",
                    "StreamTestKit", "VirtualOutput", "WorkerDecoding",
                ]),
            tests("AudioFileWritingTests", ["AudioCore", "AudioFileStream", "AudioFileWriting", "StreamTestKit"]),
            tests(
                "SongDecodingTests",
                ["AudioCore", "AudioDecoding", "MPEGDecoding", "SongDecoding", "SongReading", "StreamTestKit"]),
        ]),

    testRoom(
        "Clock",
        [
            tests("ClockSyncTests", ["AudioCore", "ClockSync"]),
            tests(
                "ClockExchangeTests",
                ["AudioCore", "CLinuxSocket", "ClockExchange", "ClockSync", "HostSystem", "LANKit"]),
        ]),

    testRoom(
        "Sound",
        [
            tests("PlayoutTests", ["AudioCore", "Playout"]),
            tests("CaptureTests", ["AudioCore", "Capture", "Playout"]),
            tests(
                "ALSAOutputTests",
                [
                    "ALSADevices", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioFileStream", "Playout",
                    "StreamTestKit",
                ]),
            tests("RecordingSidecarTests", ["AudioCore", "RecordingSidecar"]),
            tests("VirtualOutputTests", ["AudioCore", "HostSystem", "Playout", "RecordingSidecar", "VirtualOutput"]),
            tests("AudioQueueTests", ["AudioCore", "AudioDecoding", "AudioQueue", "HostSystem", "Playout"]),
            // On the software sound card.
            tests(
                "OutputTests",
                [
                    "ALSADevices", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioQueue", "HeardAnalysis",
                    "HostSystem", "LANKit", "Playout", "SoundCardKit", "VirtualOutput",
                ]),
            tests(
                "InputTests",
                [
                    "ALSAInput", "AudioCore", "AudioFileWriting", "AudioQueue", "Capture", "DeviceRecording",
                    "HeardAnalysis", "HostSystem", "LANKit", "Playout", "SoundCardKit",
                ]),
        ]),

    testRoom(
        "Network",
        [
            tests("PeerDiscoveryTests", ["PeerDiscovery", "AudioCore"]),
            tests("PeerDiscoveryLANTests", ["LANKit"]),
            tests("WireProtocolTests", ["WireProtocol", "AudioCore", nioCore]),
            tests("PeeringTests", ["Peering", "AudioCore", "WireProtocol", nioCore]),
        ]),

    testRoom(
        "Sessions",
        [
            tests(
                "BroadcastingTests",
                ["Broadcasting", "AudioCore", "AudioDecoding", "ClockSync", "Peering", "WireProtocol", nioCore]),
            tests(
                "ListeningTests",
                ["Listening", "AudioCore", "ClockSync", "Peering", "Playout", "WireProtocol", nioCore]),
            tests("ObservingTests", ["AudioCore", "Observing", "Peering", "WireProtocol", nioCore]),
            tests(
                "TimelineRecordingTests",
                ["AudioCore", "AudioDecoding", "AudioFileWriting", "StreamTestKit", "TimelineRecording"]),
            tests(
                "SessionExecutionTests",
                [
                    "SessionExecution", "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync",
                    "HostSystem", "Listening", "Peering", "Playout", "WireProtocol", nioCore,
                ]),
        ]),

    testRoom(
        "App",
        [
            tests(
                "TuttiRuntimeTests",
                [
                    "tutti", "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync", "HostSystem",
                    "LANKit", "Listening", "MPEGDecoding", "Observing", "Playout", "SongReading", "StreamTestKit",
                    "TuttiRuntime", "WebServerKit", "WireProtocol", "WorkerDecoding", nioCore, nioPosix,
                ]),
            tests(
                "TuttiTests",
                [
                    "tutti", "AudioCore", "AudioDecoding", "AudioFileWriting", "Broadcasting", "Capture", "Listening",
                    "Observing", "Peering", "Playout", "SongReading", "TimelineRecording", "TuttiRuntime",
                    "WireProtocol",
                ]),
        ]),

    // Many modules or whole programs at once: simulated, as processes, on networks of their own, beside others' programs.
    testRoom(
        "Integration",
        [
            // The package itself: which target uses which.
            tests("LayerTests", ["StreamTestKit"]),
            tests(
                "SimulationTests",
                [
                    "SimulationKit", "AudioCore", "Broadcasting", "ClockSync", "Listening", "Peering", "Playout",
                    "WireProtocol",
                ]),
            tests(
                "RecordingTests",
                [
                    "example-embed", "example-play", "example-record", "tutti", "HeardAnalysis", "SoundCardKit",
                    "StreamTestKit", "WebServerKit",
                ]),
            tests("EndToEndTests", ["HeardAnalysis", "LANKit", "SoundCardKit", "TestbedKit"]),
            tests("DemoEndToEndTests", ["LANKit"]),
            tests("RealTimeTests", ["HeardAnalysis", "LANKit", "SoundCardKit"]),
            tests("BenchmarkTests", ["benchmark-sync", "TestbedKit"]),
            // Parsers and decoders beside those of other projects, on songs from every encoder.
            tests(
                "ConformanceTests",
                [
                    "decode-worker", "AudioCore", "AudioDecoding", "AudioFileStream", "MPEGDecoding", "SongReading",
                    "WorkerDecoding",
                ]),
        ]),

    // Inputs that Scripts/fuzz found, and what it and the tests do with them.
    testRoom(
        "Fuzz",
        [
            library(
                "FuzzTargets", ["AudioCore", "AudioDecoding", "AudioFileStream", "CodecLibrary", "MPEGDecoding"]),
            library(
                "PeerFuzzTargets",
                [
                    "AudioCore", "Broadcasting", "ClockSync", "Listening", "PeerDiscovery", "Peering", "Playout",
                    "WireProtocol", nioCore,
                ]),
            tests("FuzzTests", ["FuzzTargets", "StreamTestKit"]),
            tests("PeerFuzzTests", ["PeerFuzzTargets", "StreamTestKit"]),
        ]),
]

let package = Package(
    name: "tutti",
    products: [
        .library(name: "AudioCore", targets: ["AudioCore"]),
        .library(name: "AudioFileStream", targets: ["AudioFileStream"]),
        .library(
            name: "AudioQueue",
            targets: [
                "AudioQueue", "ALSAInput", "ALSAOutput", "AudioDecoding", "AudioFileWriting", "MPEGDecoding",
                "VirtualOutput",
            ]),
        .library(name: "Playout", targets: ["Playout"]),
        .library(name: "TuttiRuntime", targets: ["TuttiRuntime"]),
        // Loaded by processes under test, never linked.
        .library(name: "SoftwareSoundCard", type: .dynamic, targets: ["SoftwareSoundCard"]),
        .library(name: "ClockInterposer", type: .dynamic, targets: ["ClockInterposer"]),
        .library(name: "ThreadWatch", type: .dynamic, targets: ["ThreadWatch"]),
        .library(name: "DiskWatch", type: .dynamic, targets: ["DiskWatch"]),
        .library(name: "StubbornCurl", type: .dynamic, targets: ["StubbornCurl"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.2")
    ],
    targets: (layers + testRooms).flatMap { $0 }
)
