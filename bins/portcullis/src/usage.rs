//! Mistakes in the arguments.

use crate::error::{CliError, ErrorKind};
use crate::terminal;
use clap::error::{ContextKind, ContextValue};
use portcullis_command_line::wrap;
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
    let hint = hint(&mut usage);
    let mut stderr = io::stderr().lock();
    let (is_colored, columns) = (terminal::supports_color(&stderr), terminal::stderr_width());
    let text = render(&usage, hint, is_colored, columns);
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

/// A hint for a mistake that many make. Suggestions that would mislead are removed.
fn hint(usage: &mut clap::Error) -> Option<&'static str> {
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
                "passwords are no arguments, which others could see: use --password-file, the \
                 environment variable that --help names, or wait to be asked",
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
        let hint = hint(&mut usage);
        render(&usage, hint, false, columns)
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
