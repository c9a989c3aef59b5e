/// What ffprobe finds in a file.
public enum FFprobe {
    /// Offset in the file and size of each packet.
    public static func packets(
        _ name: String, in directory: borrowing TemporaryDirectory
    ) throws(Tool.Failure) -> [(offset: Int, byteCount: Int)] {
        try Tool.run("ffprobe -v error -show_entries packet=pos,size -of csv=p=0 \(name) > \(name).csv", in: directory)
        let text = String(decoding: try Tool.readFile("\(directory.path)/\(name).csv"), as: UTF8.self)
        return text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: ",").compactMap { Int($0) }
            return fields.count == 2 ? (offset: fields[1], byteCount: fields[0]) : nil
        }
    }
}
