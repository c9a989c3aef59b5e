// Sinks, properties, packets and errors are the vocabulary of everybody who plays audio here, and so live in AudioCore.
// Whoever parses files needs them too, and gets them with the parser.
@_exported import AudioCore
