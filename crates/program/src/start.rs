//! From the arguments of a program to its exit code.

use crate::command_line::{CommandLine, command};
use crate::panics::PanicGuard;
use crate::process_args::log_source;
use crate::{core_dumps, logging, output, panics, privileges, usage};
use portcullis_command_line::completion;
use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

/// Parses the command line, sets up the process, runs the command, and returns the exit code: 0 for success, 1 for a
/// failure, which is explained on stderr in one line, 2 for an invalid command line. No other thread may exist yet.
pub fn start<C: CommandLine>(
    panic_guard: PanicGuard,
    run: impl FnOnce(C) -> anyhow::Result<ExitCode>,
) -> ExitCode {
    if let Some(code) = completion::answer(C::NAME, |_words| command::<C>()) {
        return code;
    }
    let matches = command::<C>().get_matches();
    let parsed = match C::from_arg_matches(&matches) {
        Ok(parsed) => parsed,
        Err(error) => error.exit(),
    };
    let without_privileges = privileges::forbid_new();
    let _flush = logging::FlushAtEnd;
    panics::install_hook(panic_guard);
    let is_service = parsed.is_service();
    let logging = logging::init(parsed.process().log(), log_source(&matches));
    let outcome = logging.and_then(|()| {
        if !parsed.process().allow_core_dumps {
            core_dumps::forbid();
        }
        if let Err(error) = without_privileges {
            tracing::warn!(%error, "gaining privileges cannot be forbidden (PR_SET_NO_NEW_PRIVS)");
        }
        run(parsed)
    });
    match outcome {
        Ok(code) => code,
        Err(error) => {
            // A collector of lines looks for a level, and does not read the last sentence.
            if is_service && !io::stderr().is_terminal() {
                tracing::error!("{}", output::error_chain(&error));
            }
            // The log comes before the final error message.
            logging::flush();
            output::eprint_error(&error);
            usage::exit_code(&error)
        },
    }
}
