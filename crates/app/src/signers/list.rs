//! Lists of external JWT signers.

use crate::app::App;
use crate::error::AppError;
use crate::listing::kinds::ListableSpec;
use crate::listing::{
    self, LazyRecord, ListPage, ListRequest, ListScope, Paging, RowContext, text_value,
};
use parking_lot::RwLockReadGuard;
use portcullis_domain::signer::{KeySource, Signer, SignerSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Symbol, Value, VisitElement};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::tables::UniqueIndex;
use std::ops::ControlFlow;

/// External JWT signers.
static EXTERNAL_JWT_SIGNERS: Schema = Schema::entity(&[
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

impl ListableSpec for SignerSpec {
    const SCHEMA: &'static Schema = &EXTERNAL_JWT_SIGNERS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Signer>> {
        projections.signers()
    }

    fn tags(&self) -> &Tags {
        &self.settings.tags
    }

    fn value(&self, symbol: &str) -> Value<'_> {
        let (spec, enrollment) = (&self.settings, &self.settings.enrollment);
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
            symbol => certificate_value(&self.keys, symbol),
        }
    }

    fn elements(
        signer: &Signer,
        _context: RowContext<'_>,
        _set: &str,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let scopes = &signer.spec.settings.scopes;
        scopes.iter().try_for_each(|scope| visit(scope))
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
fn certificate_value<'k>(keys: &'k KeySource, symbol: &str) -> Value<'k> {
    let Some(certificate) = keys.certificate() else {
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

/// Lists enabled signers to unauthenticated clients. Disabled signers are hidden, and filters only
/// cover what is shown.
pub fn list_enabled(
    app: &App,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(Signer) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = listing::parse(&PUBLIC_EXTERNAL_JWT_SIGNERS, &request.parameters)?;
    let is_enabled = |record: &LazyRecord<'_, Signer>| -> Result<bool, AppError> {
        let found = record.read()?;
        Ok(found.is_some_and(|found| found.entity.spec.settings.enabled))
    };
    let scope = ListScope {
        visibility: Some(&is_enabled),
        ..ListScope::all(request)
    };
    let answer: ListPage<'_, Signer> = ListPage::new(app, &listing, &scope)?;
    answer.for_each(&mut |found| Ok(show(found.entity)))
}
