import AudioCore
import TerminalIO
import TuttiRuntime

/// Live lines on a terminal, redrawn at most ten times a second.
struct LiveDisplay: EventDisplay {
    let interval = TimeSpan.milliseconds(100)
    private let terminal: Terminal
    private let level: DisplayFlags.Level
    private var view: LiveView
    private var screen: LiveScreen
    private var notices: [StyledLine] = []

    init(terminal: Terminal, level: DisplayFlags.Level) {
        self.terminal = terminal
        self.level = level
        view = LiveView(glyphs: Terminal.isUnicode ? .unicode : .ascii)
        screen = LiveScreen(isColoured: Terminal.allowsColour)
    }

    mutating func show(_ batch: EventMailbox.Batch, now: HostTime) -> Bool {
        for event in batch.events {
            switch event {
            case .warning(let text): note(.warning, text)
            case .page(let notice): note(notice.level, notice.sentence)
            case .service(let notice): note(notice.level, notice.sentence)
            case .lines(let lines): notices += lines.map { StyledLine($0) }
            case .runtime(.notice(let notice)): note(notice.level, notice.sentence)
            case .runtime(let status): view.receive(status)
            }
        }
        // After the process was stopped and resumed, other text is where the live lines were.
        if !terminal.isEntered { screen.forget() }
        guard terminal.enter() else { return true }
        let size = Terminal.outputSize
        defer { notices = [] }
        return StandardStream.output.write(screen.draw(view.frame(size), notices: notices, width: size.width))
    }

    mutating func finish(_ result: SessionResult, exitCode: Int32) {
        view.finish(result)
        if terminal.isEntered {
            let size = Terminal.outputSize
            StandardStream.output.write(screen.draw(view.frame(size), width: size.width) + screen.finish())
        }
        terminal.leave()
    }

    private mutating func note(_ level: NoticeLevel, _ text: String) {
        switch level {
        case .warning:
            notices.append(StyledLine("warning: \(text)", .warning))
            if !StandardStream.error.isTerminal {
                StandardStream.error.write("tutti: warning: \(text)".terminalSafe + "\n")
            }
        case .info: notices.append(StyledLine(text))
        case .detail:
            if self.level == .verbose { notices.append(StyledLine(text, .faint)) }
        }
        // Events that came while another process had the terminal: only the latest are kept.
        notices = notices.suffix(EventMailbox.capacity)
    }
}
