//! The list of authenticators.

use crate::listing::listable::{Listable, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::authenticator::{Authenticator, CertCredential, Credential};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, symbols};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};

symbols! {
    pub(crate) enum AuthenticatorSymbol;
    /// Authenticators. Password hashes have no symbol.
    pub static AUTHENTICATORS: Schema::entity;
    Method => string("method"),
    Identity => string("identity"),
    CertFingerprint => string("certFingerprint"),
    CertPem => string("certPem"),
    IsIssuedByNetwork => boolean("isIssuedByNetwork"),
    IsExtendRequested => boolean("isExtendRequested"),
    IsKeyRollRequested => boolean("isKeyRollRequested"),
    ExtendRequestedAt => datetime("extendRequestedAt"),
    PublicKeyPrint => string("publicKeyPrint"),
    LastAuthResolvedToRoot => boolean("lastAuthResolvedToRoot"),
    LastExtendRolledKeys => boolean("lastExtendRolledKeys"),
    UpdbUsername => string("updbUsername"),
}

impl Listable for Authenticator {
    type Entry = Self;
    type Symbol = AuthenticatorSymbol;
    const SCHEMA: &'static Schema = &AUTHENTICATORS;
    const ROOT_KINDS: &'static [Kind] = &[IDENTITY];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        projections.authenticators()
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn value(&self, symbol: AuthenticatorSymbol) -> Value<'_> {
        let (cert, updb) = match &self.credential {
            Credential::Cert(cert) => (Some(cert), None),
            Credential::Updb(updb) => (None, Some(updb)),
        };
        match symbol {
            AuthenticatorSymbol::Method => text_value(self.method()),
            AuthenticatorSymbol::Identity => text_value(self.identity.as_str()),
            AuthenticatorSymbol::CertFingerprint => cert.map(|cert| &*cert.fingerprint).into(),
            AuthenticatorSymbol::CertPem => cert.map(|cert| &*cert.pem).into(),
            AuthenticatorSymbol::IsIssuedByNetwork => {
                cert.map(|cert| cert.is_issued_by_network).into()
            },
            AuthenticatorSymbol::IsExtendRequested => {
                cert.map(|cert| cert.open_extension().is_some()).into()
            },
            AuthenticatorSymbol::IsKeyRollRequested => {
                cert.map(CertCredential::must_roll_key).into()
            },
            AuthenticatorSymbol::ExtendRequestedAt => cert
                .and_then(|cert| cert.extension)
                .map_or(Value::Missing, |request| {
                    Value::Datetime(request.requested_at)
                }),
            AuthenticatorSymbol::LastAuthResolvedToRoot => {
                cert.map(|cert| cert.last_login_reached_root).into()
            },
            AuthenticatorSymbol::LastExtendRolledKeys => {
                cert.and_then(|cert| cert.last_renewal_rolled_key).into()
            },
            AuthenticatorSymbol::UpdbUsername => updb.map(|updb| &*updb.username).into(),
            // Not kept; filters may name it nevertheless.
            AuthenticatorSymbol::PublicKeyPrint => Value::Missing,
        }
    }

    fn unique_index(symbol: AuthenticatorSymbol) -> Option<UniqueIndex> {
        match symbol {
            AuthenticatorSymbol::CertFingerprint => Some(UniqueIndex::AuthenticatorFingerprint),
            AuthenticatorSymbol::UpdbUsername => Some(UniqueIndex::AuthenticatorUsername),
            _ => None,
        }
    }
}
