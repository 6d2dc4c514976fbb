//! The list of authenticators.

use crate::listing::listable::{Listable, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::authenticator::{Authenticator, Credential};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{IDENTITY, UniqueIndex};

/// Authenticators. Password hashes have no symbol.
pub static AUTHENTICATORS: Schema = Schema::entity(&[
    Symbol::string("method"),
    Symbol::string("identity"),
    Symbol::string("certFingerprint"),
    Symbol::string("certPem"),
    Symbol::boolean("isIssuedByNetwork"),
    Symbol::boolean("isExtendRequested"),
    Symbol::boolean("isKeyRollRequested"),
    Symbol::datetime("extendRequestedAt"),
    Symbol::string("publicKeyPrint"),
    Symbol::boolean("lastAuthResolvedToRoot"),
    Symbol::boolean("lastExtendRolledKeys"),
    Symbol::string("updbUsername"),
]);

impl Listable for Authenticator {
    type Entry = Self;
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

    fn value(&self, symbol: &str) -> Value<'_> {
        match (symbol, &self.credential) {
            ("method", _) => text_value(self.method()),
            ("identity", _) => text_value(self.identity.as_str()),
            ("certFingerprint", Credential::Cert(cert)) => text_value(&cert.fingerprint),
            ("certPem", Credential::Cert(cert)) => text_value(&cert.pem),
            ("isIssuedByNetwork", Credential::Cert(cert)) => {
                Value::Boolean(cert.is_issued_by_network)
            },
            ("lastAuthResolvedToRoot", Credential::Cert(cert)) => {
                Value::Boolean(cert.last_login_reached_root)
            },
            ("isExtendRequested", Credential::Cert(cert)) => {
                Value::Boolean(cert.open_extension().is_some())
            },
            ("isKeyRollRequested", Credential::Cert(cert)) => Value::Boolean(cert.must_roll_key()),
            ("lastExtendRolledKeys", Credential::Cert(cert)) => cert
                .last_renewal_rolled_key
                .map_or(Value::Missing, Value::Boolean),
            ("extendRequestedAt", Credential::Cert(cert)) => {
                cert.extension.map_or(Value::Missing, |request| {
                    Value::Datetime(request.requested_at)
                })
            },
            ("updbUsername", Credential::Updb(updb)) => text_value(&updb.username),
            _ => Value::Missing,
        }
    }

    fn unique_index(symbol: &str) -> Option<UniqueIndex> {
        match symbol {
            "certFingerprint" => Some(UniqueIndex::AuthenticatorFingerprint),
            "updbUsername" => Some(UniqueIndex::AuthenticatorUsername),
            _ => None,
        }
    }
}
