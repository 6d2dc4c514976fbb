//! Identities of a network with services, and those of them who have logged in.

use super::attributes;
use super::{Seed, name};
use anyhow::Context as _;
use portcullis_domain::api_session::SessionTotp;
use portcullis_domain::config::ALL_TYPES;
use portcullis_domain::entropy;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{IdentityId, RecordNumber};
use portcullis_storage::engine::{Engine as _, submit_with};
use portcullis_storage::tables::{
    API_SESSION, AUTHENTICATOR, IDENTITY, RowsMut, WriteError, identity_key,
};
use portcullis_system::SystemEntropy;
use std::ops::Range;

impl Seed {
    /// Writes the members of a network with these numbers.
    pub(in crate::bench) fn members(&self, numbers: Range<u64>) -> anyhow::Result<()> {
        self.write_as(numbers, |number| member(&name(number), number))
    }

    /// Writes so many members who have logged in; answers the tokens of their sessions.
    pub(in crate::bench) fn clients(&self, count: u64) -> anyhow::Result<Vec<String>> {
        (0..count).map(|number| self.client(number)).collect()
    }

    fn client(&self, number: u64) -> anyhow::Result<String> {
        let username = format!("client-{number}");
        let id = IdentityId::generate(&SystemEntropy)?;
        let mut identity = Identity::new(id, member(&username, number)?, self.now);
        identity.attached.authenticators = 1;
        let authenticator = self.password(&identity, username)?;
        let token = entropy::uuid(&SystemEntropy)?;
        let mut session = self.session(&identity, &authenticator, &token)?;
        session.totp = SessionTotp::default();
        session.config_types = vec![ALL_TYPES.to_owned()];
        let key = identity_key(RecordNumber(self.engine.allocate(IDENTITY)));
        let authenticator_key = key.dependent(AUTHENTICATOR, self.engine.allocate(AUTHENTICATOR));
        let session_key = key.dependent(API_SESSION, self.engine.allocate(API_SESSION));
        let outcome = submit_with(&self.engine, move |tx| -> Result<(), WriteError> {
            let mut into = RowsMut::new(tx);
            into.insert(&key, &identity)?;
            into.insert(&authenticator_key, &authenticator)?;
            into.insert(&session_key, &session)
        })?;
        outcome.wait()??;
        Ok(token)
    }
}

fn member(name: &str, number: u64) -> anyhow::Result<IdentitySpec> {
    let mut spec = IdentitySpec::named(IdentityName::new(name).ok().context("no name")?);
    spec.role_attributes = attributes::carried(number)?;
    Ok(spec)
}
