//! The list of external JWT signers.

use crate::listing::listable::{Listable, RowContext, text_value};
use parking_lot::RwLockReadGuard;
use portcullis_domain::signer::Signer;
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::key::Kind;
use portcullis_storage::tables::{SIGNER, UniqueIndex};
use std::ops::ControlFlow;

/// External JWT signers.
pub static EXTERNAL_JWT_SIGNERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("fingerprint"),
    Symbol::string("kid"),
    Symbol::string("issuer"),
    Symbol::string("certPem"),
    Symbol::string("commonName"),
    Symbol::datetime("notAfter"),
    Symbol::datetime("notBefore"),
    Symbol::boolean("enabled"),
    Symbol::string("claimsProperty"),
    Symbol::boolean("useExternalId"),
    Symbol::string("audience"),
    Symbol::string("clientId"),
    Symbol::set("scopes"),
    Symbol::string("targetToken"),
    Symbol::boolean("enrollToCertEnabled"),
    Symbol::boolean("enrollToTokenEnabled"),
    Symbol::string("enrollAttributeClaimsSelector"),
    Symbol::string("enrollNameClaimsSelector"),
    Symbol::string("enrollAuthPolicyId"),
]);

/// Symbols of external JWT signers for unauthenticated clients: those that they are shown. A filter
/// over any other would disclose its values.
pub static PUBLIC_EXTERNAL_JWT_SIGNERS: Schema = Schema::entity(&[
    Symbol::string("name"),
    Symbol::string("audience"),
    Symbol::string("clientId"),
    Symbol::set("scopes"),
    Symbol::string("targetToken"),
    Symbol::boolean("enrollToCertEnabled"),
    Symbol::boolean("enrollToTokenEnabled"),
]);

impl Listable for Signer {
    type Entry = Self;
    const SCHEMA: &'static Schema = &EXTERNAL_JWT_SIGNERS;
    const ROOT_KINDS: &'static [Kind] = &[SIGNER];

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Self>> {
        projections.signers()
    }

    fn entry(&self) -> &Self {
        self
    }

    fn tags(&self) -> &Tags {
        &self.spec.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        let (spec, enrollment) = (&self.spec, &self.spec.enrollment);
        match symbol {
            "kid" => spec.kid.as_deref().into(),
            "issuer" => text_value(&spec.issuer),
            "enabled" => spec.enabled.into(),
            "claimsProperty" => text_value(&spec.claims_property),
            "useExternalId" => spec.use_external_id.into(),
            "audience" => text_value(&spec.audience),
            "clientId" => spec.client_id.as_deref().into(),
            "targetToken" => text_value(spec.target_token.name()),
            "enrollToCertEnabled" => enrollment.to_cert.into(),
            "enrollToTokenEnabled" => enrollment.to_token.into(),
            "enrollAttributeClaimsSelector" => enrollment.attribute_selector.as_deref().into(),
            "enrollNameClaimsSelector" => text_value(&enrollment.name_selector),
            "enrollAuthPolicyId" => text_value(enrollment.auth_policy.as_str()),
            symbol => certificate_value(self, symbol),
        }
    }

    fn elements(
        &self,
        _around: RowContext<'_>,
        _set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        self.spec.scopes.iter().try_for_each(|scope| visit(scope))
    }

    fn unique_index(symbol: &str) -> Option<UniqueIndex> {
        match symbol {
            "issuer" => Some(UniqueIndex::SignerIssuer),
            "kid" => Some(UniqueIndex::SignerKid),
            "fingerprint" => Some(UniqueIndex::SignerFingerprint),
            _ => None,
        }
    }
}

/// The value of a symbol that only signers with a certificate have.
fn certificate_value<'s>(signer: &'s Signer, symbol: &str) -> Value<'s> {
    let Some(certificate) = signer.keys.certificate() else {
        return match symbol {
            // As in the view.
            "commonName" => text_value(""),
            _ => Value::Missing,
        };
    };
    match symbol {
        "fingerprint" => text_value(&certificate.fingerprint),
        "certPem" => text_value(&certificate.pem),
        "commonName" => text_value(&certificate.common_name),
        "notBefore" => Value::Datetime(certificate.not_before),
        "notAfter" => Value::Datetime(certificate.not_after),
        _ => Value::Missing,
    }
}
