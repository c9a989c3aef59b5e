import StreamTestKit

/// What the package's manifest says of its targets.
struct Manifest {
    /// Where each target lies, seen from the package, in the manifest's order.
    private(set) var targets: [(name: String, folder: String)] = []
    /// Which targets of the package each target uses.
    private(set) var dependencies: [String: [String]] = [:]

    /// Evaluates the manifest: nothing is fetched and no target is built.
    init(ofPackageAt root: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "env TMPDIR='\(directory.path)' swift package --package-path '\(root)' --scratch-path build "
                + "dump-package > manifest", in: directory)
        let list = """
            import json
            for target in json.load(open("manifest"))["targets"]:
                uses = [value[0] for each in target["dependencies"] for kind, value in each.items() if kind != "product"]
                print(target["name"], target.get("path") or "nowhere", *uses)
            """
        try Tool.writeFile(directory.path + "/list.py", Array(list.utf8))
        try Tool.run("python3 list.py > targets", in: directory)
        let text = String(decoding: try Tool.readFile(directory.path + "/targets"), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            targets.append((name: words[0], folder: words[1]))
            dependencies[words[0]] = Array(words.dropFirst(2))
        }
    }

    /// Each target's layer: `Core` in `Sources/Core/AudioCore`, and `Tests` for all of the tests.
    var layerOfTarget: [String: String] {
        Dictionary(uniqueKeysWithValues: targets.map { ($0.name, Self.layer(of: $0.folder)) })
    }

    /// In the order in which the manifest comes to them.
    var layers: [String] {
        targets.map { Self.layer(of: $0.folder) }.reduce(into: []) { known, layer in
            if !known.contains(layer) { known.append(layer) }
        }
    }

    private static func layer(of folder: String) -> String {
        let parts = folder.split(separator: "/").map(String.init)
        return parts.count == 3 && parts[0] == "Sources" ? parts[1] : parts[0]
    }
}
