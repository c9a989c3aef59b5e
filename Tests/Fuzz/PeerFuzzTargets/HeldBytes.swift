import NIOCore

/// About how many bytes a value holds, with all that it refers to.
func heldByteCount(of value: Any) -> Int {
    switch value {
    case let bytes as [UInt8]: return bytes.count
    case let text as String: return text.utf8.count
    case let buffer as ByteBuffer: return buffer.readableBytes
    default:
        let mirror = Mirror(reflecting: value)
        let inherited = mirror.superclassMirror?.children.map(\.value) ?? []
        return (mirror.children.map(\.value) + inherited).reduce(8) { $0 + heldByteCount(of: $1) }
    }
}
