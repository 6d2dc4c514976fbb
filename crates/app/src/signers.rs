//! External JWT signers: create, read, list, replace, patch, delete; their keys and tokens.

mod bearer;
mod change;
mod rank;

pub use crate::state::{KeySetError, KeySetFetcher, KeySetFuture, SignerKeys};
pub use bearer::{AcceptedSigner, BearerTokenError, BearerTokens, TokenChallenge};
pub(crate) use bearer::{find_issuer, parse_token, verify_token};
pub use change::{create, delete, patch, replace};

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{self, ListPage, ListRequest, ListScope, Paging, Restriction, kinds};
use crate::records::find_signer;
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::ids::SignerId;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_domain::signer::Signer;
use portcullis_storage::tables::{Found, Rows};
use std::ops::ControlFlow;

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

fn get(rows: Rows<'_>, id: &SignerId) -> Result<Found<Signer>, AppError> {
    find_signer(rows, id)?.ok_or_else(|| AppError::not_found("external JWT signer", id.as_str()))
}
