//! Completion with names from the profiles and from the controller.

mod candidates;
mod values;

pub(crate) use values::Values;

use crate::cli;
use candidates::Source;
use clap::Command;
use clap_complete::engine::ArgValueCompleter;
use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

/// Name under which the scripts call the program.
pub(crate) const PROGRAM: &str = "portcullis";

/// Answers a script that asks for completions, and returns the exit code. `None` if none asks.
pub(crate) fn answer() -> Option<ExitCode> {
    portcullis_command_line::completion::answer(PROGRAM, |words| {
        with_values(cli::command(), &Source::new(words))
    })
}

/// Lets all arguments that declare [`Values`] be completed from `source`.
fn with_values(command: Command, source: &Source) -> Command {
    command
        .mut_args(|arg| match arg.get::<Values>().copied() {
            None => arg,
            Some(values) => {
                let source = source.clone();
                arg.add(ArgValueCompleter::new(move |current: &OsStr| {
                    source.complete(values, current)
                }))
            },
        })
        .mut_subcommands(|command| with_values(command, source))
}

/// The value of an option among typed words.
fn option(words: &[OsString], name: &str) -> Option<OsString> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word == name {
            return words.next().cloned();
        }
        let value = word.to_str().and_then(|word| word.strip_prefix(name));
        if let Some(value) = value.and_then(|rest| rest.strip_prefix('=')) {
            return Some(value.into());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_stand_before_or_in_the_same_word_as_their_values() {
        for (line, value) in [
            ("portcullis --profile p identity show la", Some("p")),
            ("portcullis identity --profile=q show la", Some("q")),
            ("portcullis identity show --profile", None),
            ("portcullis identity show --profiles=x", None),
        ] {
            let words: Vec<_> = line.split(' ').map(OsString::from).collect();
            let found = option(&words, "--profile");
            assert_eq!(found.as_deref(), value.map(OsStr::new), "{line}");
        }
    }
}
