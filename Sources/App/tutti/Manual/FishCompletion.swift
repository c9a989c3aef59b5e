/// Completion of the command line for fish(1), by its `complete`.
enum FishCompletion {
    static func script(_ commands: [CommandSyntax]) -> String {
        """
        # Completion of tutti's command line for fish. Made by 'tutti help --completion fish'.

        # The words before the cursor without tutti, options and their values: the command, and its arguments.
        function __tutti_words
            set -l words (commandline -opc)
            set -e words[1]
            set -l valued
            set -l skip
            set -l rest
            for word in $words
                if test -n "$skip"
                    set skip
                else if test -z "$rest"; and test "$word" = --
                    set rest yes
                else if test -z "$rest"; and string match -qr -- '^-[^0-9]' $word
                    contains -- $word $valued; and set skip yes
                else
                    echo -- $word
                    switch $word
        \(commands.map(valuedCase).joined(separator: "\n"))
                    end
                end
            end
        end

        # __tutti_at COMMAND [NUMBER]: whether the cursor is behind this command, and at its argument of this number.
        function __tutti_at
            set -l words (__tutti_words)
            test "$words[1]" = $argv[1]; or return 1
            test (count $argv) -lt 2; or test (count $words) -eq $argv[2]
        end

        # __tutti_behind COMMAND VERB: whether the cursor is behind both.
        function __tutti_behind
            set -l words (__tutti_words)
            test (count $words) -gt 1; and test "$words[1]" = $argv[1]; and test "$words[2]" = $argv[2]
        end

        function __tutti_names
            tutti help --names $argv[1] 2>/dev/null
        end

        # __tutti_list WORD...: the words behind what is typed up to the last comma.
        function __tutti_list
            set -l before (commandline -ct | string replace -r -- '^--[^=]*=' '' | string match -r -- '.*,')
            for word in $argv
                echo -- $before$word
            end
        end

        complete -c tutti -f
        complete -c tutti -n 'test (count (__tutti_words)) -eq 0' -l help -d 'Show the commands'
        complete -c tutti -n 'test (count (__tutti_words)) -eq 0' -l version -d 'Show the version'
        complete -c tutti -n 'test (count (__tutti_words)) -eq 0' -a help -d 'Same as tutti COMMAND --help'
        complete -c tutti -n '__tutti_at help 1' -a \(quoted(commands.map(\.name).joined(separator: " ")))
        \(commands.map(lines).joined(separator: "\n"))

        """
    }

    private static func valuedCase(_ command: CommandSyntax) -> String {
        let valued = command.options.filter { $0.value != nil }.map(\.name).joined(separator: " ")
        return "                case \(command.name)\n                    set valued \(valued)"
    }

    private static func lines(_ command: CommandSyntax) -> String {
        var lines = [
            "\ncomplete -c tutti -n 'test (count (__tutti_words)) -eq 0' -a \(command.name) "
                + "-d \(quoted(command.summary.firstSentence))"
        ]
        let beginning = "complete -c tutti -n '__tutti_at \(command.name)"
        for option in command.options {
            let short = option.short.map { " -s \($0)" } ?? ""
            lines.append(
                "\(beginning)'\(short) -l \(option.name.dropFirst(2))\(value(option)) "
                    + "-d \(quoted(option.help.firstSentence))")
        }
        for (number, operand) in command.operands.enumerated() {
            if case .verbs(let verbs) = operand.candidates {
                lines.append("\(beginning) 1' -a \(quoted(verbs.map(\.word).joined(separator: " ")))")
                for verb in verbs where verb.rest != .none {
                    lines.append(
                        "complete -c tutti -n '__tutti_behind \(command.name) \(verb.word)' \(offer(verb.rest))")
                }
            } else if operand.candidates != .none {
                lines.append("\(beginning)\(operand.repeats ? "" : " \(number + 1)")' \(offer(operand.candidates))")
            }
        }
        return lines.joined(separator: "\n")
    }

    private static func value(_ option: CommandSyntax.Option) -> String {
        guard option.value != nil else { return "" }
        return option.candidates == .none ? " -x" : " -r \(offer(option.candidates))"
    }

    private static func offer(_ candidates: CompletionCandidates) -> String {
        switch candidates {
        case .none, .verbs: "-f"
        case .choices(let words): "-f -a \(quoted(words.joined(separator: " ")))"
        case .list(let words): "-f -a \(quoted("(__tutti_list \(words.joined(separator: " ")))"))"
        case .files: "-F"
        case .folders: "-f -a '(__fish_complete_directories (commandline -ct))'"
        case .output: "-F -a 'null file:'"
        case .groups: "-f -a '(__fish_complete_groups)'"
        case .names(let names): "-f -a '(__tutti_names \(names.rawValue))'"
        case .nameList(let names): "-f -a '(__tutti_list (__tutti_names \(names.rawValue)))'"
        }
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
    }
}
