import TOML

extension TOMLValue {
    /// As a Python expression of lists and texts, texts in hexadecimal: what ``Tomllib`` compares.
    var dump: String {
        switch self {
        case .string(let text): "['s','\(text.hexadecimal)']"
        case .integer(let integer): "['i','\(integer)']"
        case .float(let float): "['f','\(float)']"
        case .boolean(let boolean): "['b','\(boolean)']"
        case .dateTime(let text): "['d','\(text.hexadecimal)']"
        case .array(let elements): "['a',[\(elements.map(\.value.dump).joined(separator: ","))]]"
        case .table(let table): "['t',\(table.dump)]"
        }
    }
}

extension TOMLTable {
    var dump: String { "[" + entries.map { "['\($0.key.hexadecimal)',\($0.value.dump)]" }.joined(separator: ",") + "]" }
}

extension String {
    fileprivate var hexadecimal: String { Array(utf8).hexadecimal }
}

extension [UInt8] {
    var hexadecimal: String {
        let digits = "0123456789abcdef".utf8.map { $0 }
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
