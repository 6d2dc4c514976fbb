//! The list of authentication policies.

use crate::listing::listable::{Listable, text_value};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::AUTH_POLICY;
use std::sync::RwLockReadGuard;

/// Authentication policies.
pub static AUTH_POLICIES: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::boolean("primary.cert.allowed"),
    Symbol::boolean("primary.cert.allowExpiredCerts"),
    Symbol::boolean("primary.updb.allowed"),
    Symbol::integer("primary.updb.minPasswordLength"),
    Symbol::boolean("primary.updb.requireSpecialChar"),
    Symbol::boolean("primary.updb.requireNumberChar"),
    Symbol::boolean("primary.updb.requireMixedCase"),
    Symbol::integer("primary.updb.maxAttempts"),
    Symbol::boolean("primary.extJwt.allowed"),
    Symbol::boolean("secondary.requireTotp"),
    Symbol::string("secondary.requireExtJwtSigner"),
]);

impl Listable for AuthPolicy {
    type Entry = Self;
    const SCHEMA: &'static Schema = &AUTH_POLICIES;
    const ROOT_KINDS: &'static [Kind] = &[AUTH_POLICY];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        projections.auth_policies()
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        &self.tags
    }

    fn is_system(&self) -> bool {
        self.is_default()
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        let (cert, updb) = (&self.primary.cert, &self.primary.updb);
        match symbol {
            "primary.cert.allowed" => cert.allowed.into(),
            "primary.cert.allowExpiredCerts" => cert.allow_expired_certs.into(),
            "primary.updb.allowed" => updb.allowed.into(),
            "primary.updb.minPasswordLength" => i64::from(updb.min_password_length).into(),
            "primary.updb.requireSpecialChar" => updb.require_special_char.into(),
            "primary.updb.requireNumberChar" => updb.require_number_char.into(),
            "primary.updb.requireMixedCase" => updb.require_mixed_case.into(),
            "primary.updb.maxAttempts" => i64::from(updb.max_attempts).into(),
            "primary.extJwt.allowed" => self.primary.ext_jwt.allowed.into(),
            "secondary.requireTotp" => self.secondary.require_totp.into(),
            "secondary.requireExtJwtSigner" => self
                .secondary
                .require_ext_jwt_signer
                .as_ref()
                .map_or(Value::Missing, |signer| text_value(signer.as_str())),
            _ => Value::Missing,
        }
    }
}
