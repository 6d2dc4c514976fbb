//! The JWT that goes beside a login.

use super::LoginArgs;
use super::way::{self, Way};
use crate::error::CliError;
use crate::profile::Profile;
use std::path::PathBuf;

/// The file of the second JWT: the one that is given, else the one of the login that is repeated.
pub(super) fn choose(
    arguments: &LoginArgs,
    known: Option<&Profile>,
) -> Result<Option<PathBuf>, CliError> {
    if let Some(path) = &arguments.second_ext_jwt {
        return way::absolute(path).map(Some);
    }
    let is_repeated = !Way::is_given(arguments);
    Ok(known
        .filter(|_| is_repeated)
        .and_then(|profile| profile.second_ext_jwt.clone()))
}

/// A file that is there for the next command too.
pub(super) fn file(text: &str) -> Result<PathBuf, String> {
    if text == "-" {
        return Err(
            "it must be a file, not the standard input: later commands read it too".to_owned(),
        );
    }
    Ok(PathBuf::from(text))
}
