//! The token of the command line.

use anyhow::{Context as _, anyhow};
use portcullis_client::ClientError;
use portcullis_client::first_contact::FirstContactError;
use portcullis_enrollment::{IssuerError, TokenError, UnverifiedToken, jwt_form};
use portcullis_program::usage;
use std::path::Path;
use std::{fs, io};
use zeroize::Zeroizing;

/// Reads a token from a file or standard input, unless it is given itself.
pub(super) fn read(given: &Path) -> anyhow::Result<UnverifiedToken> {
    let text = match given.to_str() {
        Some("-") => {
            io::read_to_string(io::stdin()).context("the token cannot be read from stdin")?
        },
        Some(word) if jwt_form::is_certain(word) => word.to_owned(),
        _ => fs::read_to_string(given)
            .with_context(|| format!("the token {} cannot be read", given.display()))?,
    };
    UnverifiedToken::parse(&Zeroizing::new(text)).map_err(|error| match error {
        TokenError::NotAToken => usage::error(
            "--jwt: this is not an enrollment token, which is a single line with three parts separated by dots",
        ),
        error => error.into(),
    })
}

/// Adds what to do about it.
pub(super) fn explain(error: IssuerError) -> anyhow::Error {
    let advice = match &error {
        IssuerError::Token(TokenError::Expired) => {
            "ask the administrator for a new one (`portcullis edge-router re-enroll`)"
        },
        IssuerError::Token(TokenError::OfOther { source, .. }) => {
            return anyhow!("{error}: {source}; do not use it with any other controller");
        },
        IssuerError::Contact(FirstContactError::Client(ClientError::Unreachable { .. }))
        | IssuerError::Client(ClientError::Unreachable { .. }) => {
            "check that the controller is running, and that this machine reaches the address in the token"
        },
        _ => return error.into(),
    };
    let text = portcullis_program::output::error_chain(&error.into());
    anyhow!("{text}; {advice}")
}
