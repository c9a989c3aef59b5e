// Formats, in which files are written.

@_exported import AudioCore
