//! The list of third-party authorities.

use crate::listing::listable::{Listable, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::ca::Ca;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{CA, UniqueIndex};

/// Third-party certificate authorities.
pub static CAS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("fingerprint"),
    Symbol::boolean("isVerified"),
    Symbol::string("verificationToken"),
    Symbol::boolean("isAutoCaEnrollmentEnabled"),
    Symbol::boolean("isOttCaEnrollmentEnabled"),
    Symbol::boolean("isAuthEnabled"),
]);

impl Listable for Ca {
    type Entry = Self;
    const SCHEMA: &'static Schema = &CAS;
    const ROOT_KINDS: &'static [Kind] = &[CA];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        projections.cas()
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        &self.spec.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "fingerprint" => text_value(&self.fingerprint),
            "isVerified" => self.is_verified.into(),
            "verificationToken" => text_value(&self.verification_token),
            "isAutoCaEnrollmentEnabled" => self.spec.is_auto_enrollment_enabled.into(),
            "isOttCaEnrollmentEnabled" => self.spec.is_ott_enrollment_enabled.into(),
            "isAuthEnabled" => self.spec.is_auth_enabled.into(),
            _ => Value::Missing,
        }
    }

    fn unique_index(symbol: &str) -> Option<UniqueIndex> {
        match symbol {
            "fingerprint" => Some(UniqueIndex::CaFingerprint),
            _ => None,
        }
    }
}
