//! `enroll`: get an identity file with a token of a controller.

mod token;

use crate::cli::EnrollArgs;
use anyhow::{Context as _, bail};
use portcullis_edge_session::enroll;
use portcullis_files::SECRET_MODE;
use portcullis_program::{output, usage};
use std::path::{Path, PathBuf};

pub(super) async fn run(arguments: EnrollArgs) -> anyhow::Result<()> {
    let out = output_file(&arguments.token, arguments.out.as_deref(), arguments.force)?;
    let token = token::read(&arguments.token)?;
    // What cannot be written is found out before the token is spent.
    let draft = portcullis_files::write_draft(&out, &[], SECRET_MODE)?;
    let env = portcullis_system::env();
    let enrolling = Box::pin(enroll(&token, arguments.key_type.into(), &env));
    let identity = match enrolling.await {
        Ok(identity) => identity,
        Err(error) => {
            portcullis_files::remove_if_exists(&draft)?;
            return Err(token::explain(&arguments.token, error));
        },
    };
    identity
        .write(&out)
        .context("the token is spent; ask the administrator for a new one")?;
    let out = out.display().to_string();
    output::print_message(format_args!("Enrolled; the identity is in {out}."));
    output::print_message(format_args!(
        "Next: portcullis-tunnel proxy --identity {} SERVICE:PORT",
        output::shell_quoted(&out),
    ));
    Ok(())
}

fn output_file(token: &Path, out: Option<&Path>, is_forced: bool) -> anyhow::Result<PathBuf> {
    let out = match out {
        Some(out) => out.to_owned(),
        None if token == Path::new("-") => {
            return Err(usage::error(
                "the identity file needs a name: add --out FILE",
            ));
        },
        None => token.with_extension("json"),
    };
    if out == token {
        return Err(usage::error(format!(
            "{} is the token, and is not overwritten; choose another file with --out",
            out.display()
        )));
    }
    if !is_forced && out.symlink_metadata().is_ok() {
        bail!(
            "{} already exists; choose another file with --out, or overwrite it with --force",
            out.display()
        );
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_there_are_kept() {
        let directory = tempfile::tempdir().expect("a directory");
        let token = directory.path().join("laptop.jwt");
        let json = directory.path().join("laptop.json");
        let chosen = output_file(&token, None, false).expect("a name");
        assert_eq!(chosen, json);
        std::fs::write(&json, "").expect("written");
        assert!(output_file(&token, None, false).is_err());
        assert!(output_file(&token, None, true).is_ok());
        assert!(output_file(&token, Some(&token), true).is_err());
        assert!(output_file(Path::new("-"), None, false).is_err());
    }
}
