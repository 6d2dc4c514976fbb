//! Arguments of `run`.

use clap::{Args, ValueHint};
use portcullis_program::memory;
use std::path::PathBuf;

const EXAMPLES: &str = "\
The file is that of `ziti router run`, and is checked as `config check` does:
mistakes are shown with their places, and warnings say what has no effect.
Mistakes that OpenZiti's router passes over are warnings, too. The router
runs until SIGTERM or SIGINT. SIGHUP has it read its certificates again, which
it also does by itself when their files change. Beside the file there is a socket
for its operator, by which `quiesce`, `renew` and `decommission` reach it.

Examples:
  portcullis-router run r1.yml
  portcullis-router run --extend r1.yml
  portcullis-router --log debug run /etc/portcullis/router.yml";

/// MiB without which a few streams would take everything.
const LEAST_BUFFER_MEMORY: u32 = 16;

/// Arguments of `run`.
#[derive(Debug, Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct RunArgs {
    /// Configuration file
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: PathBuf,

    /// Ask the controller for new certificates at once, for instance after `csr` has changed
    #[arg(short, long)]
    pub(crate) extend: bool,

    /// Memory that messages may wait in, in MiB, 16 at least; half of the machine's or the container's
    /// unless given
    #[arg(
        long,
        value_name = "MIB",
        env = "PORTCULLIS_ROUTER_BUFFER_MEMORY",
        value_parser = mebibytes
    )]
    pub(crate) buffer_memory: Option<u32>,

    #[command(flatten)]
    pub(crate) of_openziti: OpenZitiArgs,
}

fn mebibytes(text: &str) -> Result<u32, String> {
    match text.parse() {
        Ok(given) if given >= LEAST_BUFFER_MEMORY => Ok(given),
        _ => Err(format!(
            "it is a number of MiB without a unit, {LEAST_BUFFER_MEMORY} at least, such as 512"
        )),
    }
}

/// Options of `ziti router run` that have no effect here.
#[derive(Debug, Args)]
pub(crate) struct OpenZitiArgs {
    #[arg(long, hide = true)]
    log_formatter: Option<String>,

    #[arg(long, hide = true)]
    debug_ops: bool,

    #[arg(short = 'a', long, hide = true)]
    cliagent: bool,

    #[arg(long, hide = true)]
    cli_agent_addr: Option<String>,

    #[arg(long, hide = true)]
    cli_agent_alias: Option<String>,
}

impl RunArgs {
    /// Bytes that messages may wait in.
    pub(crate) fn buffer_bytes(&self) -> usize {
        self.buffer_memory
            .map_or_else(memory::for_buffers, |mebibytes| {
                let bytes = u64::from(mebibytes) << 20;
                usize::try_from(bytes).unwrap_or(usize::MAX)
            })
    }
}

impl OpenZitiArgs {
    /// The options that are given, each with what there is instead.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let agent =
            "the controller inspects routers, and `portcullis-router` has the other commands";
        [
            (
                "--log-formatter",
                self.log_formatter.is_some(),
                "the log is text at a terminal and JSON otherwise",
            ),
            (
                "--debug-ops",
                self.debug_ops,
                "the controller inspects routers",
            ),
            ("--cliagent", self.cliagent, agent),
            ("--cli-agent-addr", self.cli_agent_addr.is_some(), agent),
            ("--cli-agent-alias", self.cli_agent_alias.is_some(), agent),
        ]
        .into_iter()
        .filter_map(|(name, is_given, instead)| is_given.then_some((name, instead)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        run: RunArgs,
    }

    #[test]
    fn memory_for_messages_is_given_in_mebibytes_or_follows_from_the_machine() {
        let bytes = |arguments: &[&str]| {
            let arguments = ["run", "r1.yml"].iter().chain(arguments);
            Program::try_parse_from(arguments).map(|program| program.run.buffer_bytes())
        };
        assert_eq!(bytes(&["--buffer-memory", "16"]).unwrap(), 16 << 20);
        assert_eq!(bytes(&[]).unwrap(), memory::for_buffers());
        for refused in ["15", "0", "-1", "all", "64MiB"] {
            let refused = bytes(&[&format!("--buffer-memory={refused}")]).unwrap_err();
            let error = refused.to_string();
            assert!(error.contains("--buffer-memory"), "{error}");
            assert!(error.contains("MiB without a unit, 16 at least"), "{error}");
        }
    }
}
