//! Arguments of `config`.

mod generate;

pub(crate) use generate::{ConfigGenerateArgs, OwnPkiArgs};

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use clap_complete::CompletionCandidate;
use clap_complete::engine::ArgValueCompleter;
use portcullis_controller_config::ControllerFile;
use portcullis_key_table::complete_path;
use portcullis_program::OutputFormat;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

pub(super) const EXAMPLES: &str = "\
These commands only read the given files; `generate` writes new ones. None of
them needs a running controller. The format is that of OpenZiti's controller.

Examples:
  portcullis-controller config generate
  portcullis-controller config generate --address ctrl.example.com \\
      --dir /srv/network
  portcullis-controller config check controller.yml
  portcullis-controller config show controller.yml
  portcullis-controller config explain edge.api.sessionTimeout
  portcullis-controller config schema > controller.schema.json";

const CHECK_EXAMPLES: &str = "\
Besides the keys and values, it judges what `run` and clients would find: dates,
names and chains of certificates, keys that fit, modes of files, addresses that
others can reach. Exits with 0 if all files are valid, otherwise with 1.

Examples:
  portcullis-controller config check controller.yml
  portcullis-controller config check controller.yml --overlay production.yml
  portcullis-controller config check -o json controller.yml";

/// Subcommands of `config`.
#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Create the file and the certificates of a network that stays
    Generate(Box<ConfigGenerateArgs>),
    /// Find every mistake in configuration files
    Check(ConfigCheckArgs),
    /// Show effective values, including defaults, and their sources
    Show(ConfigShowArgs),
    /// Explain a key: meaning, default, bounds and an example
    Explain(ConfigExplainArgs),
    /// Print the JSON Schema of the file, for completion and hints in editors
    #[command(after_long_help = SCHEMA_EXAMPLES)]
    Schema,
}

/// Arguments of `config check`.
#[derive(Debug, Args)]
#[command(after_long_help = CHECK_EXAMPLES)]
pub(crate) struct ConfigCheckArgs {
    /// Configuration files, each complete on its own
    #[arg(required = true, value_name = "CONFIG")]
    pub(crate) files: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) overlays: OverlayArgs,

    /// Format of the findings
    #[arg(short, long, visible_alias = "format", value_name = "FORMAT", value_enum,
          default_value_t = OutputFormat::Text)]
    pub(crate) output: OutputFormat,
}

/// Partial files over a complete one.
#[derive(Debug, Args)]
pub(crate) struct OverlayArgs {
    /// Partial file whose keys override those of the configuration file, like --config of `quickstart`;
    /// may be repeated
    #[arg(long = "overlay", value_name = "FILE", value_hint = ValueHint::FilePath)]
    overlays: Vec<PathBuf>,
}

impl OverlayArgs {
    /// A complete file, and then the partial ones.
    pub(crate) fn over<'a>(&'a self, config: &'a Path) -> Vec<&'a Path> {
        let overlays = self.overlays.iter().map(PathBuf::as_path);
        std::iter::once(config).chain(overlays).collect()
    }
}

const EXPLAIN_EXAMPLES: &str = "\
Without a key, the sections are listed. Indexes of lists are optional. If keys
depend on the binding of an API, all variants are shown; `web.apis[spa]` selects
one.

Examples:
  portcullis-controller config explain
  portcullis-controller config explain edge.api
  portcullis-controller config explain web[0].bindPoints[0].address
  portcullis-controller config explain web.apis[spa].options.path";

/// Arguments of `config explain`.
#[derive(Debug, Args)]
#[command(after_long_help = EXPLAIN_EXAMPLES)]
pub(crate) struct ConfigExplainArgs {
    /// Dotted path of the key
    #[arg(value_name = "KEY", add = ArgValueCompleter::new(complete_key))]
    pub(crate) path: Option<String>,

    /// Format of the explanation
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = OutputFormat::Text)]
    pub(crate) output: OutputFormat,
}

/// Candidates for a key that is being typed.
fn complete_key(typed: &OsStr) -> Vec<CompletionCandidate> {
    let typed = typed.to_str().unwrap_or_default();
    let found = complete_path::<ControllerFile>(typed).into_iter();
    let found = found.map(|(path, doc)| CompletionCandidate::new(path).help(Some(doc.into())));
    found.collect()
}

const SHOW_EXAMPLES: &str = "\
Each value has its source: a line of the file, an environment variable, a
default, or another value that it follows from. If the file has mistakes, all
values that can be understood are shown; the mistakes go to standard error, and
the exit code is 1. Private keys in the file are omitted.

Examples:
  portcullis-controller config show controller.yml
  portcullis-controller config show controller.yml --overlay production.yml
  portcullis-controller config show -o json controller.yml |
      jq '.[\"edge.api.address\"]'";

/// Arguments of `config show`.
#[derive(Debug, Args)]
#[command(after_long_help = SHOW_EXAMPLES)]
pub(crate) struct ConfigShowArgs {
    /// Configuration file
    #[arg(value_name = "CONFIG", value_hint = ValueHint::FilePath)]
    pub(crate) config: PathBuf,

    #[command(flatten)]
    pub(crate) overlays: OverlayArgs,

    /// Format of the values
    #[arg(short, long, value_name = "FORMAT", value_enum, default_value_t = ValuesFormat::Yaml)]
    pub(crate) output: ValuesFormat,
}

const SCHEMA_EXAMPLES: &str = "\
The schema is JSON Schema 2020-12, with descriptions, defaults, bounds and
examples. Editors with a YAML language server use it if this is the first line
of the file:

  # yaml-language-server: $schema=./controller.schema.json

Examples:
  portcullis-controller config schema > controller.schema.json";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ValuesFormat {
    /// Nested like the file, with the source of each value in a comment
    Yaml,
    /// A JSON object from key paths to values and their sources
    Json,
}
