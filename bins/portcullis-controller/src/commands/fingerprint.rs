//! `fingerprint`: the CA by which clients recognize the network.

use crate::ca_bundle::CaBundle;
use crate::cli::FingerprintArgs;
use crate::config;
use crate::home::Home;
use crate::output::{one_line, print_line};
use portcullis_pki::Certificate;
use portcullis_program::OutputFormat;
use serde::Serialize;
use std::path::PathBuf;
use std::process::ExitCode;

/// A CA in JSON.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct FingerprintRecord {
    subject: String,
    not_before: String,
    not_after: String,
    sha256: String,
}

pub(super) fn run(arguments: &FingerprintArgs) -> anyhow::Result<ExitCode> {
    let config = config::load_well_formed(&[&config_file(arguments)])?;
    let roots = CaBundle::load(&config)?.roots_for_clients();
    match arguments.output {
        OutputFormat::Text => print_line(text(&roots)),
        OutputFormat::Json => {
            let records: Vec<_> = roots.iter().map(record).collect();
            print_line(serde_json::to_string_pretty(&records)?);
        },
    }
    Ok(ExitCode::SUCCESS)
}

fn config_file(arguments: &FingerprintArgs) -> PathBuf {
    match (&arguments.config, &arguments.home) {
        (Some(file), _) => file.clone(),
        (None, Some(home)) => Home::at(home).config,
        // The argument parser demands one of the two.
        (None, None) => PathBuf::new(),
    }
}

/// As `portcullis login` shows them at 80 columns, so that people can compare line by line.
fn text(roots: &[Certificate]) -> String {
    let blocks: Vec<_> = roots.iter().map(block).collect();
    blocks.join("\n\n")
}

fn block(root: &Certificate) -> String {
    let [first, second] = root.sha256().halves();
    format!(
        "authority  {}\nvalid      {} to {}\nSHA-256    {first}\n           {second}",
        one_line(&root.subject()),
        root.not_before(),
        root.not_after(),
    )
}

fn record(root: &Certificate) -> FingerprintRecord {
    FingerprintRecord {
        subject: root.subject(),
        not_before: root.not_before().to_string(),
        not_after: root.not_after().to_string(),
        sha256: root.sha256().to_string(),
    }
}
