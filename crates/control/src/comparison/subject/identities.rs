//! Connections of identities.

use super::Subject;
use crate::comparison::look::Look;
use crate::plane::Plane;
use portcullis_app::AppError;
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_domain::ids::IdentityId;
use portcullis_validation as validation;
use portcullis_validation::{
    Answer, Comparison, IdentityDisagreement, Known, KnownConnection, Router,
};

pub(in crate::comparison) struct Identities;

impl Subject for Identities {
    type Id = IdentityId;
    type Known = KnownConnection;
    type Entry = IdentityDisagreement;

    const INSPECTIONS: &'static [&'static str] = &[validation::IDENTITY_CONNECTIONS];

    fn look(
        plane: &Plane,
        _permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError> {
        let connected = plane.identities.at(&router.id).into_iter();
        let known = connected.map(|(identity, since)| {
            let since = Some(since);
            (identity, KnownConnection { since })
        });
        Ok(Look::settled(known.collect()))
    }

    fn compare(
        _plane: &Plane,
        router: &Router,
        known: &Known<IdentityId, KnownConnection>,
        answer: Answer<'_>,
    ) -> Comparison<IdentityDisagreement> {
        validation::compare_identities(router, known, answer)
    }

    fn id(entry: &IdentityDisagreement) -> &IdentityId {
        entry.identity()
    }
}
