import BrowserKit
import Glibc
import HeardAnalysis
import LANKit
import SoundCardKit
import TestbedKit

/// Many browsers that listen, by real WebSockets, on one host with many addresses.
func measureMany(_ options: Options, into report: inout Report) throws {
    let lan = try LAN(hosts: 2)
    let song = lan.path("song.wav")
    try MeasuringSong(seconds: manySeconds + 120).write(to: song)
    let broadcast = try lan[0].spawn([options.common.program, "broadcast", song, "--now", "--idle"])
    try broadcast.waitForLine(containing: "page for browsers", within: 10)
    // A server takes so many of one address: three connections for each.
    let sources = (0..<(options.browserCount + 9) / 10).map { "10.77.0.\(100 + $0)" }
    for source in sources {
        guard try lan[1].run(["ip", "address", "add", source + "/24", "dev", "eth0"]).status == .exited(0) else {
            throw LANError.commandFailed("ip address add \(source)")
        }
    }
    let load = try lan[1].spawn(
        [buildDirectory + "/browser-load", lan[0].address, "28885", "\(options.browserCount)", "\(manySeconds)"]
            + sources)
    try load.waitForLine(containing: "browsers joined", within: 60)
    // What joining costs is not counted: all are sent ten seconds of song then.
    usleep(15_000_000)
    let before = processorSeconds(of: broadcast.pid)
    usleep(useconds_t((manySeconds - 20) * 1e6))
    let after = processorSeconds(of: broadcast.pid)
    _ = try load.wait(within: 60)
    let isAlive = broadcast.isRunning
    broadcast.signal(SIGINT)
    _ = try broadcast.wait(within: 10)
    tell("  \(load.errors)  \(load.output)")
    guard let result = JSON(parsing: load.output.utf8), let before, let after, isAlive else {
        throw LANError.commandFailed("the load: \(load.errors)\(load.output)\(broadcast.errors)")
    }
    let count = Double(options.browserCount)
    report.add(
        "\(options.browserCount) browsers for \(fixed(manySeconds, 0)) s",
        [
            Row(
                title: "browsers that were not served to the end",
                value: result["whole"].number.map { count - min($0, result["welcome"].number ?? 0) }, limit: 0,
                unit: ""),
            Row(title: "gaps in what they were sent", value: result["gaps"].number, limit: 0, unit: ""),
            Row(title: "messages that came too late", value: result["late"].number, limit: 0, unit: ""),
            Row(
                title: "processor time of the broadcaster, of one core",
                value: (after - before) / (manySeconds - 20) * 100, limit: 100, unit: "%"),
            Row(
                title: "longest clock exchange", value: result["longestClockRoundTripMilliseconds"].number, limit: nil,
                unit: "ms"),
        ])
}

private let manySeconds = 60.0

/// What a process has used so far, as proc(5) tells; nil where it is no more.
private func processorSeconds(of process: pid_t) -> Double? {
    guard let file = fopen("/proc/\(process)/stat", "re") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4_096)
    let text = String(decoding: bytes[..<fread(&bytes, 1, bytes.count, file)], as: UTF8.self)
    // The second field, the name, may hold spaces. utime and stime are the 14th and 15th field.
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 12, let user = Double(fields[11]), let system = Double(fields[12]) else { return nil }
    return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
}
