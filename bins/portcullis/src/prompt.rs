//! Asking the person in front of the terminal.

use crate::error::CliError;
use crate::output::printable;
use dialoguer::{Confirm, Password};
use secrecy::SecretString;
use std::io::{self, IsTerminal as _};

/// Whether there is anybody to ask.
fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question that is answered with yes or no; no is the default. `option` is what answers it
/// beforehand.
pub(crate) fn confirm(question: &str, option: &str) -> Result<bool, CliError> {
    if !is_interactive() {
        return Err(
            CliError::usage(format!("there is no terminal to ask: {question}"))
                .hint(format!("say yes beforehand with `{option}`")),
        );
    }
    Confirm::new()
        .with_prompt(printable(question))
        .default(false)
        .interact()
        .map_err(unanswered)
}

/// Asks for a password without showing it, twice if it is a new one.
pub(crate) fn password(prompt: &str, is_new: bool) -> Result<SecretString, CliError> {
    if !is_interactive() {
        return Err(
            CliError::usage("there is no terminal to ask for the password").hint(
                "use `--password-file FILE` (`-` for the standard input) or PORTCULLIS_PASSWORD",
            ),
        );
    }
    let question = Password::new().with_prompt(printable(prompt));
    let question = if is_new {
        question.with_confirmation("Again", "The two are not the same.")
    } else {
        question
    };
    question
        .interact()
        .map(SecretString::from)
        .map_err(unanswered)
}

fn unanswered(error: dialoguer::Error) -> CliError {
    CliError::failed("the question was not answered").because(error)
}
