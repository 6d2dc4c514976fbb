//! Terminal prompts.

use crate::error::CliError;
use crate::terminal::escape_control_characters;
use dialoguer::Password;
use portcullis_command_line::text_width;
use secrecy::SecretString;
use std::future;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use tokio::{select, signal, task};
use zeroize::Zeroizing;

/// Capacity for a line, so that no copy of a secret is left behind by growth.
const LINE_CAPACITY: usize = 256;

/// Widest name in a question, in columns.
const MAX_NAME_WIDTH: usize = 40;

/// Whether there is a terminal to prompt on.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Prompts for confirmation: `y` or `yes` mean yes, anything else means no. `option` confirms
/// without a prompt.
pub(crate) fn confirm(question: &str, option: &str) -> Result<bool, CliError> {
    if !is_interactive() {
        return Err(
            CliError::usage(format!("there is no terminal to ask on: {question}"))
                .hint(format!("pass `{option}` to confirm")),
        );
    }
    ask(question).map_err(|error| prompt_error(error.into()))
}

fn ask(question: &str) -> io::Result<bool> {
    let line = read_line(&format!("{question} [y/N]"))?;
    Ok(is_yes(&line))
}

/// A name for a question, which leaves room for others.
pub(crate) fn short_name(name: &str) -> String {
    text_width::truncate(name, MAX_NAME_WIDTH)
}

/// Prompts and reads a line, including its line feed.
///
/// The terminal stays in its normal mode, so that any termination leaves it intact.
fn read_line(question: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut stderr = io::stderr();
    write!(stderr, "{} ", escape_control_characters(question))?;
    stderr.flush()?;
    let mut line = Zeroizing::new(Vec::with_capacity(LINE_CAPACITY));
    io::stdin().lock().read_until(b'\n', &mut line)?;
    if !line.ends_with(b"\n") {
        // End of input leaves the cursor after the prompt.
        writeln!(stderr)?;
    }
    Ok(line)
}

/// Prompts for a code, which is echoed: it works only once. `hint` names the alternative without a
/// terminal.
pub(crate) fn code(question: &str, hint: &str) -> Result<SecretString, CliError> {
    if !is_interactive() {
        return Err(CliError::usage("cannot prompt for the code: there is no terminal").hint(hint));
    }
    let line = read_line(&format!("{question}:")).map_err(|error| prompt_error(error.into()))?;
    match line.strip_suffix(b"\n") {
        // Invalid UTF-8 is not a code and is rejected later.
        Some(code) => Ok(SecretString::from(&*String::from_utf8_lossy(code))),
        None => Err(CliError::failed("no answer was given")),
    }
}

/// Prompts on another thread. An unanswered prompt does not keep the program from exiting.
pub(crate) async fn spawn_prompt<T: Send + 'static>(
    question: impl FnOnce() -> Result<T, CliError> + Send + 'static,
) -> Result<T, CliError> {
    let asked = task::spawn_blocking(question).await;
    asked.unwrap_or_else(|error| Err(prompt_error(io::Error::other(error).into())))
}

/// Waits for Ctrl-C, which no longer ends the program.
pub(crate) async fn interrupted() {
    if signal::ctrl_c().await.is_err() {
        // Without a handler, Ctrl-C still ends the program.
        future::pending::<()>().await;
    }
}

/// Runs `work` until Ctrl-C, which no longer ends the program. Prompts in `work` must use
/// [`spawn_prompt`].
pub(crate) async fn run_until_cancelled<T>(
    work: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    select! {
        biased;
        () = interrupted() => {
            // The cursor is after the prompt.
            let _ = writeln!(io::stderr());
            Err(CliError::cancelled())
        },
        done = work => done,
    }
}

/// Whether a complete line means yes.
fn is_yes(line: &[u8]) -> bool {
    let Some(answer) = line.strip_suffix(b"\n") else {
        return false;
    };
    let answer = answer.trim_ascii();
    answer.eq_ignore_ascii_case(b"y") || answer.eq_ignore_ascii_case(b"yes")
}

/// Prompts for a password without echo, twice if `is_new`. `hint` names the alternatives without a
/// terminal.
pub(crate) fn password(prompt: &str, is_new: bool, hint: &str) -> Result<SecretString, CliError> {
    if !is_interactive() {
        return Err(
            CliError::usage("cannot prompt for the password: there is no terminal").hint(hint),
        );
    }
    let question = Password::new().with_prompt(escape_control_characters(prompt));
    let question = if is_new {
        question.with_confirmation("Again", "The passwords do not match.")
    } else {
        question
    };
    question
        .interact()
        .map(SecretString::from)
        .map_err(prompt_error)
}

fn prompt_error(error: dialoguer::Error) -> CliError {
    CliError::failed("no answer was given").with_source(error)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_means_yes() {
        for line in ["y\n", "yes\n", "YES\r\n", " Y \n"] {
            assert!(is_yes(line.as_bytes()), "{line:?}");
        }
        for line in [
            "",
            "\n",
            "n\n",
            "maybe\n",
            "yess\n",
            "yy\n",
            "y",
            "yes",
            "\u{ff}y\n",
        ] {
            assert!(!is_yes(line.as_bytes()), "{line:?}");
        }
    }
}
