// What the decoder is registered with, and what it decodes.

@_exported import AudioCore
@_exported import AudioDecoding
