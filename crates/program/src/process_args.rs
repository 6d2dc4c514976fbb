//! Options about the process, which all commands of a program have.

use clap::parser::ValueSource;
use clap::{ArgMatches, Args};

/// Options about the log, and about what others may see of the memory of the process.
#[derive(Debug, Args)]
pub struct ProcessArgs {
    // The help is `CommandLine::LOG_HELP`.
    #[arg(id = LOG, long, value_name = "FILTER", env = VARIABLE, global = true)]
    log: Option<String>,

    /// The same as `--log debug`
    #[arg(short, long, global = true)]
    verbose: bool,

    /// Allow core dumps, and debuggers run by the same user; both can expose secrets
    #[arg(long, global = true)]
    pub(crate) allow_core_dumps: bool,
}

/// Name of the option with the filter of the log.
pub(crate) const LOG: &str = "log";

/// The variable that stands for it.
const VARIABLE: &str = "PORTCULLIS_LOG";

impl ProcessArgs {
    /// Filter of the log.
    pub(crate) fn log(&self) -> Option<&str> {
        let verbose = self.verbose.then_some("debug");
        self.log.as_deref().or(verbose)
    }
}

/// The option or variable that the filter of the log comes from.
pub(crate) fn log_source(matches: &ArgMatches) -> &'static str {
    match matches.value_source(LOG) {
        Some(ValueSource::EnvVariable) => VARIABLE,
        _ => "--log",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{CommandFactory as _, FromArgMatches as _, Parser};

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        process: ProcessArgs,
    }

    #[test]
    fn a_filter_says_more_than_verbose() {
        let arguments = ["program", "-v", "--log", "warn,audit=info"];
        let matches = Program::command().get_matches_from(arguments);
        assert_eq!(log_source(&matches), "--log");
        let program = Program::from_arg_matches(&matches).unwrap();
        assert_eq!(program.process.log(), Some("warn,audit=info"));
    }
}
