//! Terminators, where circuits to a service end.

use crate::app::App;
use crate::error::{AppError, NotAllowedError};
use crate::listing::{ListRequest, ListScope, Paging};
use crate::managed::{self, Resource, ViewContext, Writable, get};
use crate::services::{self, ReadOwnServices};
use portcullis_domain::FieldError;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::{RecordNumber, ServiceId};
use portcullis_domain::permission::Subject;
use portcullis_domain::router::RouterSpec;
use portcullis_domain::service::ServiceSpec;
use portcullis_domain::terminator::{Terminator, TerminatorSpec};
use portcullis_domain::view::{NamedRef, RouterRef, TerminatorView};
use portcullis_storage::key::RecordKey;
use portcullis_storage::tables::{Found, Rows, TERMINATOR};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// Lists the terminators of a service that the caller may dial or bind.
///
/// # Errors
///
/// "Not found" for a service that the caller may neither dial nor bind.
pub fn list_of_usable_service(
    app: &App,
    permit: &Permit<ReadOwnServices>,
    service: &ServiceId,
    request: &ListRequest<'_>,
    show: &mut dyn FnMut(TerminatorView) -> ControlFlow<()>,
) -> Result<Paging, AppError> {
    let listing = request.parse::<Terminator>()?;
    let of_service: BTreeSet<RecordNumber> = {
        let view = app.snapshot()?;
        let found = services::get_usable(app, view.rows(), permit.caller(), service)?;
        let terminators = view.rows().referrers(&found.key, TERMINATOR, usize::MAX)?;
        terminators
            .iter()
            .map(|key| RecordNumber(key.id().1))
            .collect()
    };
    let scope = ListScope::all(request).restricted_to_numbers(&of_service);
    managed::list_in_scope::<TerminatorSpec>(app, permit.caller(), &listing, &scope, show)
}

impl Writable for TerminatorSpec {}

impl Resource for TerminatorSpec {
    const SUBJECT: Subject = Subject::Terminator;
    type View = TerminatorView;

    fn build_view(
        context: ViewContext<'_>,
        found: Found<Terminator>,
    ) -> Result<TerminatorView, AppError> {
        let terminator = found.entity;
        let service = get::<ServiceSpec>(context.rows, &terminator.spec.service)?.entity;
        let router = get::<RouterSpec>(context.rows, &terminator.spec.router)?.entity;
        Ok(TerminatorView {
            service: NamedRef::from(&service),
            router: RouterRef::from(&router),
            dynamic_cost: context.app.live_network().dynamic_cost(&terminator.id),
            terminator,
        })
    }

    fn validate(
        rows: Rows<'_>,
        before: Option<&Terminator>,
        after: &Terminator,
    ) -> Result<(), AppError> {
        if before
            .is_some_and(|before| before.spec.host.is_some() && !before.spec.is_same(&after.spec))
        {
            let rule = "a router created the terminator, so only its cost, precedence and tags can be \
                        changed";
            return Err(NotAllowedError::Update { rule }.into());
        }
        let service = get::<ServiceSpec>(rows, &after.spec.service)?;
        if before.is_none() {
            validate_secret(rows, &service.key, &after.spec)?;
        }
        get::<RouterSpec>(rows, &after.spec.router)?;
        Ok(())
    }
}

/// Validates that a new terminator has the secret that the others of its instance have.
fn validate_secret(
    rows: Rows<'_>,
    service: &RecordKey,
    new: &TerminatorSpec,
) -> Result<(), AppError> {
    if new.instance_id.is_empty() {
        return Ok(());
    }
    for key in rows.referrers(service, TERMINATOR, usize::MAX)? {
        let other: Option<Terminator> = rows.get(&key)?;
        let of_instance = other.filter(|other| other.spec.instance_id == new.instance_id);
        // What is compared are keyed hashes, so the time that this takes tells nothing.
        if of_instance.is_some_and(|other| other.spec.instance_secret != new.instance_secret) {
            let reason = "is not that of the other terminators of this instance";
            return Err(FieldError::new("identitySecret", reason, String::new()).into());
        }
    }
    Ok(())
}
