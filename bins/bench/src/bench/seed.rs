//! Identities in bulk: the rows that their creation makes, written through the engine into the
//! store of a controller that does not run.

mod attributes;
mod clients;
mod network;
mod people;

pub(super) use attributes::of_everything;
pub(super) use network::{ALONE, Model};
pub(super) use people::Person;

use crate::testbed::credential::Network;
use anyhow::Context as _;
use portcullis_controller_config::{HomeLayout, StoreLocation};
use portcullis_domain::api_session::TokenHash;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::change::Change;
use portcullis_domain::clock::{Clock as _, SignedDuration, Timestamp};
use portcullis_domain::enrollment::{Enrollment, EnrollmentMethod, EnrollmentPurpose};
use portcullis_domain::identity::{Identity, IdentityName, IdentitySpec};
use portcullis_domain::ids::{AuthenticatorId, EnrollmentId, IdentityId, RecordNumber};
use portcullis_domain::roles::RoleAttributes;
use portcullis_domain::tags::{TagValue, Tags};
use portcullis_pki::certificates_to_pem;
use portcullis_storage::engine::{Engine as _, submit_with};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{
    AUTHENTICATOR, ENROLLMENT, IDENTITY, RowsMut, StoredEnrollment, WriteError, identity_key,
};
use portcullis_storage::vault::Vault;
use portcullis_storage_redb::{Options, RedbEngine};
use portcullis_system::{SystemClock, SystemEntropy};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// Identities that are committed together: many, since the ids of each group lie all over the
/// store.
const GROUP: usize = 20_000;

/// Memory for pages while rows are written.
const CACHE: usize = 512 * 1024 * 1024;

/// Length of a token's JWT.
const JWT: usize = 500;

/// The role attribute of one identity in [`RARE`].
pub(super) const RARE_ROLE: &str = "site-7";
/// The role attribute of every other identity.
pub(super) const COMMON_ROLE: &str = "mobile";
/// In the name of one identity in [`RARE`].
pub(super) const RARE_WORD: &str = "kiosk";
/// In the names of all others.
pub(super) const COMMON_WORD: &str = "device";
/// A tag of one identity in [`TAGGED`], and its value there.
pub(super) const TAG: (&str, &str) = ("region", "north");

const RARE: u64 = 500;
const TAGGED: u64 = 20;

/// The name of the identity that is written as the `number`th; names are in no order.
pub(super) fn name(number: u64) -> String {
    let word = if number.is_multiple_of(RARE) {
        RARE_WORD
    } else {
        COMMON_WORD
    };
    format!("{word}-{:09}-{number}", mixed(number) % 1_000_000_007)
}

/// A number that looks drawn at random.
fn mixed(number: u64) -> u64 {
    number.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// A store that is written to.
pub(super) struct Seed {
    engine: RedbEngine<Change>,
    vault: Vault,
    now: Timestamp,
    /// The certificates of an enrolled device.
    chain: String,
}

/// An identity with what lives under it.
struct Rows {
    identity: (RecordKey, Identity),
    enrollment: Option<(RecordKey, StoredEnrollment)>,
    authenticator: Option<(RecordKey, Authenticator)>,
}

impl Rows {
    fn insert(&self, into: &mut RowsMut<'_>) -> Result<(), WriteError> {
        into.insert(&self.identity.0, &self.identity.1)?;
        if let Some((key, enrollment)) = &self.enrollment {
            into.insert(key, enrollment)?;
        }
        if let Some((key, authenticator)) = &self.authenticator {
            into.insert(key, authenticator)?;
        }
        Ok(())
    }
}

impl Seed {
    /// Opens the store of the controller whose home is `home`.
    pub(super) fn open(home: &Path) -> anyhow::Result<Self> {
        let location = StoreLocation::Database(HomeLayout::under(home).db);
        let options = Options {
            cache_bytes: CACHE,
            feed_capacity: 1,
            ..Options::default()
        };
        let engine = RedbEngine::open(&location.store_path(), options)?;
        let vault = Vault::open(
            &engine,
            &location.sealing_key_path(),
            Arc::new(SystemEntropy),
        )?;
        Ok(Self {
            engine,
            vault,
            now: SystemClock.now(),
            chain: certificates_to_pem(&Network::make()?.client.chain),
        })
    }

    /// The engine underneath.
    pub(super) fn engine(&self) -> &RedbEngine<Change> {
        &self.engine
    }

    /// Writes the identities with these numbers.
    pub(super) fn write(&self, numbers: Range<u64>) -> anyhow::Result<()> {
        self.write_as(numbers, spec)
    }

    /// Writes the identities with these numbers, about which `spec` says the rest.
    fn write_as(
        &self,
        numbers: Range<u64>,
        spec: fn(u64) -> anyhow::Result<IdentitySpec>,
    ) -> anyhow::Result<()> {
        let mut numbers = numbers.peekable();
        let mut waiting = None;
        while numbers.peek().is_some() {
            // Made while the engine writes the group before.
            let group = numbers
                .by_ref()
                .take(GROUP)
                .map(|number| self.rows(number, spec(number)?))
                .collect::<anyhow::Result<Vec<_>>>()?;
            let outcome = submit_with(&self.engine, move |tx| {
                let mut rows = RowsMut::new(tx);
                group.iter().try_for_each(|each| each.insert(&mut rows))
            })?;
            if let Some(before) = waiting.replace(outcome) {
                before.wait()??;
            }
        }
        if let Some(last) = waiting {
            last.wait()??;
        }
        Ok(())
    }

    fn rows(&self, number: u64, spec: IdentitySpec) -> anyhow::Result<Rows> {
        let key = identity_key(RecordNumber(self.engine.allocate(IDENTITY)));
        let id = IdentityId::generate(&SystemEntropy)?;
        let mut identity = Identity::new(id, spec, self.now);
        let mut rows = Rows {
            enrollment: None,
            authenticator: None,
            identity: (key, identity.clone()),
        };
        match number % 10 {
            1 => rows.enrollment = Some(self.enrollment(&key, &identity)?),
            2 => {
                rows.authenticator = Some(self.authenticator(&key, &identity, number)?);
                identity.attached.authenticators = 1;
                rows.identity.1 = identity;
            },
            _ => {},
        }
        Ok(rows)
    }

    fn enrollment(
        &self,
        owner: &RecordKey,
        identity: &Identity,
    ) -> anyhow::Result<(RecordKey, StoredEnrollment)> {
        let key = owner.dependent(ENROLLMENT, self.engine.allocate(ENROLLMENT));
        let id = EnrollmentId::generate(&SystemEntropy)?;
        let token = id.as_str();
        let hash = self.vault.lookup_hash("token", token.as_bytes());
        let stored = StoredEnrollment {
            token: self.vault.seal(&key, "token", token.as_bytes())?,
            jwt: self.vault.seal(&key, "jwt", "x".repeat(JWT).as_bytes())?,
            token_hash: TokenHash(hash),
            enrollment: Enrollment::new(
                id,
                EnrollmentPurpose::Identity {
                    identity: identity.id.clone(),
                    method: EnrollmentMethod::Ott,
                },
                self.now + SignedDuration::from_hours(3),
                self.now,
            ),
        };
        Ok((key, stored))
    }

    fn authenticator(
        &self,
        owner: &RecordKey,
        identity: &Identity,
        number: u64,
    ) -> anyhow::Result<(RecordKey, Authenticator)> {
        let key = owner.dependent(AUTHENTICATOR, self.engine.allocate(AUTHENTICATOR));
        let fingerprint = format!("{:040x}", mixed(number));
        let authenticator = Authenticator::new(
            AuthenticatorId::generate(&SystemEntropy)?,
            identity.id.clone(),
            Credential::Cert(CertCredential::new(fingerprint, self.chain.clone(), true)),
            self.now,
        );
        Ok((key, authenticator))
    }
}

fn spec(number: u64) -> anyhow::Result<IdentitySpec> {
    let name = IdentityName::new(name(number)).ok().context("no name")?;
    let mut spec = IdentitySpec::named(name);
    let mut roles = vec![format!("site-{}", number % RARE)];
    if number.is_multiple_of(2) {
        roles.push(COMMON_ROLE.to_owned());
    }
    spec.role_attributes = RoleAttributes::new(roles).ok().context("no roles")?;
    if number.is_multiple_of(TAGGED) {
        let (key, value) = TAG;
        let value = TagValue::Text(value.to_owned());
        spec.tags = Tags::from_iter([(key.to_owned(), value)]);
    }
    Ok(spec)
}

#[cfg(test)]
mod tests {
    use super::*;
    use portcullis_storage::tables::RecordCounts;

    #[test]
    fn store_holds_what_was_written() {
        let home = tempfile::tempdir().unwrap();
        let seed = Seed::open(home.path()).unwrap();
        seed.write(0..30).unwrap();
        seed.write(30..1000).unwrap();
        let snapshot = seed.engine.snapshot().unwrap();
        for (kind, count) in [(IDENTITY, 1000), (ENROLLMENT, 100), (AUTHENTICATOR, 100)] {
            assert_eq!(RecordCounts::expected(&*snapshot, kind).unwrap(), count);
        }
        assert_eq!(RecordCounts::verify(&*snapshot).unwrap(), []);
    }

    #[test]
    fn what_is_searched_for_is_there_as_often_as_it_says() {
        let count = |is_it: &dyn Fn(u64) -> bool| (0..1000).filter(|it| is_it(*it)).count();
        assert_eq!(count(&|number| name(number).contains(RARE_WORD)), 2);
        assert_eq!(count(&|number| name(number).contains(COMMON_WORD)), 998);
        let has = |number, role| spec(number).unwrap().role_attributes.contains(role);
        assert_eq!(count(&|number| has(number, RARE_ROLE)), 2);
        assert_eq!(count(&|number| has(number, COMMON_ROLE)), 500);
        let tag = |number| spec(number).unwrap().tags.get(TAG.0).is_some();
        assert_eq!(count(&tag), 50);
    }
}
