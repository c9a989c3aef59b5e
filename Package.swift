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

func library(_ name: String, _ dependencies: [Target.Dependency] = [], _ more: [SwiftSetting] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings + more)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A program that tests start; it is no product.
func testTool(_ name: String, at folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Tests/Kit/\(folder)", swiftSettings: settings)
}

func systemLibrary(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

/// A part of the test kit: nothing that ships depends on it.
func kit(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Tests/Kit/\(name)", swiftSettings: settings)
}

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")

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
    targets: [
        // One door per C library.
        systemLibrary("CALSA", pkgConfig: "alsa", apt: "libasound2-dev"),
        systemLibrary("CAvahi", pkgConfig: "avahi-client", apt: "libavahi-client-dev"),
        systemLibrary("CDBus", pkgConfig: "dbus-1", apt: "libdbus-1-dev"),
        systemLibrary("CMPG123", pkgConfig: "libmpg123", apt: "libmpg123-dev"),

        // Vocabulary.
        library("AudioCore"),

        // Containers and codecs.
        library("AudioFileStream", ["AudioCore"]),
        library("SongReading", ["AudioCore", "AudioFileStream", "HostSystem"]),
        // From files, directories and playlists to songs.
        library("SongCollection", ["AudioCore", "SongReading"]),
        // Songs and stations by HTTP, through libcurl, which is loaded at run time.
        .target(name: "CCurl"),
        library(
            "HTTPSource", ["AudioCore", "AudioFileStream", "CCurl", "HostSystem", "SongCollection", "SongReading"]),
        library("AudioDecoding", ["AudioCore"]),
        library("MPEGDecoding", ["AudioCore", "AudioDecoding", "CMPG123"]),

        // Frames to WAVE, AIFF and CAF files that are whole at any moment.
        library("AudioFileWriting", ["AudioCore"]),
        // A broadcast's packets to frames of a file.
        library("TimelineRecording", ["AudioCore", "AudioDecoding", "AudioFileWriting"]),
        // A song's file to a WAVE file, as fast as it goes.
        library("SongDecoding", ["AudioCore", "AudioDecoding", "AudioFileWriting", "SongReading"]),
        // Codecs of FFmpeg's library, which is loaded at run time, in a process that has no rights.
        .target(name: "CSandbox"),
        library("CodecLibrary", ["AudioCore"]),
        library("DecodeWorker", ["AudioCore", "CSandbox", "CodecLibrary"]),
        library("WorkerDecoding", ["AudioCore", "AudioDecoding", "CSandbox", "CodecLibrary", "DecodeWorker"]),

        // Lines under clouds of points: what both clock models are made of.
        library("LineFitting"),

        // Frames to the device, each at its instant.
        .target(name: "CResampling"),
        library("Playout", ["AudioCore", "CResampling", "LineFitting"]),

        // The machine under us: the host clock, threads, real-time rights.
        .target(name: "CRealtime"),
        library("HostSystem", ["AudioCore", "CRealtime"], canary),
        library("RealTimeRights", ["AudioCore", "CDBus", "CRealtime", "HostSystem"]),

        // Session time: estimator and datagrams, and the threads that carry them.
        .target(name: "CLinuxSocket"),
        library("ClockSync", ["AudioCore", "LineFitting"]),
        library("ClockExchange", ["AudioCore", "CLinuxSocket", "ClockSync", "HostSystem"]),
        // Frames from the device, each with its instant.
        library("Capture", ["AudioCore", "Playout"]),
        // Outputs and inputs, and the queues that feed and empty them.
        library("ALSADevices", ["AudioCore", "CALSA", "HostSystem", "Playout"]),
        library("ALSAOutput", ["ALSADevices", "AudioCore", "CALSA", "HostSystem", "Playout", "RealTimeRights"]),
        library(
            "ALSAInput", ["ALSADevices", "AudioCore", "CALSA", "Capture", "HostSystem", "Playout", "RealTimeRights"]),
        library(
            "VirtualOutput", ["AudioCore", "AudioFileWriting", "HostSystem", "Playout", "RecordingSidecar"]),
        library("AudioQueue", ["AudioCore", "AudioDecoding", "Capture", "HostSystem", "Playout"]),
        // What a device captures, into a file.
        library(
            "DeviceRecording", ["AudioCore", "AudioFileWriting", "AudioQueue", "Capture", "HostSystem"]),

        // Discovery by mDNS.
        library("PeerDiscovery", ["AudioCore", "CAvahi"]),

        // What was heard, and when: the sidecar of a recording.
        library("RecordingSidecar", ["AudioCore"]),

        // Between peers.
        library("WireProtocol", ["AudioCore", nioCore]),
        library("Peering", ["AudioCore", "WireProtocol", nioCore]),
        library("Broadcasting", ["AudioCore", "AudioDecoding", "ClockSync", "Peering", "WireProtocol", nioCore]),
        library("Listening", ["AudioCore", "ClockSync", "Peering", "Playout", "WireProtocol", nioCore]),

        library("Observing", ["AudioCore", "Peering", "WireProtocol", nioCore]),

        // What performs the sessions' actions, for the shell and the simulation alike.
        library(
            "SessionExecution",
            [
                "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync", "HostSystem", "Listening",
                "Peering", "Playout", "WireProtocol", nioCore,
            ]),

        // The shell: sockets, threads, wiring.
        library(
            "TuttiRuntime",
            [
                "ALSADevices", "ALSAInput", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioFileWriting",
                "AudioQueue", "Broadcasting", "Capture", "ClockExchange", "ClockSync", "DeviceRecording",
                "HTTPSource", "HostSystem", "Listening", "MPEGDecoding", "Observing", "PeerDiscovery", "Peering",
                "Playout", "SessionExecution", "SongCollection", "SongDecoding", "SongReading", "TimelineRecording",
                "VirtualOutput", "WireProtocol", "WorkerDecoding", nioCore, nioPosix,
            ], canary),

        // The command line.
        .executableTarget(
            name: "tutti",
            dependencies: [
                "AudioCore", "AudioFileWriting", "AudioQueue", "Broadcasting", "Capture", "DecodeWorker", "HostSystem",
                "Listening", "Observing", "Peering", "Playout", "SongDecoding", "SongReading", "TuttiRuntime",
            ],
            swiftSettings: settings),

        // Test kit.
        library(
            "SimulationKit",
            [
                "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync", "HostSystem", "Listening",
                "Peering", "Playout", "SessionExecution", "WireProtocol", nioCore,
            ]),
        .target(
            name: "SoftwareSoundCard", dependencies: ["CALSA"], path: "Tests/Kit/SoftwareSoundCard",
            cSettings: [.define("PIC")], linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "ClockInterposer", path: "Tests/Kit/ClockInterposer", linkerSettings: [.linkedLibrary("m")]),
        .target(name: "DiskWatch", path: "Tests/Kit/DiskWatch"),
        .target(name: "StubbornCurl", path: "Tests/Kit/StubbornCurl"),
        .target(name: "ThreadWatch", dependencies: ["CALSA"], path: "Tests/Kit/ThreadWatch"),
        .executableTarget(name: "lan-host", path: "Tests/Kit/lan-host"),
        .executableTarget(
            name: "radio-link", path: "Tests/Kit/radio-link", linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "WebServerKit", path: "Tests/Kit/WebServerKit", exclude: ["serve.py"], swiftSettings: settings),
        kit("SoundCardKit"),
        kit("LANKit", ["SoundCardKit"]),
        kit("HeardAnalysis", ["AudioCore", "RecordingSidecar"]),
        kit("ConcertKit", ["HeardAnalysis", "LANKit", "SoundCardKit"]),
        testTool(
            "benchmark-sync", at: "benchmark-sync",
            ["AudioCore", "ConcertKit", "HeardAnalysis", "LANKit", "SimulationKit", "SoundCardKit"]),
        // Many listeners of one broadcast, who check what they are sent.
        .target(name: "CLoadPolling", path: "Tests/Kit/CLoadPolling"),
        kit(
            "ListenerLoad",
            [
                "AudioCore", "AudioFileStream", "CLoadPolling", "ClockSync", "HostSystem", "WireProtocol", nioCore,
            ]),
        testTool("listener-load", at: "listener-load", ["LANKit", "ListenerLoad"]),
        .target(name: "AllocationCount", path: "Tests/Kit/AllocationCount"),
        testTool(
            "benchmark-parse", at: "benchmark-parse", ["AllocationCount", "AudioCore", "AudioFileStream"]),
        .executableTarget(
            name: "tutti-heard", dependencies: ["HeardAnalysis"], path: "Tests/Kit/tutti-heard",
            swiftSettings: settings),

        // Tests.
        tests(
            "TuttiRuntimeTests",
            [
                "tutti", "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync", "HostSystem",
                "LANKit", "Listening", "MPEGDecoding", "Observing", "Playout", "SongReading", "StreamTestKit",
                "TuttiRuntime", "WebServerKit", "WireProtocol", "WorkerDecoding", nioCore, nioPosix,
            ]),
        tests("AudioCoreTests", ["AudioCore"]),
        .target(
            name: "StreamTestKit", dependencies: ["AudioCore"], path: "Tests/StreamTestKit", swiftSettings: settings),
        tests("AudioFileStreamTests", ["AudioCore", "AudioFileStream", "StreamTestKit"]),
        tests("SongReadingTests", ["AudioCore", "AudioFileStream", "HostSystem", "SongReading", "StreamTestKit"]),
        tests(
            "HTTPSourceTests",
            [
                "AudioCore", "AudioFileStream", "HTTPSource", "HostSystem", "SongReading", "StreamTestKit",
                "WebServerKit",
            ]),
        tests("SongCollectionTests", ["AudioCore", "SongCollection", "SongReading", "StreamTestKit"]),
        tests("AudioFileWritingTests", ["AudioCore", "AudioFileStream", "AudioFileWriting", "StreamTestKit"]),
        tests(
            "TimelineRecordingTests",
            ["AudioCore", "AudioDecoding", "AudioFileWriting", "StreamTestKit", "TimelineRecording"]),
        tests(
            "SongDecodingTests",
            ["AudioCore", "AudioDecoding", "MPEGDecoding", "SongDecoding", "SongReading", "StreamTestKit"]),
        tests("AudioDecodingTests", ["AudioCore", "AudioDecoding"]),
        tests("FileDecodingTests", ["AudioCore", "AudioDecoding", "AudioFileStream", "StreamTestKit"]),
        tests(
            "MPEGDecodingTests", ["AudioCore", "AudioDecoding", "AudioFileStream", "MPEGDecoding", "StreamTestKit"]),
        tests(
            "ConformanceTests",
            [
                "decode-worker", "AudioCore", "AudioDecoding", "AudioFileStream", "MPEGDecoding", "SongReading",
                "WorkerDecoding",
            ]),
        .target(
            name: "FuzzTargets",
            dependencies: ["AudioCore", "AudioDecoding", "AudioFileStream", "CodecLibrary", "MPEGDecoding"],
            path: "Tests/Fuzz/Targets", swiftSettings: settings),
        tests("FuzzTests", ["FuzzTargets", "StreamTestKit"]),
        .target(
            name: "PeerFuzzTargets",
            dependencies: [
                "AudioCore", "Broadcasting", "ClockSync", "Listening", "PeerDiscovery", "Peering", "Playout",
                "WireProtocol", nioCore,
            ],
            path: "Tests/Fuzz/PeerTargets", swiftSettings: settings),
        tests("PeerFuzzTests", ["PeerFuzzTargets", "StreamTestKit"]),
        tests("RecordingSidecarTests", ["AudioCore", "RecordingSidecar"]),
        tests("HeardAnalysisTests", ["AudioCore", "HeardAnalysis", "RecordingSidecar"]),
        tests("EndToEndTests", ["ConcertKit", "HeardAnalysis", "LANKit", "SoundCardKit"]),
        tests("ConcertKitTests", ["ConcertKit", "HeardAnalysis", "LANKit"]),
        tests(
            "ListenerLoadTests",
            ["listener-load", "tutti", "AudioCore", "ListenerLoad", "StreamTestKit", "WireProtocol", nioCore]),
        tests("BenchmarkTests", ["benchmark-sync", "ConcertKit"]),
        tests("LANKitTests", ["LANKit", "SoundCardKit"]),
        tests("PeerDiscoveryLANTests", ["LANKit"]),
        tests("DemoEndToEndTests", ["LANKit"]),
        tests("SoftwareSoundCardTests", ["CALSA", "HeardAnalysis", "SoundCardKit"]),
        tests("LineFittingTests", ["LineFitting"]),
        tests("PlayoutTests", ["AudioCore", "Playout"]),
        tests("WireProtocolTests", ["WireProtocol", "AudioCore", nioCore]),
        tests(
            "BroadcastingTests",
            ["Broadcasting", "AudioCore", "AudioDecoding", "ClockSync", "Peering", "WireProtocol", nioCore]),
        tests(
            "ListeningTests", ["Listening", "AudioCore", "ClockSync", "Peering", "Playout", "WireProtocol", nioCore]),
        tests(
            "SimulationTests",
            [
                "SimulationKit", "AudioCore", "Broadcasting", "ClockSync", "Listening", "Peering", "Playout",
                "WireProtocol",
            ]),
        tests(
            "SessionExecutionTests",
            [
                "SessionExecution", "AudioCore", "AudioDecoding", "AudioQueue", "Broadcasting", "ClockSync",
                "HostSystem", "Listening", "Peering", "Playout", "WireProtocol", nioCore,
            ]),
        tests("ObservingTests", ["AudioCore", "Observing", "Peering", "WireProtocol", nioCore]),
        tests("PeeringTests", ["Peering", "AudioCore", "WireProtocol", nioCore]),
        tests("PeerDiscoveryTests", ["PeerDiscovery", "AudioCore"]),
        tests(
            "ALSAOutputTests",
            [
                "ALSADevices", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioFileStream", "Playout",
                "StreamTestKit",
            ]),
        tests("VirtualOutputTests", ["AudioCore", "HostSystem", "Playout", "RecordingSidecar", "VirtualOutput"]),
        tests("AudioQueueTests", ["AudioCore", "AudioDecoding", "AudioQueue", "HostSystem", "Playout"]),
        .target(name: "CThreadFilter", path: "Tests/Kit/CThreadFilter"),
        testTool("decode-worker", at: "decode-worker", ["CThreadFilter", "DecodeWorker"]),
        tests(
            "WorkerDecodingTests",
            [
                "decode-worker", "AudioCore", "AudioDecoding", "AudioFileStream", "AudioQueue", "CodecLibrary",
                "DecodeWorker", "HostSystem", "MPEGDecoding", "Playout", "SongDecoding", "SongReading",
                "StreamTestKit", "VirtualOutput", "WorkerDecoding",
            ]),
        // The code of the audio queue's articles.
        testTool(
            "example-play", at: "example-play",
            ["ALSAOutput", "AudioDecoding", "AudioFileStream", "AudioQueue", "HostSystem", "MPEGDecoding"]),
        testTool(
            "example-record", at: "example-record",
            ["ALSAInput", "AudioCore", "AudioFileWriting", "AudioQueue", "HostSystem"]),
        testTool("discovery-probe", at: "DiscoveryProbe", ["PeerDiscovery", "AudioCore"]),
        testTool("impostor", at: "Impostor", ["AudioCore", "PeerDiscovery", "WireProtocol", nioCore]),
        tests(
            "OutputTests",
            [
                "ALSADevices", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioQueue", "HeardAnalysis", "HostSystem",
                "LANKit", "Playout", "SoundCardKit", "VirtualOutput",
            ]),
        tests("CaptureTests", ["AudioCore", "Capture", "Playout"]),
        tests(
            "InputTests",
            [
                "ALSAInput", "AudioCore", "AudioFileWriting", "AudioQueue", "Capture", "DeviceRecording",
                "HeardAnalysis", "HostSystem", "LANKit", "Playout", "SoundCardKit",
            ]),
        testTool(
            "realtime-probe", at: "RealTimeProbe",
            [
                "ALSAInput", "ALSAOutput", "AudioCore", "AudioDecoding", "AudioQueue", "HostSystem", "Playout",
                "SoundCardKit",
            ]),
        tests("RealTimeTests", ["HeardAnalysis", "LANKit", "SoundCardKit"]),
        tests("RealTimeRightsTests", ["AudioCore", "CDBus", "CRealtime", "HostSystem", "LANKit", "RealTimeRights"]),
        tests("HostSystemTests", ["AudioCore", "HostSystem"]),
        tests(
            "TuttiTests",
            [
                "tutti", "AudioCore", "AudioDecoding", "AudioFileWriting", "Broadcasting", "Capture", "Listening",
                "Observing", "Peering", "Playout", "SongReading", "TimelineRecording", "TuttiRuntime", "WireProtocol",
            ]),
        // Of the program itself, run as a process.
        tests(
            "RecordingTests",
            [
                "example-play", "example-record", "tutti", "HeardAnalysis", "SoundCardKit", "StreamTestKit",
                "WebServerKit",
            ]),
        tests("ClockSyncTests", ["AudioCore", "ClockSync"]),
        tests(
            "ClockExchangeTests",
            ["AudioCore", "CLinuxSocket", "ClockExchange", "ClockSync", "HostSystem", "LANKit"]),
    ]
)

/// Folders, and the targets in them.
let folders = [
    "Sources/CModules": [
        "CALSA", "CAvahi", "CDBus", "CMPG123", "CCurl", "CLinuxSocket", "CRealtime", "CResampling", "CSandbox",
    ],
    "Sources/Core": ["AudioCore", "LineFitting"],
    "Sources/Host": ["HostSystem", "RealTimeRights"],
    "Sources/Media": [
        "AudioFileStream", "SongReading", "SongCollection", "HTTPSource", "AudioDecoding", "MPEGDecoding",
        "CodecLibrary", "DecodeWorker", "WorkerDecoding", "AudioFileWriting", "SongDecoding",
    ],
    "Sources/Clock": ["ClockSync", "ClockExchange"],
    "Sources/Sound": [
        "Playout", "Capture", "ALSADevices", "ALSAOutput", "ALSAInput", "RecordingSidecar", "VirtualOutput",
        "AudioQueue",
    ],
    "Sources/Network": ["PeerDiscovery", "WireProtocol", "Peering"],
    "Sources/Sessions": [
        "Broadcasting", "Listening", "Observing", "TimelineRecording", "DeviceRecording", "SessionExecution",
    ],
    "Sources/App": ["TuttiRuntime", "tutti"],
    "Tests/Kit": [
        "StreamTestKit", "WebServerKit", "SimulationKit", "SoftwareSoundCard", "ClockInterposer", "DiskWatch",
        "StubbornCurl", "ThreadWatch", "SoftwareSoundCardTests", "lan-host", "radio-link", "SoundCardKit", "LANKit",
        "HeardAnalysis", "tutti-heard", "ConcertKit", "LANKitTests", "HeardAnalysisTests", "ConcertKitTests",
        "CLoadPolling", "ListenerLoad", "listener-load", "ListenerLoadTests", "benchmark-sync", "AllocationCount",
        "benchmark-parse", "CThreadFilter", "decode-worker", "discovery-probe", "impostor", "realtime-probe",
        "example-play", "example-record",
    ],
    "Tests/Core": ["AudioCoreTests", "LineFittingTests"],
    "Tests/Host": ["HostSystemTests", "RealTimeRightsTests"],
    "Tests/Media": [
        "AudioFileStreamTests", "SongReadingTests", "SongCollectionTests", "HTTPSourceTests", "AudioDecodingTests",
        "FileDecodingTests", "MPEGDecodingTests", "WorkerDecodingTests", "AudioFileWritingTests", "SongDecodingTests",
    ],
    "Tests/Clock": ["ClockSyncTests", "ClockExchangeTests"],
    "Tests/Sound": [
        "PlayoutTests", "CaptureTests", "ALSAOutputTests", "RecordingSidecarTests", "VirtualOutputTests",
        "AudioQueueTests", "OutputTests", "InputTests",
    ],
    "Tests/Network": ["PeerDiscoveryTests", "PeerDiscoveryLANTests", "WireProtocolTests", "PeeringTests"],
    "Tests/Sessions": [
        "BroadcastingTests", "ListeningTests", "ObservingTests", "TimelineRecordingTests", "SessionExecutionTests",
    ],
    "Tests/App": ["TuttiRuntimeTests", "TuttiTests"],
    "Tests/Integration": [
        "SimulationTests", "RecordingTests", "EndToEndTests", "DemoEndToEndTests", "RealTimeTests", "BenchmarkTests",
        "ConformanceTests",
    ],
    "Tests/Fuzz": ["FuzzTargets", "PeerFuzzTargets", "FuzzTests", "PeerFuzzTests"],
]
for target in package.targets {
    if let folder = folders.first(where: { $0.value.contains(target.name) })?.key {
        target.path = "\(folder)/\(target.name)"
    }
}
