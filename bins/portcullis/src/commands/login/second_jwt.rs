//! Second JWTs of logins.

use super::LoginArgs;
use super::method::{self, LoginMethod};
use crate::error::CliError;
use crate::profile::Profile;
use std::path::PathBuf;

/// File of the second JWT: given, or that of the repeated login.
pub(super) fn choose(
    arguments: &LoginArgs,
    known: Option<&Profile>,
) -> Result<Option<PathBuf>, CliError> {
    if let Some(path) = &arguments.second_ext_jwt {
        return method::absolute_path(path).map(Some);
    }
    let is_repeated = !LoginMethod::is_given(arguments);
    Ok(known
        .filter(|_| is_repeated)
        .and_then(|profile| profile.second_ext_jwt.clone()))
}

/// Parses a file path that later commands can read too.
pub(super) fn parse_file(text: &str) -> Result<PathBuf, String> {
    if text == "-" {
        return Err(
            "it must be a file, not standard input, because later commands read it too".to_owned(),
        );
    }
    Ok(PathBuf::from(text))
}
