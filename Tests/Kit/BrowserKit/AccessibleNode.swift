/// What assistive technology is told of one part of a page.
public struct AccessibleNode: Sendable, Equatable {
    /// By its ARIA role: `button`, `slider`, `heading`, ...
    public var role: String
    /// What is read out.
    public var name: String
    /// What a field or slider holds, as JSON.
    public var value: JSON
    /// Others by their names: `focusable`, `disabled`, `checked`, ...
    public var properties: [String: JSON]
    /// Parts that hold it, and are not ignored.
    public var depth: Int
}

extension BrowserPage {
    /// The page's accessibility tree from its root on, in the order in which it is read out, without what assistive
    /// technology ignores. Chromium only.
    public func accessibilityTree() throws(BrowserError) -> [AccessibleNode] {
        let nodes = try call("Accessibility.getFullAXTree")["nodes"].elements
        var byID: [String: JSON] = [:]
        for node in nodes { byID[node["nodeId"].string ?? ""] = node }
        var result: [AccessibleNode] = []
        // What is still to be read, the next one last.
        var rest = nodes.prefix(1).map { (node: $0, depth: 0) }
        // No tree is longer than its list of nodes, whatever they say of their children.
        for _ in nodes {
            guard let (node, depth) = rest.popLast() else { break }
            let isIgnored = node["ignored"].boolean == true
            if !isIgnored { result.append(AccessibleNode(node, depth: depth)) }
            let children = node["childIds"].elements.compactMap { byID[$0.string ?? ""] }
            rest += children.reversed().map { (node: $0, depth: isIgnored ? depth : depth + 1) }
        }
        return result
    }
}

extension AccessibleNode {
    fileprivate init(_ node: JSON, depth: Int) {
        let properties = node["properties"].elements.map { ($0["name"].string ?? "", $0["value"]["value"]) }
        self.init(
            role: node["role"]["value"].string ?? "", name: node["name"]["value"].string ?? "",
            value: node["value"]["value"], properties: Dictionary(properties) { $1 }, depth: depth)
    }
}
