import Glibc
import LANKit
import SoundCardKit

/// How Chromium is started.
enum Chromium {
    static func start(
        on host: LANHost, card: SoftwareCard?, flags: [String], in directory: String
    ) throws -> Browser.Start {
        let commands = try makeChannel()
        let messages = try makeChannel()
        let channel = CommandChannel(
            reading: messages.reading, writing: commands.writing, framing: NULFraming())
        defer {
            close(commands.reading)
            close(messages.writing)
        }
        // It takes commands from descriptor 3 and answers on 4, of which the host needs the first for itself.
        let shell = ["/bin/sh", "-c", "exec \"$@\" 3<&5 4>&6 5<&- 6>&-", "sh"]
        let process = try host.spawn(
            shell + [BrowserKind.chromium.executable] + Self.flags(profile: directory) + flags + ["about:blank"],
            card: card, environment: ["HOME": directory],
            // It plays only where ALSA lists a card.
            preloads: card == nil ? [] : [buildDirectory + "/libCardListing.so"],
            descriptors: [commands.reading: 5, messages.writing: 6])
        return Browser.Start(channel: channel, process: process)
    }

    private static func flags(profile: String) -> [String] {
        [
            "--headless=new", "--remote-debugging-pipe", "--user-data-dir=\(profile)/profile",
            // Root has no sandbox, and namespaces have no graphics.
            "--no-sandbox", "--disable-gpu",
            // Nothing of its own on the network, no questions, no crash reports.
            "--no-first-run", "--no-default-browser-check", "--no-proxy-server", "--disable-background-networking",
            "--disable-component-update", "--disable-sync", "--disable-breakpad", "--password-store=basic",
            "--lang=en-US",
        ]
    }
}
