//! The audit trail: one line of the log for each committed change.
//!
//! A line says who did what to which entity, from where and by which request. It never holds a
//! secret, nor the contents of the entity.

use portcullis_domain::access::{Caller, Origin};
use portcullis_domain::permission::{Subject, Verb};
use std::fmt::Display;

/// Notes a change made by a caller.
pub(crate) fn changed(caller: &Caller, operation: impl Display, entity: &str) {
    tracing::info!(
        target: "audit",
        %operation,
        entity,
        actor = caller.identity.as_str(),
        session = caller.session.as_str(),
        source = %caller.origin.address,
        request = caller.origin.request.as_str(),
        "change committed",
    );
}

/// Notes a change that a caller made to one of a kind.
pub(crate) fn changed_kind(caller: &Caller, subject: Subject, verb: Verb, entity: &str) {
    let operation = format_args!("{}.{}", subject.name(), verb.name());
    changed(caller, operation, entity);
}

/// Notes a change made without a session, such as a login or an enrollment.
pub(crate) fn changed_by_stranger(
    origin: &Origin,
    identity: &str,
    operation: &'static str,
    entity: &str,
) {
    tracing::info!(
        target: "audit",
        operation,
        entity,
        actor = identity,
        source = %origin.address,
        request = origin.request.as_str(),
        "change committed",
    );
}

/// Notes a change that the controller made by itself.
pub(crate) fn changed_by_controller(operation: &'static str, entity: &str) {
    tracing::info!(target: "audit", operation, entity, actor = "controller", "change committed");
}
