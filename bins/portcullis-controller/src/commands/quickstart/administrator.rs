//! The administrator of a quickstart network.

use crate::cli::Quickstart;
use crate::files::{self, SECRET};
use crate::home::Home;
use crate::serve::{FirstAdministrator, Running};
use crate::{login, output};
use anyhow::Context as _;
use portcullis_app::administrator;
use portcullis_domain::ids;
use secrecy::{ExposeSecret as _, SecretString};
use zeroize::Zeroizing;

const NAME: &str = "admin";

/// The administrator, as far as the person who starts the network is to be told.
pub(super) struct Administrator {
    /// The name to log in with.
    pub(super) name: String,
    /// Where the password comes from.
    pub(super) password: Password,
}

/// Where a password comes from.
pub(super) enum Password {
    /// From the command line; it is not repeated.
    Given,
    /// It was made here and stands in the home's file too.
    Generated(SecretString),
    /// It was set at an earlier start.
    Earlier(Kept),
}

/// What stands in the home's file for a password of an earlier start.
pub(super) enum Kept {
    /// Nothing: there is none.
    Nothing,
    /// The password.
    Password,
    /// One that does not hold any more.
    Outdated,
}

/// Judges what the command line says, before anything is made.
pub(super) fn check(arguments: &Quickstart) -> anyhow::Result<()> {
    if let Some(name) = &arguments.username {
        login::check_name(name)?;
    }
    if let Some(password) = &arguments.password {
        login::check_password(password)?;
    }
    Ok(())
}

/// Makes the administrator unless there is one.
pub(super) async fn ensure(
    running: &Running,
    home: &Home,
    arguments: &Quickstart,
) -> anyhow::Result<Administrator> {
    if let Some(found) = running.administrator()? {
        let given = [
            ("--username", &arguments.username),
            ("--password", &arguments.password),
        ];
        for (flag, value) in given {
            if value.is_some() {
                output::say(format_args!(
                    "Ignored, because there already is an administrator: {flag}"
                ));
            }
        }
        return Ok(Administrator {
            name: found.name().to_owned(),
            password: Password::Earlier(kept_for(&found, home).await?),
        });
    }
    let name = arguments
        .username
        .clone()
        .unwrap_or_else(|| NAME.to_owned());
    let (secret, password) = if let Some(given) = &arguments.password {
        // An interrupted start may have left one that nobody will ever log in with.
        files::discard(&home.password)?;
        (SecretString::from(given.as_str()), Password::Given)
    } else {
        let made = generated(running, home)?;
        (made.clone(), Password::Generated(made))
    };
    administrator::initialise(running.app(), &name, secret)
        .await
        .context("the administrator could not be created")?;
    Ok(Administrator { name, password })
}

/// Makes a password and keeps it in the home, or takes the one that an interrupted start left.
fn generated(running: &Running, home: &Home) -> anyhow::Result<SecretString> {
    if let Some(kept) = kept(home)
        && login::broken_rule(kept.expose_secret()).is_none()
    {
        return Ok(kept);
    }
    let password = Zeroizing::new(ids::long(&*running.app().env().entropy)?);
    let line = Zeroizing::new(format!("{}\n", password.as_str()));
    files::replace(&home.password, line.as_bytes(), SECRET)?;
    Ok(password.as_str().into())
}

/// The password that stands in the home, if one does.
fn kept(home: &Home) -> Option<SecretString> {
    let text = std::fs::read_to_string(&home.password).map(Zeroizing::new);
    text.ok()
        .filter(|text| !text.trim().is_empty())
        .map(|text| text.trim().into())
}

async fn kept_for(administrator: &FirstAdministrator, home: &Home) -> anyhow::Result<Kept> {
    let Some(password) = kept(home) else {
        return Ok(Kept::Nothing);
    };
    let is_right = administrator.has_password(password).await?;
    Ok(if is_right {
        Kept::Password
    } else {
        Kept::Outdated
    })
}
