import StreamTestKit

/// What the package's manifest says of its targets.
struct Manifest {
    /// Where each target lies, seen from the package, in the manifest's order.
    private(set) var targets: [(name: String, folder: String)] = []
    /// Which targets of the package each target uses.
    private(set) var dependencies: [String: [String]] = [:]
    /// Which targets each product is made of.
    private(set) var products: [String: [String]] = [:]
    /// The pkg-config file of each target that is a system library.
    private(set) var systemLibraries: [String: String] = [:]
    /// Which products of other packages each target uses.
    private(set) var foreignProducts: [String: [String]] = [:]

    /// Evaluates the manifest: nothing is fetched and no target is built.
    init(ofPackageAt root: String) throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "env TMPDIR='\(directory.path)' swift package --package-path '\(root)' --scratch-path build "
                + "dump-package > manifest", in: directory)
        let list = """
            import json
            package = json.load(open("manifest"))
            for target in package["targets"]:
                uses = [(kind, value[0]) for each in target["dependencies"] for kind, value in each.items()]
                print("target", target["name"], target.get("path") or "nowhere", *[n for k, n in uses if k != "product"])
                print("foreign", target["name"], *[n for k, n in uses if k == "product"])
                if target["type"] == "system": print("system", target["name"], target["pkgConfig"])
            for product in package["products"]:
                print("product", product["name"], *product["targets"])
            """
        try Tool.writeFile(directory.path + "/list.py", Array(list.utf8))
        try Tool.run("python3 list.py > targets", in: directory)
        let text = String(decoding: try Tool.readFile(directory.path + "/targets"), as: UTF8.self)
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            switch words[0] {
            case "target":
                targets.append((name: words[1], folder: words[2]))
                dependencies[words[1]] = Array(words.dropFirst(3))
            case "foreign": foreignProducts[words[1]] = Array(words.dropFirst(2))
            case "system": systemLibraries[words[1]] = words[2]
            default: products[words[1]] = Array(words.dropFirst(2))
            }
        }
    }

    /// The targets of a product, and all that these use.
    func closure(of product: String) -> Set<String> {
        var found: Set<String> = []
        var open = products[product, default: []]
        while let target = open.popLast() {
            if found.insert(target).inserted { open += dependencies[target, default: []] }
        }
        return found
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
