//! Checks router files and writes one JSON object per line, as a CI job would.
//!
//! `cargo run --example check -- router.yml`, or with `--as-openziti` in front of the files for what
//! OpenZiti's router would do with them.

use std::io::{self, Write as _};
use std::{env, fs};

use portcullis_router_config::openziti::{Machine, evaluate};
use portcullis_router_config::{CheckOptions, SourceFile, check, report_json};

fn main() -> io::Result<()> {
    let mut names: Vec<String> = env::args().skip(1).collect();
    let as_openziti = names.first().is_some_and(|name| name == "--as-openziti");
    if as_openziti {
        names.remove(0);
    }
    let lookup = |name: &str| env::var(name).ok();
    for name in names {
        let bytes = fs::read(&name)?;
        let text = SourceFile::new(&name, &bytes);
        let line = if as_openziti {
            let judgment = evaluate(&text, &Machine::new().environment(&lookup));
            report_json(&name, judgment.verdict, &judgment.findings)
        } else {
            let report = check(&text, &CheckOptions::new().environment(&lookup));
            report_json(&name, report.verdict, &report.findings)
        };
        writeln!(io::stdout(), "{line}")?;
    }
    Ok(())
}
