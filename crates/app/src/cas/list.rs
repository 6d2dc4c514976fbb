//! The list of third-party authorities.

use crate::listing::kinds::ListableSpec;
use crate::listing::text_value;
use parking_lot::RwLockReadGuard;
use portcullis_domain::ca::{Ca, CaSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::tables::UniqueIndex;

/// Third-party certificate authorities.
static CAS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("fingerprint"),
    Symbol::boolean("isVerified"),
    Symbol::string("verificationToken"),
    Symbol::boolean("isAutoCaEnrollmentEnabled"),
    Symbol::boolean("isOttCaEnrollmentEnabled"),
    Symbol::boolean("isAuthEnabled"),
]);

impl ListableSpec for CaSpec {
    const SCHEMA: &'static Schema = &CAS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Ca>> {
        projections.cas()
    }

    fn tags(&self) -> &Tags {
        &self.settings.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        match symbol {
            "fingerprint" => text_value(&self.fingerprint),
            "isVerified" => self.is_verified.into(),
            "verificationToken" => text_value(&self.verification_token),
            "isAutoCaEnrollmentEnabled" => self.settings.is_auto_enrollment_enabled.into(),
            "isOttCaEnrollmentEnabled" => self.settings.is_ott_enrollment_enabled.into(),
            "isAuthEnabled" => self.settings.is_auth_enabled.into(),
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
