/// Sixels that were checked: they set no pixel outside the size that they state, and hold nothing that a terminal could
/// take for another command.
struct SixelData {
    let width: Int
    let height: Int
    /// From the raster attributes on, without the terminator.
    let bytes: [UInt8]

    /// Six pixels above each other.
    private static let bandHeight = 6
    private static let largest = 10_000

    /// - Parameter data: what stands between the introducer's final `q` and the terminator.
    init?(_ data: some Sequence<UInt8>) {
        var bytes = data.filter { $0 != 0x0A && $0 != 0x0D }
        // The last row needs no further one; on a screen's last line it would scroll.
        while bytes.last == Command.newLine { bytes.removeLast() }
        var position = 0
        guard let size = Self.rasterSize(bytes, &position), Self.isWithin(size, bytes[position...]) else { return nil }
        (width, height) = size
        self.bytes = bytes
    }

    private enum Command {
        static let rasterAttributes: UInt8 = 0x22
        static let repeats: UInt8 = 0x21
        static let colour: UInt8 = 0x23
        static let carriageReturn: UInt8 = 0x24
        static let newLine: UInt8 = 0x2D
    }

    /// The raster attributes (DECGRA): two numbers for the shape of a pixel, which must be square, width and height.
    private static func rasterSize(_ bytes: [UInt8], _ position: inout Int) -> (Int, Int)? {
        guard bytes.first == Command.rasterAttributes else { return nil }
        position = 1
        let numbers = numbers(bytes, &position)
        guard numbers.count == 4, numbers[0] == numbers[1], numbers[0] > 0, (1...largest).contains(numbers[2]),
            (1...largest).contains(numbers[3])
        else {
            return nil
        }
        return (numbers[2], numbers[3])
    }

    private static func isWithin(_ size: (width: Int, height: Int), _ commands: ArraySlice<UInt8>) -> Bool {
        let bytes = Array(commands)
        var position = 0
        var column = 0
        var row = 0
        while position < bytes.count {
            let command = bytes[position]
            position += 1
            switch command {
            case 0x3F...0x7E: column += 1
            case Command.repeats:
                let numbers = numbers(bytes, &position)
                guard numbers.count == 1, position < bytes.count, (0x3F...0x7E).contains(bytes[position]) else {
                    return false
                }
                position += 1
                column += numbers[0]
            case Command.colour: _ = numbers(bytes, &position)
            case Command.carriageReturn: column = 0
            case Command.newLine: (row, column) = (row + bandHeight, 0)
            default: return false
            }
            guard column <= size.width, row < size.height else { return false }
        }
        return true
    }

    /// Numbers with semicolons between them; none is above what any command needs.
    private static func numbers(_ bytes: [UInt8], _ position: inout Int) -> [Int] {
        var numbers = [0]
        while position < bytes.count {
            switch bytes[position] {
            case 0x30...0x39:
                numbers[numbers.count - 1] = min(
                    numbers[numbers.count - 1] * 10 + Int(bytes[position] - 0x30), largest + 1)
            case 0x3B where numbers.count < 8: numbers.append(0)
            default: return numbers
            }
            position += 1
        }
        return numbers
    }
}
