//! Listing authorities.

use super::Read;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{ListPage, ListRequest, ListScope, Paging};
use portcullis_domain::access::Permit;
use portcullis_domain::ca::Ca;
use std::ops::ControlFlow;

/// Lists authorities.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(Ca) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse::<Ca>()?;
    let answer: ListPage<'_, Ca> = ListPage::new(app, &listing, &ListScope::all(request))?;
    answer.for_each(&mut |found| Ok(show(found.entity)))
}
