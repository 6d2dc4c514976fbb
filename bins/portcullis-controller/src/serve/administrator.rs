//! What is known of the first administrator.

use super::Running;
use anyhow::Context as _;
use portcullis_app::password::{PasswordPool, Verdict};
use portcullis_domain::authenticator::{Authenticator, Credential, UpdbCredential};
use portcullis_domain::identity::Identity;
use portcullis_domain::peer::Peer;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::tables::{Index, Rows, UniqueValue};
use secrecy::SecretString;

/// The first administrator.
#[derive(Debug)]
pub struct FirstAdministrator {
    name: String,
    login: Option<UpdbCredential>,
}

impl FirstAdministrator {
    /// The name to log in with.
    pub fn name(&self) -> &str {
        match &self.login {
            Some(login) => &login.username,
            None => &self.name,
        }
    }

    /// Whether `password` is the one to log in with.
    ///
    /// # Errors
    ///
    /// When passwords cannot be checked.
    pub async fn has_password(&self, password: SecretString) -> anyhow::Result<bool> {
        let Some(login) = &self.login else {
            return Ok(false);
        };
        let pool = PasswordPool::start(1, 1).context("passwords cannot be checked")?;
        let stored = Some(login.password.clone());
        let verdict = pool.verify(Peer::CONTROLLER, password, stored).await?;
        Ok(verdict != Verdict::Wrong)
    }
}

impl Running {
    /// The first administrator, if there is one.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn administrator(&self) -> anyhow::Result<Option<FirstAdministrator>> {
        let snapshot = self.engine.snapshot()?;
        let rows = Rows::new(&*snapshot);
        let mark = UniqueValue::new(Index::DefaultAdministrator, "");
        let Some(found) = rows.find::<Identity>(&mark)? else {
            return Ok(None);
        };
        let mut logins = rows
            .dependents::<Authenticator>(&found.key)?
            .into_iter()
            .filter_map(|each| match each.entity.credential {
                Credential::Updb(updb) => Some(updb),
                Credential::Cert(_) => None,
            });
        Ok(Some(FirstAdministrator {
            name: found.entity.name().to_owned(),
            login: logins.next_back(),
        }))
    }
}
