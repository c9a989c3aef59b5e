import AudioCore
import MusicLibrary
import TerminalIO

// How the library looks.

extension LibraryPane {
    mutating func lines(_ layout: ScreenLayout) -> [StyledLine] {
        var query = StyledLine("find: ", .faint)
        query.append(self.query)
        if isTyping { query.append(" ", .selected) }
        let space = layout.size.width - query.cellWidth
        if let remark = remarks.first(where: { space - $0.cellWidth >= 2 }) {
            let room = space - remark.cellWidth
            query.append(String(repeating: " ", count: room))
            query.append(remark, .faint)
        }
        let (list, window) = (self.list, window(height: layout.listHeight))
        return [query]
            + window.map { index in
                let line =
                    switch list {
                    case .songs(let songs): line(songs[index], layout.size.width)
                    case .albums(let albums): line(albums[index], layout.size.width)
                    }
                return line.restyled(index == selectedRow ? .selected : nil)
            }
    }

    /// How many songs and albums there are to find, or were found; longer ones first.
    private var remarks: [String] {
        if isReading { return ["reading music: \(songCount ?? 0) songs"] }
        if !query.isEmpty {
            let more = songs.count >= PlayerModel.resultLimit ? "+" : ""
            return [songs.count == 1 ? "1 song" : "\(songs.count)\(more) songs"]
        }
        if songCount == 0 { return ["no music: 'tutti library add FOLDER'"] }
        guard let list = albums.list else { return songCount.map { ["\($0) songs"] } ?? [] }
        let more = list.albums.count >= PlayerModel.albumLimit ? "+" : ""
        let albums = list.albums.count == 1 ? "1 album" : "\(list.albums.count)\(more) albums"
        guard list.looseSongCount > 0 else { return [albums] }
        let loose = "\(list.looseSongCount == 1 ? "1 song" : "\(list.looseSongCount) songs") without an album"
        let advice = isTyping ? "type to find them" : "/ finds them"
        return ["\(albums)  \(loose): \(advice)", "\(loose): \(advice)", loose, albums]
    }

    /// Title, artist and album in thirds where there is room, and the length.
    private func line(_ song: FoundSong, _ width: Int) -> StyledLine {
        let length = " " + (song.duration?.clockReading ?? "").padded(to: 6, alignment: .right)
        let room = max(4, width - length.cellWidth)
        var line = StyledLine()
        if room >= 60 {
            let part = room / 3
            line.append(song.title.terminalSafe.padded(to: room - 2 * part))
            line.append(" " + (song.artist ?? "").terminalSafe.padded(to: part - 1))
            line.append(" " + (song.album ?? "").terminalSafe.padded(to: part - 1), .faint)
        } else {
            let title = String(headline: song.title, by: song.artist)
            line.append(title.terminalSafe.padded(to: room))
        }
        line.append(length)
        return line
    }

    /// Artist and album; the year where there is one, and the number of songs where there is room.
    private func line(_ album: Album, _ width: Int) -> StyledLine {
        let year = " " + (album.year.map { "\($0)" } ?? "").padded(to: 4, alignment: .right)
        let count = album.songCount == 1 ? "1 song" : "\(album.songCount) songs"
        let numbers = width >= 60 ? year + " " + count.padded(to: 11, alignment: .right) : year
        let name = album.artist.map { "\($0) - \(album.title)" } ?? album.title
        var line = StyledLine(name.terminalSafe.padded(to: max(4, width - numbers.cellWidth)))
        line.append(numbers, .faint)
        return line
    }
}
