//! People who are enrolled in TOTP and have logged in, but not given their code yet.

use super::{GROUP, Seed};
use anyhow::Context as _;
use portcullis_domain::api_session::{ApiSession, OpenedBy, TokenHash};
use portcullis_domain::authenticator::{Authenticator, Credential, PasswordHash, UpdbCredential};
use portcullis_domain::entropy;
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{ApiSessionId, AuthenticatorId, IdentityId, MfaId, RecordNumber};
use portcullis_domain::mfa::{CodeUsage, Mfa, MfaProgress, SpentCodes, TimeStep};
use portcullis_storage::engine::{Engine as _, submit_with};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    API_SESSION, AUTHENTICATOR, IDENTITY, MFA, RowsMut, StoredMfa, WriteError, identity_key,
};
use portcullis_system::SystemEntropy;
use portcullis_totp::{RecoveryCodes, Secret};

/// Somebody who has still to give a code.
pub(in crate::bench) struct Person {
    /// The token of the session.
    pub(in crate::bench) token: String,
    /// What the codes are made of.
    pub(in crate::bench) secret: Secret,
    /// The session, and where it lies.
    pub(in crate::bench) session: (RecordKey, ApiSession),
    /// The enrollment, and where it lies.
    pub(in crate::bench) mfa: (RecordKey, StoredMfa),
}

/// What lies in the store of one of them.
struct Rows {
    identity: (RecordKey, Identity),
    authenticator: (RecordKey, Authenticator),
    session: (RecordKey, ApiSession),
    mfa: (RecordKey, StoredMfa),
}

impl Rows {
    fn insert(&self, into: &mut RowsMut<'_>) -> Result<(), WriteError> {
        into.insert(&self.identity.0, &self.identity.1)?;
        into.insert(&self.authenticator.0, &self.authenticator.1)?;
        into.insert(&self.session.0, &self.session.1)?;
        into.insert(&self.mfa.0, &self.mfa.1)
    }
}

impl Seed {
    /// Writes so many of them.
    pub(in crate::bench) fn people(&self, count: usize) -> anyhow::Result<Vec<Person>> {
        let mut people = Vec::with_capacity(count);
        while people.len() < count {
            let group = (people.len()..count.min(people.len() + GROUP))
                .map(|number| self.person(number))
                .collect::<anyhow::Result<Vec<_>>>()?;
            let (rows, more): (Vec<_>, Vec<_>) = group.into_iter().unzip();
            let outcome = submit_with(&self.engine, move |tx| {
                let mut into = RowsMut::new(tx);
                rows.iter().try_for_each(|each| each.insert(&mut into))
            })?;
            outcome.wait()??;
            people.extend(more);
        }
        Ok(people)
    }

    fn person(&self, number: usize) -> anyhow::Result<(Rows, Person)> {
        let name = format!("person-{number}");
        let spec = IdentitySpec::named(IdentityName::new(&name).ok().context("no name")?);
        let key = identity_key(RecordNumber(self.engine.allocate(IDENTITY)));
        let id = IdentityId::generate(&SystemEntropy)?;
        let mut identity = Identity::new(id, spec, self.now);
        let authenticator = self.password(&identity, name)?;
        let token = entropy::uuid(&SystemEntropy)?;
        let session = self.session(&identity, &authenticator, &token)?;
        let secret = Secret::generate(&SystemEntropy)?;
        let mfa_key = key.dependent(MFA, self.engine.allocate(MFA));
        let mfa = self.mfa(&mfa_key, &secret)?;
        identity.attached.authenticators = 1;
        identity.attached.totp = mfa.mfa.state();
        let rows = Rows {
            authenticator: (
                key.dependent(AUTHENTICATOR, self.engine.allocate(AUTHENTICATOR)),
                authenticator,
            ),
            session: (
                key.dependent(API_SESSION, self.engine.allocate(API_SESSION)),
                session,
            ),
            mfa: (mfa_key, mfa),
            identity: (key, identity),
        };
        let person = Person {
            token,
            secret,
            session: rows.session.clone(),
            mfa: rows.mfa.clone(),
        };
        Ok((rows, person))
    }

    /// A password that nobody knows: its hash is that of none.
    pub(super) fn password(
        &self,
        owner: &Identity,
        username: String,
    ) -> anyhow::Result<Authenticator> {
        let hash = PasswordHash {
            memory: 19 * 1024,
            passes: 2,
            lanes: 1,
            salt: "c2FsdHNhbHRzYWx0c2FsdA".to_owned(),
            hash: "x".repeat(43),
        };
        Ok(Authenticator::new(
            AuthenticatorId::generate(&SystemEntropy)?,
            owner.id.clone(),
            Credential::Updb(UpdbCredential::new(username, hash)),
            self.now,
        ))
    }

    pub(super) fn session(
        &self,
        owner: &Identity,
        opened_by: &Authenticator,
        token: &str,
    ) -> anyhow::Result<ApiSession> {
        let hash = self
            .vault
            .lookup_hash("api session token", token.as_bytes());
        let mut session = ApiSession::new(
            ApiSessionId::generate(&SystemEntropy)?,
            owner.id.clone(),
            OpenedBy::Authenticator(opened_by.id.clone()),
            TokenHash(hash),
            self.now,
        );
        "127.0.0.1".clone_into(&mut session.ip_address);
        session.totp.is_required = true;
        Ok(session)
    }

    fn mfa(&self, key: &RecordKey, secret: &Secret) -> anyhow::Result<StoredMfa> {
        let codes = RecoveryCodes::generate(&SystemEntropy)?;
        let ledger = CodeUsage {
            last_step: TimeStep(0),
            spent: SpentCodes::default(),
            reprise: None,
        };
        Ok(StoredMfa {
            mfa: Mfa {
                id: MfaId::generate(&SystemEntropy)?,
                created_at: self.now,
                updated_at: self.now,
                progress: MfaProgress::Verified(ledger),
            },
            secret: self.vault.seal(key, "secret", secret.as_bytes())?,
            recovery_codes: self.vault.seal(key, "recovery codes", codes.as_bytes())?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_storage::tables::RecordCounts;

    #[test]
    fn people_are_in_the_store() {
        let home = tempfile::tempdir().unwrap();
        let seed = Seed::open(home.path()).unwrap();
        assert_eq!(seed.people(50).unwrap().len(), 50);
        let snapshot = seed.engine.snapshot().unwrap();
        for kind in [IDENTITY, AUTHENTICATOR, API_SESSION, MFA] {
            assert_eq!(RecordCounts::expected(&*snapshot, kind).unwrap(), 50);
        }
        assert_eq!(RecordCounts::verify(&*snapshot).unwrap(), []);
    }
}
