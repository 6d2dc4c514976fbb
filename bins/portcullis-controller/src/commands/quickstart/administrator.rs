//! The administrator of a quickstart network.

use crate::cli::Quickstart;
use crate::files::{self, SECRET};
use crate::home::Home;
use crate::output;
use crate::serve::Running;
use anyhow::Context as _;
use portcullis_app::administrator;
use portcullis_domain::ids;
use secrecy::SecretString;
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
    Earlier,
}

/// Makes the administrator unless there is one.
pub(super) async fn ensure(
    running: &Running,
    home: &Home,
    arguments: &Quickstart,
) -> anyhow::Result<Administrator> {
    if let Some(name) = running.administrator()? {
        let given = [
            ("--username", &arguments.username),
            ("--password", &arguments.password),
        ];
        for (flag, value) in given {
            if value.is_some() {
                output::say(format_args!(
                    "Ignored, because there is an administrator already: {flag}"
                ));
            }
        }
        return Ok(Administrator {
            name,
            password: Password::Earlier,
        });
    }
    let name = arguments
        .username
        .clone()
        .unwrap_or_else(|| NAME.to_owned());
    let (secret, password) = if let Some(given) = &arguments.password {
        (SecretString::from(given.as_str()), Password::Given)
    } else {
        let made = generated(running, home)?;
        (made.clone(), Password::Generated(made))
    };
    administrator::initialise(running.app(), &name, secret)
        .await
        .context("the administrator cannot be made")?;
    Ok(Administrator { name, password })
}

/// Makes a password and keeps it in the home, or takes the one that an interrupted start left.
fn generated(running: &Running, home: &Home) -> anyhow::Result<SecretString> {
    if let Ok(kept) = std::fs::read_to_string(&home.password).map(Zeroizing::new)
        && !kept.trim().is_empty()
    {
        return Ok(kept.trim().into());
    }
    let password = Zeroizing::new(ids::long(&*running.app().env().entropy)?);
    let line = Zeroizing::new(format!("{}\n", password.as_str()));
    files::replace(&home.password, line.as_bytes(), SECRET)?;
    Ok(password.as_str().into())
}
