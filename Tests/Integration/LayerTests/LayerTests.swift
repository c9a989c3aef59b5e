import StreamTestKit
import Testing

/// Dependencies go down: the manifest names the layers from the bottom up, and the folders show them.
@Suite(.timeLimit(.minutes(5))) struct LayerTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    @Test func aTargetUsesItsOwnLayerAndLowerOnes() throws {
        let manifest = try Manifest(ofPackageAt: Self.root)
        #expect(manifest.layers.count > 2 && manifest.layers.last == "Tests", "layers: \(manifest.layers)")
        let upward = upwardDependencies(
            layers: manifest.layers, layerOfTarget: manifest.layerOfTarget, dependencies: manifest.dependencies)
        #expect(upward == [])
    }

    @Test func aDependencyThatGoesUpIsFound() {
        let layerOfTarget = ["Frames": "Core", "Rates": "Core", "Parser": "Media", "Decoder": "Media"]
        func upward(_ dependencies: [String: [String]]) -> [String] {
            upwardDependencies(layers: ["Core", "Media"], layerOfTarget: layerOfTarget, dependencies: dependencies)
        }
        #expect(upward(["Frames": ["Rates"], "Parser": ["Decoder", "Frames"]]) == [])
        #expect(
            upward(["Frames": ["Rates", "Parser"], "Parser": ["Decoder"]]) == [
                "Frames (Core) must not use Parser (Media): a target uses its own layer and lower ones"
            ])
        #expect(
            upward(["Decoder": ["Stranger"]]) == [
                "Decoder (Media) must not use Stranger (in no layer): a target uses its own layer and lower ones"
            ])
    }

    /// One more dependency in the real manifest, from the first target of each layer to the first of the next.
    @Test func aDependencyThatGoesUpByOneLayerIsFound() throws {
        let manifest = try Manifest(ofPackageAt: Self.root)
        let layerOfTarget = manifest.layerOfTarget
        let first = manifest.layers.compactMap { layer in
            manifest.targets.first { layerOfTarget[$0.name] == layer }?.name
        }
        for (lower, higher) in zip(first, first.dropFirst()) {
            var dependencies = manifest.dependencies
            dependencies[lower, default: []].append(higher)
            let upward = upwardDependencies(
                layers: manifest.layers, layerOfTarget: layerOfTarget, dependencies: dependencies)
            #expect(upward.count == 1 && upward[0].hasPrefix("\(lower) "), "\(lower) to \(higher): \(upward)")
        }
    }

    @Test func everyFolderOfALayerIsATarget() throws {
        let manifest = try Manifest(ofPackageAt: Self.root)
        let directory = TemporaryDirectory()
        try Tool.run(
            "find '\(Self.root)/Sources' -mindepth 2 -maxdepth 2 -printf 'Sources/%P\\n' > folders", in: directory)
        let found = String(decoding: try Tool.readFile(directory.path + "/folders"), as: UTF8.self)
        let folders = Set(found.split(separator: "\n").map(String.init))
        let targets = Set(manifest.targets.map { $0.folder }.filter { $0.hasPrefix("Sources/") })
        #expect(folders.subtracting(targets).sorted() == [], "are in the folders of layers, and no targets")
        #expect(targets.subtracting(folders).sorted() == [], "are targets, and not in the folder of a layer")
    }

    /// Scripts/fuzz builds targets in a package of its own, with sanitizers.
    @Test func theFuzzersPackageUsesWhatTheManifestSays() throws {
        let manifest = try Manifest(ofPackageAt: Self.root)
        let directory = TemporaryDirectory()
        try Tool.run(
            "sed -n '/<<.PACKAGE/,/^PACKAGE/{//!p}' '\(Self.root)/Scripts/fuzz' > Package.swift", in: directory)
        let fuzzers = try Manifest(ofPackageAt: directory.path)
        #expect(fuzzers.dependencies.count > 10)
        for (target, used) in fuzzers.dependencies {
            guard let expected = manifest.dependencies[target] else { continue }
            #expect(used.sorted() == expected.sorted(), "\(target) in Scripts/fuzz")
            #expect(used.allSatisfy { fuzzers.dependencies[$0] != nil }, "\(target) in Scripts/fuzz")
        }
    }

    @Test func theTestsOfATargetAreInTheRoomOfItsLayer() throws {
        let manifest = try Manifest(ofPackageAt: Self.root)
        let folders = Dictionary(uniqueKeysWithValues: manifest.targets.map { ($0.name, $0.folder) })
        for (name, folder) in manifest.targets where folder.hasPrefix("Sources/") {
            guard let tests = folders[name + "Tests"] else { continue }
            #expect(tests == "Tests/\(folder.dropFirst("Sources/".count))Tests", "the tests of \(name)")
        }
    }
}
