//! Terminators that routers hold, for SDKs and as tunnelers.

use super::Subject;
use crate::comparison::look::Look;
use crate::plane::Plane;
use portcullis_app::AppError;
use portcullis_app::fabric::{self as selected, OpenChannel};
use portcullis_domain::access::Permit;
use portcullis_domain::ids::TerminatorId;
use portcullis_validation as validation;
use portcullis_validation::{Answer, Comparison, HeldTerminator, Known, KnownTerminator, Router};

pub(in crate::comparison) struct SdkTerminators;

impl Subject for SdkTerminators {
    type Id = TerminatorId;
    type Known = KnownTerminator;
    type Entry = HeldTerminator;

    const INSPECTIONS: &'static [&'static str] = &[validation::SDK_TERMINATORS];

    fn look(
        plane: &Plane,
        permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        Ok(Look::settled(terminators(plane, permit, router)?))
    }

    fn compare(
        _plane: &Plane,
        router: &Router,
        known: &Known<TerminatorId, KnownTerminator>,
        answer: Answer<'_>,
    ) -> Comparison<HeldTerminator> {
        validation::compare_sdk_terminators(router, known.values(), answer)
    }

    fn id(entry: &HeldTerminator) -> &TerminatorId {
        &entry.terminator
    }
}

/// Those that a router holds as a tunneler.
pub(in crate::comparison) struct TunnelTerminators;

impl Subject for TunnelTerminators {
    type Id = TerminatorId;
    type Known = KnownTerminator;
    type Entry = HeldTerminator;

    const INSPECTIONS: &'static [&'static str] = &[validation::ERT_TERMINATORS];

    fn look(
        plane: &Plane,
        permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        Ok(Look::settled(terminators(plane, permit, router)?))
    }

    fn compare(
        _plane: &Plane,
        router: &Router,
        known: &Known<TerminatorId, KnownTerminator>,
        answer: Answer<'_>,
    ) -> Comparison<HeldTerminator> {
        validation::compare_ert_terminators(router, known.values(), answer)
    }

    fn id(entry: &HeldTerminator) -> &TerminatorId {
        &entry.terminator
    }
}

/// The terminators of a router by the store. Names of services do not matter where it is only compared
/// which there are.
fn terminators(
    plane: &Plane,
    permit: &Permit<OpenChannel>,
    router: &Router,
) -> Result<Known<TerminatorId, KnownTerminator>, AppError> {
    let found = selected::terminators_at(&plane.app, permit, &router.id)?;
    let known = found.into_iter().map(|terminator| {
        let known = KnownTerminator {
            id: terminator.id.clone(),
            service: terminator.spec.service,
            service_name: String::new(),
            router: router.id.clone(),
            router_name: router.name.clone(),
            binding: terminator.spec.binding,
            address: terminator.spec.address,
            host: None,
            created_at: terminator.created_at,
        };
        (terminator.id, known)
    });
    Ok(known.collect())
}
