//! Lists of external JWT signers.

use crate::app::App;
use crate::error::AppError;
use crate::listing::kinds::ListableSpec;
use crate::listing::{
    self, LazyRecord, ListPage, ListRequest, ListScope, Paging, RowContext, text_value,
};
use parking_lot::RwLockReadGuard;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::signer::{Signer, SignerSpec};
use portcullis_domain::tags::Tags;
use portcullis_filter::{Schema, Value, VisitElement, symbols};
use portcullis_index::{Catalog, Projections};
use portcullis_storage::tables::UniqueIndex;
use std::ops::ControlFlow;

symbols! {
    pub(crate) enum SignerSymbol;
    /// External JWT signers.
    static EXTERNAL_JWT_SIGNERS: Schema::entity;
    Name => string("name"),
    Fingerprint => string("fingerprint"),
    Kid => string("kid"),
    Issuer => string("issuer"),
    CertPem => string("certPem"),
    CommonName => string("commonName"),
    NotAfter => datetime("notAfter"),
    NotBefore => datetime("notBefore"),
    Enabled => boolean("enabled"),
    ClaimsProperty => string("claimsProperty"),
    UseExternalId => boolean("useExternalId"),
    Audience => string("audience"),
    ClientId => string("clientId"),
    Scopes => set("scopes"),
    TargetToken => string("targetToken"),
    EnrollToCertEnabled => boolean("enrollToCertEnabled"),
    EnrollToTokenEnabled => boolean("enrollToTokenEnabled"),
    EnrollAttributeClaimsSelector => string("enrollAttributeClaimsSelector"),
    EnrollNameClaimsSelector => string("enrollNameClaimsSelector"),
    EnrollAuthPolicyId => string("enrollAuthPolicyId"),
}

/// Symbols of external JWT signers for unauthenticated clients: those that they are shown. A filter
/// over any other would disclose its values.
pub static PUBLIC_EXTERNAL_JWT_SIGNERS: Schema = Schema::entity(&[
    SignerSymbol::Name.symbol(),
    SignerSymbol::Audience.symbol(),
    SignerSymbol::ClientId.symbol(),
    SignerSymbol::Scopes.symbol(),
    SignerSymbol::TargetToken.symbol(),
    SignerSymbol::EnrollToCertEnabled.symbol(),
    SignerSymbol::EnrollToTokenEnabled.symbol(),
]);

impl ListableSpec for SignerSpec {
    type Symbol = SignerSymbol;
    const SCHEMA: &'static Schema = &EXTERNAL_JWT_SIGNERS;

    fn catalog(projections: &Projections) -> RwLockReadGuard<'_, Catalog<Signer>> {
        projections.signers()
    }

    fn tags(&self) -> &Tags {
        &self.settings.tags
    }

    fn value(&self, symbol: SignerSymbol) -> Value<'_> {
        let (spec, enrollment) = (&self.settings, &self.settings.enrollment);
        let certificate = self.keys.certificate();
        match symbol {
            SignerSymbol::Kid => spec.kid.as_deref().into(),
            SignerSymbol::Issuer => text_value(&spec.issuer),
            SignerSymbol::Enabled => spec.enabled.into(),
            SignerSymbol::ClaimsProperty => text_value(&spec.claims_property),
            SignerSymbol::UseExternalId => spec.use_external_id.into(),
            SignerSymbol::Audience => text_value(&spec.audience),
            SignerSymbol::ClientId => spec.client_id.as_deref().into(),
            SignerSymbol::TargetToken => text_value(spec.target_token.name()),
            SignerSymbol::EnrollToCertEnabled => enrollment.to_cert.into(),
            SignerSymbol::EnrollToTokenEnabled => enrollment.to_token.into(),
            SignerSymbol::EnrollAttributeClaimsSelector => {
                enrollment.attribute_selector.as_deref().into()
            },
            SignerSymbol::EnrollNameClaimsSelector => text_value(&enrollment.name_selector),
            SignerSymbol::EnrollAuthPolicyId => text_value(enrollment.auth_policy.as_str()),
            SignerSymbol::Name => text_value(&spec.name),
            // As in the view.
            SignerSymbol::CommonName => {
                text_value(certificate.map_or("", |certificate| &certificate.common_name))
            },
            SignerSymbol::Fingerprint => certificate.map(|each| each.fingerprint.as_str()).into(),
            SignerSymbol::CertPem => certificate.map(|each| each.pem.as_str()).into(),
            SignerSymbol::NotBefore => datetime(certificate.map(|each| each.not_before)),
            SignerSymbol::NotAfter => datetime(certificate.map(|each| each.not_after)),
            SignerSymbol::Scopes => Value::Missing,
        }
    }

    fn elements(
        signer: &Signer,
        _context: RowContext<'_>,
        _set: SignerSymbol,
        visit: &mut VisitElement<'_>,
    ) -> ControlFlow<()> {
        let scopes = &signer.spec.settings.scopes;
        scopes.iter().try_for_each(|scope| visit(scope))
    }

    fn unique_index(symbol: SignerSymbol) -> Option<UniqueIndex> {
        match symbol {
            SignerSymbol::Issuer => Some(UniqueIndex::SignerIssuer),
            SignerSymbol::Kid => Some(UniqueIndex::SignerKid),
            SignerSymbol::Fingerprint => Some(UniqueIndex::SignerFingerprint),
            _ => None,
        }
    }
}

fn datetime(time: Option<Timestamp>) -> Value<'static> {
    time.map_or(Value::Missing, Value::Datetime)
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
