//! The token of the command line.

use anyhow::{Context as _, anyhow};
use portcullis_client::ClientError;
use portcullis_client::first_contact::FirstContactError;
use portcullis_edge_session::EnrollError;
use portcullis_enrollment::{IssuerError, TokenError};
use portcullis_program::output;
use std::path::Path;
use std::{fs, io};
use zeroize::Zeroizing;

/// Reads a token from a file or standard input.
pub(super) fn read(path: &Path) -> anyhow::Result<Zeroizing<String>> {
    let text = if path == Path::new("-") {
        io::read_to_string(io::stdin()).context("the token cannot be read from stdin")
    } else {
        fs::read_to_string(path)
            .with_context(|| format!("the token {} cannot be read", path.display()))
    };
    text.map(Zeroizing::new)
}

/// Adds what to do about it.
pub(super) fn explain(path: &Path, error: EnrollError) -> anyhow::Error {
    let advice = match &error {
        EnrollError::Token(TokenError::NotAToken) => {
            return anyhow!(
                "{} is not an enrollment token, which is a single line with three parts separated by dots",
                path.display()
            );
        },
        EnrollError::Method(method) if ["erott", "trott"].contains(&method.as_str()) => {
            return anyhow!(
                "this token is for a router; run `portcullis-router enroll CONFIG --jwt TOKEN` on its machine"
            );
        },
        EnrollError::Issuer(IssuerError::Token(TokenError::Expired)) => {
            "ask the administrator for a new one (`portcullis enrollment refresh`)"
        },
        EnrollError::Issuer(IssuerError::Token(TokenError::OfOther { .. })) => {
            "do not use it with any other controller"
        },
        EnrollError::Issuer(
            IssuerError::Contact(FirstContactError::Client(ClientError::Unreachable { .. }))
            | IssuerError::Client(ClientError::Unreachable { .. }),
        ) => {
            "check that the controller is running, and that this machine reaches the address in the token"
        },
        _ => return error.into(),
    };
    let text = output::error_chain(&error.into());
    anyhow!("{text}; {advice}")
}
