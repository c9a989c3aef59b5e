/// What is started to decode: a program that calls `DecodeWorker.run`.
public struct WorkerProgram: Hashable, Sendable {
    public var path: String
    /// Without the program's name.
    public var arguments: [String]

    public init(path: String, arguments: [String] = []) {
        self.path = path
        self.arguments = arguments
    }

    /// This program itself, with the argument that makes it a worker.
    public static let itself = WorkerProgram(path: "/proc/self/exe", arguments: [DecodeWorker.argument])
}
