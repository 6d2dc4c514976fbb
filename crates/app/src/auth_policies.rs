//! Authentication policies: read, list.

use crate::action::actions;
use crate::app::App;
use crate::error::AppError;
use crate::identities::find_policy;
use crate::listing::{Answer, Asked, Paging, Sight};
use portcullis_domain::access::{Access, Permit};
use portcullis_domain::auth_policy::AuthPolicy;
use portcullis_domain::ids::AuthPolicyId;
use portcullis_domain::permission::{Subject, Verb};
use std::ops::ControlFlow;

actions! {
    /// Reads one authentication policy or a list.
    Read = Access::Granted(Subject::AuthPolicy, Verb::Read);
}

/// Reads one authentication policy.
pub fn read(app: &App, _permit: &Permit<Read>, id: &AuthPolicyId) -> Result<AuthPolicy, AppError> {
    let found = find_policy(app.snapshot()?.rows(), id)?
        .ok_or_else(|| AppError::not_found("authPolicy", id.as_str()))?;
    Ok(found.entity)
}

/// Lists authentication policies.
pub fn list(
    app: &App,
    _permit: &Permit<Read>,
    asked: &Asked<'_>,
    show: &mut dyn FnMut(AuthPolicy) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = asked.of::<AuthPolicy>()?;
    let answer: Answer<AuthPolicy> = Answer::new(app, &listing, &Sight::of_all(asked))?;
    answer.each(&mut |found| Ok(show(found.entity)))
}
