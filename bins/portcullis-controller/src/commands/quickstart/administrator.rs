//! Administrator of a quickstart network.

use crate::cli::QuickstartArgs;
use crate::files::{self, SECRET_MODE};
use crate::home::Home;
use crate::serve::{FirstAdministrator, RunningController};
use crate::{admin_credentials, output};
use anyhow::Context as _;
use portcullis_app::administrator;
use portcullis_domain::ids;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

const DEFAULT_NAME: &str = "admin";

/// Name and password of the administrator for the summary.
pub(super) struct AdministratorSummary {
    /// The name to log in with.
    pub(super) name: String,
    pub(super) password: PasswordSource,
}

/// Source of the password.
pub(super) enum PasswordSource {
    /// From the command line; it is not printed.
    FromCommandLine,
    /// Generated, and stored in the home.
    Generated(SecretString),
    /// Set at an earlier start.
    FromEarlierStart(StoredPassword),
}

/// State of the password file in the home.
pub(super) enum StoredPassword {
    /// There is no file.
    None,
    /// The file contains the current password.
    Current,
    /// The file contains an outdated password.
    Outdated,
}

/// Validates the command line before anything is created.
pub(super) fn validate(arguments: &QuickstartArgs) -> anyhow::Result<()> {
    if let Some(name) = &arguments.username {
        admin_credentials::validate_username(name)?;
    }
    if let Some(password) = &arguments.password {
        admin_credentials::validate_password("--password", password)?;
    }
    Ok(())
}

/// Creates the administrator unless one exists.
pub(super) async fn ensure(
    running: &RunningController,
    home: &Home,
    arguments: &QuickstartArgs,
) -> anyhow::Result<AdministratorSummary> {
    if let Some(found) = running.administrator()? {
        let given = [
            ("--username", &arguments.username),
            ("--password", &arguments.password),
        ];
        for (flag, value) in given {
            if value.is_some() {
                output::print_message(format_args!(
                    "Ignored, because an administrator already exists: {flag}"
                ));
            }
        }
        return Ok(AdministratorSummary {
            name: found.name().to_owned(),
            password: PasswordSource::FromEarlierStart(check_stored_password(&found, home).await?),
        });
    }
    let name = arguments
        .username
        .clone()
        .unwrap_or_else(|| DEFAULT_NAME.to_owned());
    let (secret, password) = if let Some(given) = &arguments.password {
        // An interrupted start may have left a password that was never set.
        files::remove_if_exists(&home.password)?;
        (
            SecretString::from(given.as_str()),
            PasswordSource::FromCommandLine,
        )
    } else {
        let made = generate_password(running, home)?;
        (made.clone(), PasswordSource::Generated(made))
    };
    administrator::initialize(running.app(), &name, secret)
        .await
        .context("the administrator could not be created")?;
    Ok(AdministratorSummary { name, password })
}

/// Generates a password and stores it in the home, or reuses the one of an interrupted start.
fn generate_password(running: &RunningController, home: &Home) -> anyhow::Result<SecretString> {
    if let Some(kept) = stored_password(home)
        && admin_credentials::password_violation(kept.expose_secret()).is_none()
    {
        return Ok(kept);
    }
    let password = Zeroizing::new(ids::long(&*running.app().env().entropy)?);
    let line = Zeroizing::new(format!("{}\n", password.as_str()));
    files::replace(&home.password, line.as_bytes(), SECRET_MODE)?;
    Ok(password.as_str().into())
}

/// Password stored in the home, if any.
fn stored_password(home: &Home) -> Option<SecretString> {
    let text = std::fs::read_to_string(&home.password).map(Zeroizing::new);
    text.ok()
        .filter(|text| !text.trim().is_empty())
        .map(|text| text.trim().into())
}

async fn check_stored_password(
    administrator: &FirstAdministrator,
    home: &Home,
) -> anyhow::Result<StoredPassword> {
    let Some(password) = stored_password(home) else {
        return Ok(StoredPassword::None);
    };
    let is_right = administrator.has_password(password).await?;
    Ok(if is_right {
        StoredPassword::Current
    } else {
        StoredPassword::Outdated
    })
}
