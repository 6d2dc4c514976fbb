//! Asking the person in front of the terminal.

use crate::error::CliError;
use crate::output::printable;
use dialoguer::Password;
use secrecy::SecretString;
use std::future;
use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use tokio::{select, signal, task};
use zeroize::Zeroizing;

/// Room for a line, so that no copy of it is left behind when it grows.
const LINE: usize = 256;

/// Whether there is anybody to ask.
pub(crate) fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks a question that is answered with a line: `y` or `yes` mean yes, everything else means no.
/// `option` is what answers it beforehand.
pub(crate) fn confirm(question: &str, option: &str) -> Result<bool, CliError> {
    if !is_interactive() {
        return Err(
            CliError::usage(format!("there is no terminal to ask on: {question}"))
                .hint(format!("answer yes in advance with `{option}`")),
        );
    }
    ask(question).map_err(|error| unanswered(error.into()))
}

fn ask(question: &str) -> io::Result<bool> {
    let line = read_line(&format!("{question} [y/N]"))?;
    Ok(is_yes(&line))
}

/// Shows a question and reads what is typed up to the end of the line, which is part of it.
///
/// The terminal is left as it is: it gives lines, and whatever ends the program is no harm to it.
fn read_line(question: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut stderr = io::stderr();
    write!(stderr, "{} ", printable(question))?;
    stderr.flush()?;
    let mut line = Zeroizing::new(Vec::with_capacity(LINE));
    io::stdin().lock().read_until(b'\n', &mut line)?;
    if !line.ends_with(b"\n") {
        // The end of the input leaves the cursor behind the question.
        writeln!(stderr)?;
    }
    Ok(line)
}

/// Asks for a code, which is shown as it is typed: it is of no use once it was taken. `hint` says
/// what answers the question beforehand.
pub(crate) fn code(question: &str, hint: &str) -> Result<SecretString, CliError> {
    if !is_interactive() {
        return Err(CliError::usage("there is no terminal to ask for the code on").hint(hint));
    }
    let line = read_line(&format!("{question}:")).map_err(|error| unanswered(error.into()))?;
    match line.strip_suffix(b"\n") {
        // What is not text is no code either, and is not looked at any closer.
        Some(code) => Ok(SecretString::from(&*String::from_utf8_lossy(code))),
        None => Err(CliError::failed("no answer was given")),
    }
}

/// Asks on a thread of its own, so that something else can be waited for as well. What is never
/// answered must not keep the program from ending.
pub(crate) async fn beside<T: Send + 'static>(
    question: impl FnOnce() -> Result<T, CliError> + Send + 'static,
) -> Result<T, CliError> {
    let asked = task::spawn_blocking(question).await;
    asked.unwrap_or_else(|error| Err(unanswered(io::Error::other(error).into())))
}

/// Does `work`, which Ctrl-C ends from here on instead of the program. What it asks has to be asked
/// [`beside`] it.
pub(crate) async fn unless_given_up<T>(
    work: impl Future<Output = Result<T, CliError>>,
) -> Result<T, CliError> {
    let given_up = async {
        if signal::ctrl_c().await.is_err() {
            // Then it ends the program after all.
            future::pending::<()>().await;
        }
    };
    select! {
        biased;
        () = given_up => {
            // The cursor stands behind the question.
            let _ = writeln!(io::stderr());
            Err(CliError::given_up())
        },
        done = work => done,
    }
}

/// Whether a whole line says yes.
fn is_yes(line: &[u8]) -> bool {
    let Some(answer) = line.strip_suffix(b"\n") else {
        return false;
    };
    let answer = answer.trim_ascii();
    answer.eq_ignore_ascii_case(b"y") || answer.eq_ignore_ascii_case(b"yes")
}

/// Asks for a password without showing it, twice if it is a new one.
pub(crate) fn password(prompt: &str, is_new: bool) -> Result<SecretString, CliError> {
    if !is_interactive() {
        return Err(
            CliError::usage("there is no terminal to ask for the password on").hint(
                "name a file that contains it (`-` for the standard input), or set the environment \
                 variable that `--help` names",
            ),
        );
    }
    let question = Password::new().with_prompt(printable(prompt));
    let question = if is_new {
        question.with_confirmation("Again", "The passwords do not match.")
    } else {
        question
    };
    question
        .interact()
        .map(SecretString::from)
        .map_err(unanswered)
}

fn unanswered(error: dialoguer::Error) -> CliError {
    CliError::failed("no answer was given").because(error)
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
