//! What routers and controller are compared about.

mod circuits;
mod identities;
mod links;
mod terminators;

pub(super) use circuits::Circuits;
pub(super) use identities::Identities;
pub(super) use links::Links;
pub(super) use terminators::{SdkTerminators, TunnelTerminators};

use super::look::Look;
use crate::plane::Plane;
use portcullis_app::AppError;
use portcullis_app::fabric::OpenChannel;
use portcullis_domain::access::Permit;
use portcullis_validation::{Answer, Compared, Comparison, Known, Router};

/// A kind of things that routers tell.
pub(super) trait Subject: 'static {
    type Id: Ord + Clone + Send + Sync + 'static;
    /// A thing as the controller knows it.
    type Known: PartialEq + Send + Sync + 'static;
    type Entry: Compared + Send + 'static;

    /// What routers are asked for.
    const INSPECTIONS: &'static [&'static str];

    /// What the controller knows of a router. Blocks.
    fn look(
        plane: &Plane,
        permit: &Permit<OpenChannel>,
        router: &Router,
    ) -> Result<Look<Self>, AppError>
    where
        Self: Sized;

    fn compare(
        plane: &Plane,
        router: &Router,
        known: &Known<Self::Id, Self::Known>,
        answer: Answer<'_>,
    ) -> Comparison<Self::Entry>;

    fn id(entry: &Self::Entry) -> &Self::Id;

    /// Whether routers may rightly have it still.
    fn has_just_ended(_plane: &Plane, _id: &Self::Id) -> bool {
        false
    }
}
