/// The system refused to create an `eventfd` or a timer: its error number.
public struct DescriptorError: Error, Hashable, Sendable {
    public var code: Int32
}
