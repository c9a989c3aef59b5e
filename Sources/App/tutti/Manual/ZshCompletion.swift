/// Completion of the command line for zsh(1), by its `_arguments` (zshcompsys(1)).
enum ZshCompletion {
    static func script(_ commands: [CommandSyntax]) -> String {
        """
        #compdef tutti
        # Completion of tutti's command line for zsh. Made by 'tutti help --completion zsh'.

        # _tutti_names [OPTION]... KIND: offers the names that this machine keeps. OPTIONs are compadd's.
        _tutti_names() {
            local -a names
            names=("${(@f)$(_call_program names $program help --names $argv[-1] 2>/dev/null)}")
            names=(${names:#})
            (( $#names )) && compadd "${(@)argv[1,-2]}" -a names
        }

        # The same for several, with commas between them.
        _tutti_name_list() {
            compset -P '*,'
            compset -S ',*'
            _tutti_names "$@"
        }

        _tutti_output() {
            if compset -P file:; then _files; else compadd "$@" null; compadd "$@" -S '' file:; fi
        }

        _tutti() {
            local curcontext=$curcontext state state_descr program=$words[1]
            local -a line
            typeset -A opt_args
            if (( CURRENT == 2 )); then
                local -a commands=(
        \(commands.map { "            \(quoted("\($0.name):\($0.summary.firstSentence)"))" }.joined(separator: "\n"))
                    'help:Same as tutti COMMAND --help'
                )
                if [[ $PREFIX == -* ]]; then compadd -- --help --version; else _describe command commands; fi
                return
            fi
            shift words
            (( CURRENT-- ))
            case $words[1] in
            help) (( CURRENT == 2 )) && compadd -- \(commands.map(\.name).joined(separator: " ")) ;;
        \(commands.map(commandCase).joined(separator: "\n"))
            esac
        }

        if [[ $funcstack[1] == _tutti ]]; then _tutti "$@"; else compdef _tutti tutti; fi

        """
    }

    private static func commandCase(_ command: CommandSyntax) -> String {
        var specifications = command.options.map(specification)
        var verbs: [CompletionCandidates.Verb] = []
        for (number, operand) in command.operands.enumerated() {
            if case .verbs(let words) = operand.candidates {
                verbs = words
                specifications.append(quoted("1:\(escaped(operand.name)):\(action(.choices(words.map(\.word))))"))
                specifications.append(quoted("*:\(escaped(operand.name)):->rest"))
            } else if operand.candidates != .none {
                // One without anything to offer would keep zsh from offering options in its place.
                let place = operand.repeats ? "*" : operand.isRequired ? "\(number + 1)" : "\(number + 1):"
                specifications.append(quoted("\(place):\(escaped(operand.name)):\(action(operand.candidates))"))
            }
        }
        let lines = specifications.map { "            \($0)" }.joined(separator: " \\\n")
        return "    \(command.name))\n        _arguments -C -s -S : \\\n\(lines)\(rest(verbs))\n        ;;"
    }

    /// What stands behind a verb.
    private static func rest(_ verbs: [CompletionCandidates.Verb]) -> String {
        let known = verbs.filter { $0.rest != .none }
        guard !known.isEmpty else { return "" }
        let cases = known.map { "        \($0.word)) \(command($0.rest)) ;;" }.joined(separator: "\n")
        return "\n        [[ $state == rest ]] && case $line[1] in\n\(cases)\n        esac"
    }

    private static func specification(_ option: CommandSyntax.Option) -> String {
        let help = "[\(option.help.firstSentence.withoutBrackets)]"
        guard let value = option.value else {
            guard let short = option.short else { return quoted("\(option.name)\(help)") }
            return "'(-\(short) \(option.name))'{-\(short),\(option.name)}\(quoted(help))"
        }
        return quoted(
            "\(option.repeats ? "*" : "")\(option.name)=\(help):\(escaped(value)):\(action(option.candidates))")
    }

    /// An action as `_arguments` takes it.
    private static func action(_ candidates: CompletionCandidates) -> String {
        switch candidates {
        case .none, .verbs: " "
        case .choices(let words): "(\(words.joined(separator: " ")))"
        case .list, .files, .folders, .output, .groups, .names, .nameList: command(candidates)
        }
    }

    /// The same as a command of its own.
    private static func command(_ candidates: CompletionCandidates) -> String {
        switch candidates {
        case .none, .verbs: ":"
        case .choices(let words): "compadd -- \(words.joined(separator: " "))"
        case .list(let words): "_sequence compadd - \(words.joined(separator: " "))"
        case .files: "_files"
        case .folders: "_files -/"
        case .output: "_tutti_output"
        case .groups: "_groups"
        case .names(let names): "_tutti_names \(names.rawValue)"
        case .nameList(let names): "_tutti_name_list \(names.rawValue)"
        }
    }

    private static func escaped(_ message: String) -> String { message.replacing(":", with: "\\:") }

    private static func quoted(_ text: String) -> String { "'\(text.replacing("'", with: "'\\''"))'" }
}

extension String {
    /// Explanations stand in brackets.
    fileprivate var withoutBrackets: String { replacing("[", with: "(").replacing("]", with: ")") }
}
