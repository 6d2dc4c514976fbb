//! Through which APIs administrators look at what they make.

use super::{Made, Of, find};
use crate::error::AppError;
use portcullis_domain::access::{Access, Action, Permit};
use portcullis_domain::ids::EntityId as _;
use portcullis_storage::tables::{Found, Rows};
use std::marker::PhantomData;

/// Through which APIs an entity is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Face {
    /// Those of the edge.
    Edge,
    /// That of the fabric.
    Fabric,
}

/// An action whose permit does for the action `A`, and the face through which it does.
pub trait For<A: Action>: Action {
    /// The face.
    const FACE: Face;
}

impl<A: Action> For<A> for A {
    const FACE: Face = Face::Edge;
}

/// The action `A` on the fabric, which is for administrators.
#[derive(Debug)]
pub struct OnFabric<A>(PhantomData<fn() -> A>);

impl<A: Action> Action for OnFabric<A> {
    const ACCESS: Access = Access::Admin;
}

impl<A: Action> For<A> for OnFabric<A> {
    const FACE: Face = Face::Fabric;
}

/// The face through which the holder of a permit looks.
pub(super) const fn face<A: Action, P: For<A>>(_permit: &Permit<P>) -> Face {
    P::FACE
}

/// Finds one that is seen through a face.
pub(crate) fn find_seen<S: Made>(
    rows: Rows<'_>,
    id: &S::Id,
    face: Face,
) -> Result<Found<Of<S>>, AppError> {
    let found = find::<S>(rows, id)?;
    if S::is_seen(&found.entity.spec, face) {
        Ok(found)
    } else {
        Err(AppError::not_found(S::NOUN, id.as_str()))
    }
}
