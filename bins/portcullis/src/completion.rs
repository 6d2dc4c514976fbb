//! Completion of command lines: scripts for shells ask the program itself.

mod bash;
mod candidates;
mod values;

pub(crate) use values::Values;

use crate::error::CliError;
use bash::Bash;
use candidates::Source;
use clap::Command;
use clap_complete::engine::ArgValueCompleter;
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Zsh};
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write as _};

/// Set by the scripts to the name of the shell.
const VARIABLE: &str = "PORTCULLIS_COMPLETE";

const PROGRAM: &str = "portcullis";

/// All shells with a script.
const SHELLS: [&dyn EnvCompleter; 5] = [&Bash, &Elvish, &Fish, &Powershell, &Zsh];

/// Names of the shells.
pub(crate) fn shells() -> impl Iterator<Item = &'static str> {
    SHELLS.iter().map(|shell| shell.name())
}

/// The script for a shell.
pub(crate) fn script(shell: &str) -> Result<Vec<u8>, CliError> {
    let mut script = Vec::new();
    let shell = find(OsStr::new(shell)).ok_or_else(|| CliError::usage("unknown shell"))?;
    shell.write_registration(VARIABLE, PROGRAM, PROGRAM, PROGRAM, &mut script)?;
    Ok(script)
}

/// Answers a script that asks for completions. `None` if none does.
pub(crate) fn answer(command: impl FnOnce() -> Command) -> Option<io::Result<()>> {
    let shell = env::var_os(VARIABLE).and_then(|name| find(&name))?;
    Some(write(shell, command()))
}

fn find(name: &OsStr) -> Option<&'static dyn EnvCompleter> {
    let name = name.to_str()?;
    SHELLS.into_iter().find(|shell| shell.is(name))
}

fn write(shell: &dyn EnvCompleter, command: Command) -> io::Result<()> {
    let words = env::args_os().skip_while(|word| word != "--").skip(1);
    let words: Vec<_> = words.collect();
    let typed = if shell.is(Bash::NAME) {
        bash::words(&words)
    } else {
        words.clone()
    };
    let mut command = with_values(command, &Source::new(&typed));
    let mut answer = Vec::new();
    let dir = env::current_dir().ok();
    shell.write_complete(&mut command, words, dir.as_deref(), &mut answer)?;
    io::stdout().write_all(&answer)
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
