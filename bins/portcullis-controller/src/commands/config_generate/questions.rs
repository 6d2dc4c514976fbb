//! Questions on a terminal for what is not given by options.

use super::answers::{
    Answers, DEFAULT_CTRL_PORT, DEFAULT_PORT, absolute, db, parse_host, parse_port, parse_sans,
    parse_trust_domain,
};
use super::own_pki;
use crate::cli::ConfigGenerateArgs;
use crate::commands::quickstart;
use crate::{directory_draft, output, prompt, usage};
use std::io::{self, IsTerminal as _};
use std::path::{Path, PathBuf};

/// Directory that is suggested.
const DEFAULT_DIRECTORY: &str = "network";

/// Collects the answers from options and, on a terminal, by asking for the rest.
pub(super) async fn ask(arguments: &ConfigGenerateArgs) -> anyhow::Result<Answers> {
    let source = Source::of(arguments)?;
    let given_directory = arguments.dir.as_deref().map(absolute).transpose()?;
    if let Some(directory) = &given_directory {
        require_room(directory, arguments)?;
    }
    let host = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    let address = Question {
        option: "--address",
        text: "Host name or IP address under which others reach the controller",
        suggestion: Suggestion::Text(&host),
    };
    let sans = Question {
        option: "--san",
        text: "Further names and addresses of it, separated by commas",
        suggestion: Suggestion::Nothing("none"),
    };
    let trust_domain = Question {
        option: "--trust-domain",
        text: "Name of the network in SPIFFE ids",
        suggestion: Suggestion::Nothing("a random one"),
    };
    let given = (!arguments.sans.is_empty()).then(|| arguments.sans.join(","));
    let address = source
        .answer(arguments.address.as_deref(), address, parse_host)
        .await?;
    let sans = source.answer(given.as_deref(), sans, parse_sans).await?;
    let default_port = DEFAULT_PORT.to_string();
    let port = Question {
        option: "--port",
        text: "Port of the APIs",
        suggestion: Suggestion::Text(&default_port),
    };
    let default_ctrl_port = DEFAULT_CTRL_PORT.to_string();
    let ctrl_port = Question {
        option: "--ctrl-port",
        text: "Port for routers",
        suggestion: Suggestion::Text(&default_ctrl_port),
    };
    let port = source.port(arguments.port, port).await?;
    let ctrl_port = source.port(arguments.ctrl_port, ctrl_port).await?;
    let domain = arguments.trust_domain.as_deref();
    let trust_domain = source
        .answer(domain, trust_domain, parse_trust_domain)
        .await?;
    let directory = match given_directory {
        Some(directory) => directory,
        None => source.directory(arguments).await?,
    };
    let interface = arguments.interface;
    Ok(Answers {
        interface: interface.unwrap_or_else(|| quickstart::interface(&address)),
        address,
        sans,
        port,
        ctrl_port,
        trust_domain,
        db: db(&directory, arguments.store.as_deref())?,
        directory,
    })
}

/// A question, with the option that answers it in advance.
#[derive(Debug, Clone, Copy)]
struct Question<'text> {
    option: &'static str,
    text: &'static str,
    suggestion: Suggestion<'text>,
}

/// Answer that stands for an empty line.
#[derive(Debug, Clone, Copy)]
enum Suggestion<'text> {
    Text(&'text str),
    /// An empty answer, described in words.
    Nothing(&'text str),
}

/// Where answers come from that no option gives.
#[derive(Debug, Clone, Copy)]
enum Source {
    Terminal,
    Defaults,
}

impl Source {
    /// Refuses options that leave something open that nobody can be asked for.
    fn of(arguments: &ConfigGenerateArgs) -> anyhow::Result<Self> {
        let is_terminal = io::stdin().is_terminal() && io::stderr().is_terminal();
        if is_terminal && !arguments.yes {
            return Ok(Self::Terminal);
        }
        let options = [
            ("--address", arguments.address.is_none()),
            ("--dir", arguments.dir.is_none()),
        ];
        let missing = options.iter().filter(|(_, is_missing)| *is_missing);
        let missing: Vec<_> = missing.map(|(name, _)| *name).collect();
        if missing.is_empty() {
            return Ok(Self::Defaults);
        }
        let why = if is_terminal {
            "with --yes nothing is asked"
        } else {
            "there is no terminal to ask on"
        };
        Err(usage::error(format!(
            "{} must be given: {why}",
            missing.join(" and ")
        )))
    }

    /// Takes the answer that an option gives, or asks until one is good.
    async fn answer<T>(
        self,
        given: Option<&str>,
        question: Question<'_>,
        parse: impl Fn(&str) -> anyhow::Result<T>,
    ) -> anyhow::Result<T> {
        let (suggested, shown) = match question.suggestion {
            Suggestion::Text(text) => (text, text),
            Suggestion::Nothing(words) => ("", words),
        };
        let taken = match self {
            Self::Terminal => given,
            Self::Defaults => Some(given.unwrap_or(suggested)),
        };
        if let Some(taken) = taken {
            let invalid = |error| usage::error(format!("{}: {error}", question.option));
            return parse(taken).map_err(invalid);
        }
        loop {
            let line = prompt::read_line(&format!("{} [{shown}]:", question.text)).await?;
            let answer = match line.trim() {
                "" => suggested,
                answer => answer,
            };
            match parse(answer) {
                Ok(answer) => return Ok(answer),
                Err(error) => {
                    let text = output::error_chain(&error);
                    output::eprint_line(format_args!("  {}", output::one_line(&text)));
                },
            }
        }
    }

    async fn port(self, given: Option<u16>, question: Question<'_>) -> anyhow::Result<u16> {
        let given = given.map(|port| port.to_string());
        self.answer(given.as_deref(), question, parse_port).await
    }

    /// A directory that can be written to as the options want it.
    async fn directory(self, arguments: &ConfigGenerateArgs) -> anyhow::Result<PathBuf> {
        let question = Question {
            option: "--dir",
            text: "Directory for configuration, certificates and store",
            suggestion: Suggestion::Text(DEFAULT_DIRECTORY),
        };
        let parse = |text: &str| {
            let directory = absolute(Path::new(text))?;
            require_room(&directory, arguments)?;
            Ok(directory)
        };
        self.answer(None, question, parse).await
    }
}

/// Refuses a directory in which something is in the way.
fn require_room(directory: &Path, arguments: &ConfigGenerateArgs) -> anyhow::Result<()> {
    if arguments.own_pki.cert.is_some() {
        return own_pki::require_room(directory);
    }
    directory_draft::is_empty_directory(directory).map(|_exists| ())
}
