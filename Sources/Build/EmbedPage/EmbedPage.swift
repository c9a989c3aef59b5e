import Foundation
import PackagePlugin

/// Makes the page for browsers a part of the program: `Scripts/lib/embed-page` packs the files of a target's folder
/// `page`, and writes them as a source file of that target. The page itself needs no build: a browser gets each file as
/// it stands there.
@main
struct EmbedPage: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "page")
        let files = try FileManager.default
            .contentsOfDirectory(at: folder, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
            .sorted { $0.path < $1.path }
        let script = context.package.directoryURL.appending(path: "Scripts/lib/embed-page")
        let source = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding the page", executable: script, arguments: ([source] + files).map(\.path),
                inputFiles: [script] + files, outputFiles: [source])
        ]
    }
}
