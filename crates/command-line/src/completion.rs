//! Completion of command lines: scripts for shells ask the program itself.

mod bash;

use bash::Bash;
use clap::{Command, ValueEnum};
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Zsh};
use std::env;
use std::ffi::OsString;
use std::io::{self, Write as _};
use std::process::ExitCode;

/// A shell with a script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    Bash,
    Elvish,
    Fish,
    Powershell,
    Zsh,
}

impl Shell {
    fn completer(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &Bash,
            Self::Elvish => &Elvish,
            Self::Fish => &Fish,
            Self::Powershell => &Powershell,
            Self::Zsh => &Zsh,
        }
    }

    /// The words of the line up to the cursor; the last one is incomplete.
    fn typed_words(self, handed_over: &[OsString]) -> Vec<OsString> {
        match self {
            Self::Bash => bash::words(handed_over),
            _ => handed_over.to_vec(),
        }
    }
}

/// The script that makes a shell ask `program` for completions.
pub fn script(program: &str, shell: Shell) -> io::Result<Vec<u8>> {
    let mut script = Vec::new();
    let shell = shell.completer();
    shell.write_registration(&variable(program), program, program, program, &mut script)?;
    Ok(script)
}

/// Answers a script that asks for completions, and returns the exit code; `None` if none asks.
/// `command` is given the words of the line, and declares the command line of `program`.
pub fn answer(program: &str, command: impl FnOnce(&[OsString]) -> Command) -> Option<ExitCode> {
    let name = env::var(variable(program)).ok()?;
    let shell = Shell::from_str(&name, false).ok()?;
    Some(match write(shell, command) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

/// Variable that the scripts set to the name of the shell.
fn variable(program: &str) -> String {
    format!("{}_COMPLETE", program.to_uppercase().replace('-', "_"))
}

fn write(shell: Shell, command: impl FnOnce(&[OsString]) -> Command) -> io::Result<()> {
    let words = env::args_os().skip_while(|word| word != "--").skip(1);
    let words: Vec<_> = words.collect();
    let mut command = command(&shell.typed_words(&words));
    let mut answer = Vec::new();
    let dir = env::current_dir().ok();
    let completer = shell.completer();
    completer.write_complete(&mut command, words, dir.as_deref(), &mut answer)?;
    io::stdout().write_all(&answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_program_has_a_variable_of_its_own() {
        assert_eq!(variable("portcullis"), "PORTCULLIS_COMPLETE");
        assert_eq!(
            variable("portcullis-controller"),
            "PORTCULLIS_CONTROLLER_COMPLETE"
        );
    }

    #[test]
    fn scripts_ask_the_program_by_its_variable() {
        for shell in Shell::value_variants() {
            let script = script("portcullis-controller", *shell).unwrap();
            let script = String::from_utf8(script).unwrap();
            for part in ["portcullis-controller", "PORTCULLIS_CONTROLLER_COMPLETE"] {
                assert!(script.contains(part), "{part}: {script}");
            }
        }
    }
}
