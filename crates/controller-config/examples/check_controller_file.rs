//! Reads a configuration file, with partial ones merged over it, and prints all diagnostics.
//!
//! `cargo run -p portcullis-controller-config --example check_controller_file -- FILE [OVERLAY...]`

#![expect(clippy::print_stdout, reason = "printing is what the example is for")]

use std::error::Error;
use std::process::ExitCode;

use portcullis_controller_config::read;
use portcullis_yaml::{SourceId, decode};

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let mut texts = Vec::new();
    for (source, path) in (0u16..).map(SourceId).zip(&paths) {
        texts.push(decode(&std::fs::read(path)?, source)?);
    }
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let outcome = read(&texts, &|name| std::env::var(name).ok());
    for diagnostic in &outcome.diagnostics {
        let path = paths
            .get(usize::from(diagnostic.source.0))
            .map_or("", String::as_str);
        println!("{path}:{diagnostic}");
    }
    let Some(config) = outcome.config else {
        return Ok(ExitCode::FAILURE);
    };
    println!("the store is {}", config.store.store_path().display());
    Ok(ExitCode::SUCCESS)
}
