//! External JWT signers: create, read, list, replace, patch, delete; their keys and tokens.

mod bearer;
mod change;
pub mod keys;
mod rank;

pub use bearer::{AcceptedSigner, BearerTokenError, BearerTokens, TokenChallenge};
pub(crate) use bearer::{find_issuer, parse_token, verify_token};
pub use change::{create, delete, patch, replace};
pub use keys::{KeySetError, KeySetFetcher, KeySetFuture, SignerKeys};

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, ListPage, ListRequest, ListScope, Paging, Restriction, kinds};
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::identity::Identity;
use portcullis_domain::ids::SignerId;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::signer::{Signer, SignerSpec};
use portcullis_storage::engine::StoreError;
use portcullis_storage::tables::{Found, Rows, UniqueIndex, UniqueValue};
use std::ops::ControlFlow;
use std::sync::Arc;

actions! {
    /// Reads one signer or a list.
    Read = Access::Granted(Subject::ExternalJwtSigner, Verb::Read);
    /// Creates a signer.
    Create = Access::Granted(Subject::ExternalJwtSigner, Verb::Create);
    /// Replaces or patches a signer.
    Update = Access::Granted(Subject::ExternalJwtSigner, Verb::Update);
    /// Deletes a signer.
    Delete = Access::Granted(Subject::ExternalJwtSigner, Verb::Delete);
}

/// Reads one signer.
pub fn read(app: &App, _permit: &Permit<Read>, id: &SignerId) -> Result<Signer, AppError> {
    Ok(get(app.snapshot()?.rows(), id)?.entity)
}

/// Lists signers.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(Signer) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse::<Signer>()?;
    let answer: ListPage<'_, Signer> = ListPage::new(app, &listing, &ListScope::all(request))?;
    answer.for_each(&mut |found| Ok(show(found.entity)))
}

/// Lists enabled signers to unauthenticated clients. Disabled signers are hidden, and filters only
/// cover what is shown.
pub fn list_enabled(
    app: &App,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(Signer) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = listing::parse(&kinds::PUBLIC_EXTERNAL_JWT_SIGNERS, &request.parameters)?;
    let scope = ListScope {
        restriction: Restriction::All,
        visibility: Some(&|_rows, found: &Found<Signer>| Ok(found.entity.spec.enabled)),
        early_visibility: None,
        is_cancelled: request.is_cancelled,
    };
    let answer: ListPage<'_, Signer> = ListPage::new(app, &listing, &scope)?;
    answer.for_each(&mut |found| Ok(show(found.entity)))
}

/// Finds a signer by id.
pub(crate) fn find(rows: Rows<'_>, id: &SignerId) -> Result<Option<Found<Signer>>, StoreError> {
    rows.find(&UniqueValue::new(UniqueIndex::SignerId, id.as_str()))
}

/// Finds an enabled signer by id.
pub(crate) fn find_enabled(
    rows: Rows<'_>,
    id: &SignerId,
) -> Result<Option<Found<Arc<Signer>>>, StoreError> {
    let found =
        rows.find_cached::<Signer>(&UniqueValue::new(UniqueIndex::SignerId, id.as_str()))?;
    Ok(found.filter(|found| found.entity.spec.enabled))
}

fn get(rows: Rows<'_>, id: &SignerId) -> Result<Found<Signer>, AppError> {
    find(rows, id)?.ok_or_else(|| AppError::not_found("external JWT signer", id.as_str()))
}

/// Whether an identity is the `holder` that a signer's token names.
pub(crate) fn is_holder(spec: &SignerSpec, identity: &Identity, holder: &str) -> bool {
    if spec.use_external_id {
        identity.spec.external_id.as_deref() == Some(holder)
    } else {
        identity.id.as_str() == holder
    }
}
