// Sinks, properties, packets and errors live in AudioCore, since everything that plays audio uses them. Whoever parses
// files needs them too and gets them with the parser.
@_exported import AudioCore
