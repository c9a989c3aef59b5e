/// Completion of the command line for bash(1), without the package bash-completion too.
enum BashCompletion {
    static func script(_ commands: [CommandSyntax]) -> String {
        """
        # Completion of tutti's command line for bash. Made by 'tutti help --completion bash'.

        # Sets `options`, and `valued`: those that take a value.
        _tutti_options() {
            case $1 in
        \(commands.map(optionCase).joined(separator: "\n"))
            esac
        }

        # _tutti_candidates "COMMAND --OPTION"|"COMMAND N"|"COMMAND VERB": sets `kind` and `list`, what may stand there.
        # N is an argument's number, * for all further ones.
        _tutti_candidates() {
            case $1 in
        \(candidateCases(commands).joined(separator: "\n"))
            esac
        }

        \(engine(commands.map(\.name)))

        """
    }

    private static func optionCase(_ command: CommandSyntax) -> String {
        let options = command.options.flatMap { [$0.name] + ($0.short.map { ["-\($0)"] } ?? []) }
        let valued = command.options.filter { $0.value != nil }.map(\.name)
        return "    \(command.name)) options='\(options.joined(separator: " "))' "
            + "valued='\(valued.joined(separator: " "))' ;;"
    }

    private static func candidateCases(_ commands: [CommandSyntax]) -> [String] {
        commands.flatMap { command in
            command.options.flatMap { cases("\(command.name) \($0.name)", $0.candidates) }
                + command.operands.enumerated().flatMap { number, operand in
                    cases("\(command.name) \(operand.repeats ? "*" : String(number + 1))", operand.candidates)
                }
        }
    }

    private static func cases(_ place: String, _ candidates: CompletionCandidates) -> [String] {
        if case .verbs(let verbs) = candidates {
            // The first word is one of them; the others follow from it.
            let command = place.prefix { $0 != " " }
            return cases("\(command) 1", .choices(verbs.map(\.word)))
                + verbs.flatMap { cases("\(command) \($0.word)", $0.rest) }
        }
        guard let (kind, list) = kindAndList(candidates) else { return [] }
        return ["    '\(place)') kind=\(kind) list='\(list)' ;;"]
    }

    private static func kindAndList(_ candidates: CompletionCandidates) -> (String, String)? {
        switch candidates {
        case .none, .verbs: nil
        case .choices(let words): ("words", words.joined(separator: " "))
        case .list(let words): ("word-list", words.joined(separator: " "))
        case .files: ("files", "")
        case .folders: ("folders", "")
        case .output: ("output", "")
        case .groups: ("groups", "")
        case .names(let names): ("names", names.rawValue)
        case .nameList(let names): ("name-list", names.rawValue)
        }
    }

    /// What is the same for all commands. Bash breaks words at : and =, and replaces the last piece only.
    private static func engine(_ commands: [String]) -> String {
        #"""
        # Sets `words` to the words up to the cursor as they were typed: COMP_WORDS also breaks at : and =.
        _tutti_words() {
            local rest=$COMP_LINE i
            words=()
            for ((i = 0; i <= COMP_CWORD; i++)); do
                if ((i == 0)) || [[ $rest == [[:space:]]* || -z $rest && -z ${COMP_WORDS[i]} && $COMP_LINE == *[[:space:]] ]]
                then
                    rest=${rest#"${rest%%[![:space:]]*}"}
                    words+=("${COMP_WORDS[i]}")
                else
                    words[${#words[@]} - 1]+=${COMP_WORDS[i]}
                fi
                rest=${rest#"${COMP_WORDS[i]}"}
            done
        }

        # _tutti_offer TYPED BEFORE WORD...: offers the words that begin with TYPED, with BEFORE in front of them.
        _tutti_offer() {
            local typed=$1 before=$2 word quote= head breaks=${COMP_WORDBREAKS//[^:=]/}
            shift 2
            case $typed in [\"\']*) quote=${typed:0:1} typed=${typed:1} ;; *) typed=${typed//\\/} ;; esac
            for word in "$@"; do
                [[ $word == "$typed"* ]] || continue
                if [[ -n $quote ]]; then word=$quote$word; else printf -v word %q "$word"; fi
                COMPREPLY+=("$before$word")
            done
            # Readline replaces only what stands behind the last of these.
            if [[ -z $quote && -n $breaks && ${words[-1]} == *["$breaks"]* ]]; then
                head=${words[-1]%"${words[-1]##*["$breaks"]}"}
                COMPREPLY=("${COMPREPLY[@]#"$head"}")
            fi
            if [[ ${COMPREPLY[*]} == *[:=] ]]; then compopt -o nospace 2>/dev/null; fi
        }

        _tutti() {
            local -a words
            local command option= place= argument=0 verb= rest= kind= list= options= valued= typed word before=
            COMPREPLY=()
            _tutti_words
            typed=${words[-1]}
            if ((${#words[@]} <= 2)); then
                _tutti_offer "$typed" '' COMMANDS help --help --version
                return
            fi
            command=${words[1]}
            if [[ $command == help ]]; then
                ((${#words[@]} > 3)) || _tutti_offer "$typed" '' COMMANDS
                return
            fi
            _tutti_options "$command"
            for word in "${words[@]:2:${#words[@]}-3}"; do
                if [[ -n $option ]]; then
                    option=
                elif [[ -z $rest && $word == -- ]]; then
                    rest=yes
                elif [[ -z $rest && $word == -[!0-9]* ]]; then
                    [[ " $valued " != *" $word "* ]] || option=$word
                else
                    ((++argument == 1)) && verb=$word
                fi
            done
            if [[ -n $option ]]; then
                place=$option
            elif [[ -z $rest && $typed == --*=* ]]; then
                place=${typed%%=*} before=${typed%%=*}= typed=${typed#*=}
            elif [[ -z $rest && $typed == -* ]]; then
                _tutti_offer "$typed" '' $options
                return
            fi
            if [[ -n $place ]]; then
                _tutti_candidates "$command $place"
            else
                _tutti_candidates "$command $((argument + 1))"
                [[ -n $kind || $argument = 0 ]] || _tutti_candidates "$command $verb"
                [[ -n $kind ]] || _tutti_candidates "$command *"
            fi
            case $kind in
            *-list)
                if [[ $typed == *,* ]]; then before+=${typed%,*}, typed=${typed##*,}; fi
                kind=${kind%-list}s
                ;;
            output) if [[ $typed == file:* ]]; then kind=files; else kind=words list='null file:'; fi ;;
            esac
            case $kind in
            words) _tutti_offer "$typed" "$before" $list ;;
            groups) mapfile -t options < <(compgen -g); _tutti_offer "$typed" "$before" "${options[@]}" ;;
            names)
                mapfile -t options < <("${words[0]}" help --names "$list" 2>/dev/null </dev/null)
                _tutti_offer "$typed" "$before" "${options[@]}"
                ;;
            # Readline knows how names of files are quoted.
            files) compopt -o default 2>/dev/null ;;
            folders) compopt -o dirnames 2>/dev/null ;;
            esac
        }

        complete -F _tutti tutti
        """#.replacing("COMMANDS", with: commands.joined(separator: " "))
    }
}

extension String {
    /// The text with all places where `word` stands replaced.
    func replacing(_ word: String, with other: String) -> String {
        var result = ""
        var rest = self[...]
        while let place = rest.firstRange(of: word) {
            result += rest[..<place.lowerBound] + other
            rest = rest[place.upperBound...]
        }
        return result + rest
    }
}
