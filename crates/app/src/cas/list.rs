//! Listing authorities.

use super::Read;
use crate::app::App;
use crate::error::AppError;
use crate::listing::{Answer, Asked, Paging, Sight};
use portcullis_domain::access::Permit;
use portcullis_domain::ca::Ca;
use std::ops::ControlFlow;

/// Lists authorities.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(Ca) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of::<Ca>()?;
    let answer: Answer<'_, Ca> = Answer::new(app, &listing, &Sight::of_all(asked))?;
    answer.each(&mut |found| Ok(show(found.entity)))
}
