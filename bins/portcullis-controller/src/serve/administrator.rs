//! Lookup of the first administrator.

use super::RunningController;
use super::core::Core;
use anyhow::Context as _;
use portcullis_app::password::{PasswordCheck, PasswordPool};
use portcullis_domain::authenticator::{Authenticator, Credential, UpdbCredential};
use portcullis_domain::change::Change;
use portcullis_domain::identity::Identity;
use portcullis_domain::peer::Peer;
use portcullis_storage::engine::Engine as _;
use portcullis_storage::tables::{Rows, UniqueIndex, UniqueValue};
use portcullis_storage_redb::RedbEngine;
use secrecy::SecretString;

#[derive(Debug)]
pub struct FirstAdministrator {
    name: String,
    login: Option<UpdbCredential>,
}

impl FirstAdministrator {
    /// Username, or the name of the identity if it has none.
    pub fn name(&self) -> &str {
        match &self.login {
            Some(login) => &login.username,
            None => &self.name,
        }
    }

    /// Name of the identity.
    pub(crate) fn identity_name(&self) -> &str {
        &self.name
    }

    /// Whether `password` is the current password.
    ///
    /// # Errors
    /// If passwords cannot be checked.
    pub async fn has_password(&self, password: SecretString) -> anyhow::Result<bool> {
        let Some(login) = &self.login else {
            return Ok(false);
        };
        let pool = PasswordPool::start(1, 1).context("passwords cannot be checked")?;
        let stored = Some(login.password.clone());
        let verdict = pool.verify(Peer::CONTROLLER, password, stored).await?;
        Ok(verdict != PasswordCheck::Wrong)
    }
}

impl RunningController {
    /// Finds the first administrator.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn administrator(&self) -> anyhow::Result<Option<FirstAdministrator>> {
        find(&self.engine)
    }
}

impl Core {
    /// Finds the first administrator.
    pub(crate) fn administrator(&self) -> anyhow::Result<Option<FirstAdministrator>> {
        find(&self.engine)
    }
}

fn find(engine: &RedbEngine<Change>) -> anyhow::Result<Option<FirstAdministrator>> {
    let snapshot = engine.snapshot()?;
    let rows = Rows::new(&*snapshot);
    let mark = UniqueValue::new(UniqueIndex::DefaultAdministrator, "");
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
