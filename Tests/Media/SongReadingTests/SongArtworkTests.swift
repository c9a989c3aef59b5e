import AudioCore
import Glibc
import StreamTestKit
import Testing

@testable import Songs

/// The picture in a song, or beside it.
@Suite(.timeLimit(.minutes(5)))
struct SongArtworkTests {
    private static let jpeg: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0]
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// A directory with a song.
    private struct Album: ~Copyable {
        let directory = TemporaryDirectory()

        var song: String { directory.path + "/song.flac" }

        init(picture: [UInt8]? = nil) throws {
            let writer = FLACWriter()
            let blocks = picture.map { [(type: 6 as UInt8, body: pictureBlock($0))] } ?? []
            try Tool.writeFile(song, writer.file(blocks: blocks, frames: writer.frames(blockSizes: [4_096, 4_096])))
        }

        func add(_ name: String, _ bytes: [UInt8]) throws { try Tool.writeFile(directory.path + "/" + name, bytes) }

        /// The name of the picture's file.
        var found: String? {
            SongArtwork(ofSong: song)?.path?.split(separator: "/").last.map(String.init)
        }
    }

    @Test func thePictureInTheSongWins() throws {
        let album = try Album(picture: Self.png + [1, 2, 3])
        try album.add("cover.jpg", Self.jpeg)
        let artwork = try #require(SongArtwork(ofSong: album.song))
        #expect(artwork.bytes == Self.png + [1, 2, 3] && artwork.path == nil)
        #expect(artwork.format == .png && artwork.mediaType == "image/png")
    }

    @Test func aPictureOfAnUnknownFormatDoesNot() throws {
        let album = try Album(picture: Array("BM and so on".utf8))
        #expect(SongArtwork(ofSong: album.song) == nil)
        try album.add("cover.jpg", Self.jpeg + [7])
        let artwork = try #require(SongArtwork(ofSong: album.song))
        #expect(artwork.bytes == Self.jpeg + [7] && artwork.path == album.directory.path + "/cover.jpg")
        #expect(artwork.mediaType == "image/jpeg")
    }

    @Test func thePictureIsFoundInFrontOfAndBehindTheAudio() throws {
        let (writer, picture) = (MPEGWriter(), Self.jpeg + payload(200_000))
        let frames = writer.frames(300).flatMap { $0 }
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("APIC", [0] + Array("image/jpeg".utf8) + [0, 3, 0] + picture)
        let wave = WAVEWriter().file(data: payload(400_000))
        // The chunk comes after the data.
        let late = Array(wave) + WAVEWriter.chunk("id3 ", tag.bytes)
        let directory = TemporaryDirectory()
        for (name, bytes) in [("a.mp3", tag.bytes + frames), ("b.wav", late)] {
            try Tool.writeFile(directory.path + "/" + name, bytes)
            #expect(SongArtwork(ofSong: directory.path + "/" + name)?.bytes == picture, "\(name)")
        }
    }

    /// Each name makes way for the one before it.
    @Test func namesHaveAnOrder() throws {
        let album = try Album()
        let names = [
            "cover.jpg", "COVER.JPEG", "Cover.Png", "cover.webp", "cover.gif", "Folder.jpg", "fOLDER.gif", "front.png",
            "Album.JPG", "AlbumArt.jpg", "albumart.gif", "AlbumArt_{0A}_Large.jpg", "albumart-2.png",
            "AlbumArtSmall.jpg",
        ]
        for name in names.reversed() {
            try album.add(name, Self.jpeg)
            #expect(album.found == name)
        }
    }

    @Test func otherNamesAreNotPictures() throws {
        let album = try Album()
        for name in [
            "cover", "cover.", ".jpg", "cover.txt", "cover.jpg.txt", "mycover.jpg", "cover2.jpg", "albumar.jpg",
            ".cover.jpg", "cover.bmp", "back.jpg", "albumart", "albumart.pdf",
        ] { try album.add(name, Self.jpeg) }
        #expect(SongArtwork(ofSong: album.song) == nil)
    }

    @Test func whatIsNoPictureIsPassedOver() throws {
        let album = try Album()
        try album.add("cover.jpg", Array("This is a text.".utf8))
        try album.add("cover.jpeg", [])
        try album.add("cover.png", [0xFF])
        #expect(SongArtwork(ofSong: album.song) == nil)
        try album.add("folder.png", Self.png)
        #expect(album.found == "folder.png")
        // The bytes tell, not the name.
        try album.add("cover.gif", Self.jpeg)
        #expect(SongArtwork(ofSong: album.song)?.mediaType == "image/jpeg")
    }

    @Test func pipesDevicesDirectoriesAndLoopsAreNotOpened() throws {
        let album = try Album()
        let path = album.directory.path
        #expect(mkfifo(path + "/cover.jpg", 0o600) == 0)
        #expect(mkdir(path + "/cover.jpeg", 0o700) == 0)
        #expect(symlink("cover.png", path + "/cover.png") == 0)
        #expect(symlink("/dev/zero", path + "/cover.webp") == 0)
        #expect(symlink("/nowhere/picture", path + "/cover.gif") == 0)
        #expect(symlink("cover.jpg", path + "/folder.jpg") == 0)
        #expect(SongArtwork(ofSong: album.song) == nil)
        // A link to a picture is one.
        try album.add("scan", Self.png)
        #expect(symlink("scan", path + "/folder.png") == 0)
        #expect(album.found == "folder.png")
    }

    @Test func aHugeFileIsPassedOver() throws {
        let album = try Album()
        try album.add("cover.jpg", Self.jpeg)
        #expect(truncate(album.directory.path + "/cover.jpg", off_t(Limits.artworkByteCount) + 1) == 0)
        #expect(SongArtwork(ofSong: album.song) == nil)
        #expect(truncate(album.directory.path + "/cover.jpg", off_t(Limits.artworkByteCount)) == 0)
        #expect(SongArtwork(ofSong: album.song)?.bytes.count == Limits.artworkByteCount)
    }

    @Test func onlyTheBestOfManyNamesAreTried() throws {
        let album = try Album()
        for number in 100..<160 { try album.add("albumart\(number).jpg", [0]) }
        try album.add("albumart999.jpg", Self.jpeg)
        #expect(FolderPictures.paths(besideSong: album.song).count == FolderPictures.countLimit)
        #expect(SongArtwork(ofSong: album.song) == nil)
        try album.add("cover.gif", Self.jpeg)
        #expect(album.found == "cover.gif")
    }

    @Test func whatIsNoSongMayHaveAPictureBesideIt() throws {
        let album = try Album()
        try album.add("cover.jpg", Self.jpeg)
        try album.add("text.mp3", Array("This is a text.".utf8))
        #expect(SongArtwork(ofSong: album.directory.path + "/text.mp3")?.path != nil)
        #expect(SongArtwork(ofSong: album.directory.path + "/missing.mp3") == nil)
        #expect(SongArtwork(ofSong: album.directory.path) == nil)
        #expect(mkfifo(album.directory.path + "/pipe.mp3", 0o600) == 0)
        #expect(SongArtwork(ofSong: album.directory.path + "/pipe.mp3") == nil)
    }

    /// Whoever looks at all songs keeps no picture, and knows the same.
    @Test func aSummaryKnowsThatThereIsOne() throws {
        for (picture, format) in [(Self.png, .png), (Array("BM and so on".utf8), nil), (nil, nil)]
            as [([UInt8]?, PictureFormat?)]
        {
            let album = try Album(picture: picture)
            #expect(AudioStreamSummary(ofSong: album.song)?.artworkFormat == format)
            #expect(SongArtwork(ofSong: album.song)?.format == format)
        }
    }

    @Test func aPictureBesideASongIsSeenWithoutTheSong() throws {
        let album = try Album(picture: Self.png)
        #expect(!SongArtwork.isPicture(besideSong: album.song), "it is in the song")
        try album.add("cover.jpg", Array("no picture".utf8))
        #expect(!SongArtwork.isPicture(besideSong: album.song))
        try album.add("folder.jpg", Self.jpeg)
        #expect(SongArtwork.isPicture(besideSong: album.song))
        #expect(!SongArtwork.isPicture(besideSong: "/nowhere/song.flac"))
    }

    @Test func theLargestPictureIsFoundByBoth() throws {
        let picture = Self.jpeg + payload(Limits.artworkByteCount - 4)
        let album = try Album(picture: picture)
        #expect(AudioStreamSummary(ofSong: album.song)?.artworkFormat == .jpeg)
        #expect(SongArtwork(ofSong: album.song)?.bytes.count == Limits.artworkByteCount)
    }

    @Test func aRelativePathMeansThisDirectory() {
        #expect(FolderPictures.paths(besideSong: "/nowhere/song.mp3") == [])
        #expect(FolderPictures.paths(besideSong: "song.mp3").allSatisfy { !$0.contains("/") })
    }
}
