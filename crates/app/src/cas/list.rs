//! The list of third-party authorities.

use crate::listing::kinds::ListableSpec;
use crate::listing::text_value;
use parking_lot::RwLockReadGuard;
use portcullis_domain::ca::{Ca, CaSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::tables::UniqueIndex;

symbols! {
    pub(crate) enum CaSymbol;
    /// Third-party certificate authorities.
    static CAS: Schema::entity;
    Name => string("name"),
    Fingerprint => string("fingerprint"),
    IsVerified => boolean("isVerified"),
    VerificationToken => string("verificationToken"),
    IsAutoCaEnrollmentEnabled => boolean("isAutoCaEnrollmentEnabled"),
    IsOttCaEnrollmentEnabled => boolean("isOttCaEnrollmentEnabled"),
    IsAuthEnabled => boolean("isAuthEnabled"),
}

impl ListableSpec for CaSpec {
    type Symbol = CaSymbol;
    const SCHEMA: &'static Schema = &CAS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Ca>> {
        projections.cas()
    }

    fn tags(&self) -> &Tags {
        &self.settings.tags
    }

    fn value(&self, symbol: CaSymbol) -> Value<'_> {
        match symbol {
            CaSymbol::Fingerprint => text_value(&self.fingerprint),
            CaSymbol::IsVerified => self.is_verified.into(),
            CaSymbol::VerificationToken => text_value(&self.verification_token),
            CaSymbol::IsAutoCaEnrollmentEnabled => self.settings.is_auto_enrollment_enabled.into(),
            CaSymbol::IsOttCaEnrollmentEnabled => self.settings.is_ott_enrollment_enabled.into(),
            CaSymbol::IsAuthEnabled => self.settings.is_auth_enabled.into(),
            CaSymbol::Name => text_value(&self.settings.name),
        }
    }

    fn unique_index(symbol: CaSymbol) -> Option<UniqueIndex> {
        match symbol {
            CaSymbol::Fingerprint => Some(UniqueIndex::CaFingerprint),
            _ => None,
        }
    }
}
