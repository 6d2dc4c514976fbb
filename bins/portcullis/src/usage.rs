//! Mistakes in the arguments.

use crate::cli;
use crate::error::{CliError, ErrorKind};
use crate::terminal;
use clap::error::{ContextKind, ContextValue};
use portcullis_command_line::{supports_color, wrap};
use std::error::Error as _;
use std::io::{self, Write as _};
use std::num::ParseIntError;
use std::process::ExitCode;

/// Ends of the names of options that take selectors, such as `--service-roles`.
const SELECTOR_OPTION: &str = "-roles";

const ATTRIBUTE_OPTION: &str = "--role-attributes";

/// Prints help, the version or what is wrong with the arguments.
pub(crate) fn report(mut usage: clap::Error) -> ExitCode {
    if !usage.use_stderr() {
        let printed = usage.print().and_then(|()| io::stdout().flush());
        return match printed {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => CliError::from(error).report(),
        };
    }
    let words: Vec<_> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let hint = hint(&mut usage, &words);
    let mut stderr = io::stderr().lock();
    let (is_colored, columns) = (supports_color(&stderr), terminal::stderr_width());
    let text = render(&usage, hint.as_deref(), is_colored, columns);
    // If standard error is closed, the exit code has to do.
    let _ = stderr.write_all(text.as_bytes());
    ExitCode::from(ErrorKind::Usage.exit_code())
}

fn render(
    usage: &clap::Error,
    hint: Option<&str>,
    is_colored: bool,
    columns: Option<usize>,
) -> String {
    let rendered = usage.render();
    let mut text = if is_colored {
        rendered.ansi().to_string()
    } else {
        rendered.to_string()
    };
    let cause = usage.source();
    if let Some(error) = cause.and_then(|cause| cause.downcast_ref::<ParseIntError>()) {
        text = text.replace(&error.to_string(), "must be a whole number");
    }
    if let Some(hint) = hint {
        let label = terminal::styled("hint:", "1;36", is_colored);
        text.extend([label.as_str(), " ", hint, "\n"]);
    }
    match columns {
        Some(columns) => wrap_lines(&text, columns),
        None => text,
    }
}

/// Breaks each line between words, and indents what follows.
fn wrap_lines(text: &str, columns: usize) -> String {
    let lines = text.split('\n').map(|line| {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        " ".repeat(indent) + &wrap(words, columns, indent + 2)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A hint for a mistake that many make in `words`. Suggestions that would mislead are removed.
fn hint(usage: &mut clap::Error, words: &[String]) -> Option<String> {
    match usage.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) => {
            let word = word.clone();
            hint_on_command(usage, &word, words)
        },
        _ => hint_on_option(usage).map(str::to_owned),
    }
}

/// Asks about a verb before its noun, and leaves hidden aliases out of the suggestions.
fn hint_on_command(usage: &mut clap::Error, word: &str, words: &[String]) -> Option<String> {
    let root = cli::command();
    let mut following = words.iter().skip_while(|other| *other != word).skip(1);
    let noun = following.find(|word| !word.starts_with('-'));
    let noun = noun.and_then(|noun| root.find_subcommand(noun));
    if let Some(noun) = noun
        && let Some(verb) = noun.find_subcommand(word)
    {
        usage.remove(ContextKind::SuggestedSubcommand);
        let (noun, verb) = (noun.get_name(), verb.get_name());
        return Some(format!("did you mean `portcullis {noun} {verb}`?"));
    }
    if let Some(ContextValue::Strings(names)) = usage.remove(ContextKind::SuggestedSubcommand) {
        let mut names: Vec<_> = names.into_iter().map(|name| visible(&root, name)).collect();
        names.sort_by_cached_key(|name| (strsim::osa_distance(word, name), name.clone()));
        names.dedup();
        usage.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(names),
        );
    }
    None
}

/// The name of the command below `root` that a name or alias stands for.
fn visible(root: &clap::Command, name: String) -> String {
    let mut commands: Vec<_> = root.get_subcommands().collect();
    while let Some(command) = commands.pop() {
        let is_hidden_alias = !command.get_visible_aliases().any(|alias| alias == name)
            && command.get_all_aliases().any(|alias| alias == name);
        if is_hidden_alias {
            return command.get_name().to_owned();
        }
        commands.extend(command.get_subcommands());
    }
    name
}

fn hint_on_option(usage: &mut clap::Error) -> Option<&'static str> {
    let text = |kind| match usage.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let option = text(ContextKind::InvalidArg)?.split(' ').next()?;
    let value = text(ContextKind::InvalidValue).unwrap_or_default();
    match usage.kind() {
        clap::error::ErrorKind::InvalidValue
            if value.is_empty() && option.ends_with(SELECTOR_OPTION) =>
        {
            Some(
                "quote selectors, for example '#intranet': the shell takes an unquoted # for a comment",
            )
        },
        clap::error::ErrorKind::InvalidValue if value.is_empty() && option == ATTRIBUTE_OPTION => {
            Some("write attributes without #, which the shell takes for a comment")
        },
        clap::error::ErrorKind::UnknownArgument if matches!(option, "-p" | "--password") => {
            usage.remove(ContextKind::Suggested);
            usage.remove(ContextKind::SuggestedArg);
            Some(
                "other users of this machine can see passwords on the command line: where a command \
                 takes one, use --password-file, or wait to be asked",
            )
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Cli;
    use clap::Parser as _;

    fn rendered(line: &str, columns: Option<usize>) -> String {
        let words = std::iter::once("portcullis").chain(line.split_whitespace());
        let mut usage = Cli::try_parse_from(words).unwrap_err();
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let hint = hint(&mut usage, &words);
        render(&usage, hint.as_deref(), false, columns)
    }

    #[test]
    fn selectors_that_the_shell_took_for_a_comment_are_explained() {
        let text = rendered("service-policy create x dial --service-roles", None);
        assert!(text.contains("hint: quote selectors"), "{text}");
        let text = rendered("identity create x --type", None);
        assert!(!text.contains("hint:"), "{text}");
    }

    #[test]
    fn attributes_that_the_shell_took_for_a_comment_are_explained() {
        for line in ["identity create x -a", "service create x --role-attributes"] {
            let text = rendered(line, None);
            assert!(text.contains("attributes without #"), "{line}: {text}");
        }
    }

    #[test]
    fn habits_from_other_programs_lead_to_the_command() {
        for (line, told) in [
            (
                "create identity x",
                "did you mean `portcullis identity create`?",
            ),
            (
                "list identities",
                "did you mean `portcullis identity list`?",
            ),
            (
                "-v get services x",
                "did you mean `portcullis service show`?",
            ),
            ("idenity list", "similar subcommand exists: 'identity'"),
        ] {
            let text = rendered(line, None);
            assert!(text.contains(told), "{line}: {text}");
            assert!(!text.contains("'identities'"), "{line}: {text}");
        }
        assert!(!rendered("idenity list", None).contains("hint:"));
    }

    #[test]
    fn password_as_an_argument_is_answered_with_better_ways() {
        let text = rendered("login -p secret", None);
        assert!(text.contains("--password-file"), "{text}");
        assert!(!text.contains("-- -p"), "{text}");
    }

    #[test]
    fn numbers_are_not_explained_by_a_library() {
        let text = rendered("identity list --offset abc", None);
        assert!(text.contains("must be a whole number"), "{text}");
    }

    #[test]
    fn lines_are_broken_between_words() {
        let line = "session delete --filter true 1 --identity x";
        let whole = rendered(line, None);
        let narrow = rendered(line, Some(40));
        assert!(narrow.lines().all(|line| line.len() <= 40), "{narrow}");
        let words = |text: &str| {
            text.split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(words(&narrow), words(&whole));
    }
}
