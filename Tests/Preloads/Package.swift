// swift-tools-version: 6.2
import PackageDescription

// Libraries in C that processes under test load: a sound card, clocks, watchers. A package of its own, so that no
// package that uses Tutti sees them. `build_preloads` in Scripts/lib/common.bash puts them beside the tests.

let names = ["CardListing", "ClockInterposer", "DiskWatch", "SoftwareSoundCard", "StubbornCurl", "ThreadWatch"]

let package = Package(
    name: "preloads",
    products: names.map { .library(name: $0, type: .dynamic, targets: [$0]) },
    targets: [
        // The one of the main package.
        .systemLibrary(name: "CALSA", pkgConfig: "alsa", providers: [.apt(["libasound2-dev"])]),
        .target(name: "CardListing"),
        .target(name: "ClockInterposer", linkerSettings: [.linkedLibrary("m")]),
        .target(name: "DiskWatch"),
        .target(
            name: "SoftwareSoundCard", dependencies: ["CALSA"], cSettings: [.define("PIC")],
            linkerSettings: [.linkedLibrary("m")]),
        .target(name: "StubbornCurl"),
        .target(name: "ThreadWatch", dependencies: ["CALSA"]),
    ]
)
