//! API surfaces: edge and fabric.

use super::{Entity, Resource, get};
use crate::error::AppError;
use portcullis_domain::access::{Access, Action, Permit};
use portcullis_domain::ids::EntityId as _;
use portcullis_storage::tables::{Found, Rows};
use std::marker::PhantomData;

/// The APIs through which an entity is accessed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiSurface {
    /// The client and management APIs.
    Edge,
    /// The fabric API.
    Fabric,
}

/// An action whose permit also permits the action `A`, and the API surface on which it does.
pub trait ActionFor<A: Action>: Action {
    const SURFACE: ApiSurface;
}

impl<A: Action> ActionFor<A> for A {
    const SURFACE: ApiSurface = ApiSurface::Edge;
}

/// The action `A` on the fabric API, which is for administrators.
#[derive(Debug)]
pub struct FabricAction<A>(PhantomData<fn() -> A>);

impl<A: Action> Action for FabricAction<A> {
    const ACCESS: Access = Access::Admin;
}

impl<A: Action> ActionFor<A> for FabricAction<A> {
    const SURFACE: ApiSurface = ApiSurface::Fabric;
}

/// The API surface of a permit.
pub(super) const fn surface_of<A: Action, P: ActionFor<A>>(_permit: &Permit<P>) -> ApiSurface {
    P::SURFACE
}

/// Gets an entity by id if it is visible on an API surface.
pub(crate) fn get_visible<S: Resource>(
    rows: Rows<'_>,
    id: &S::Id,
    surface: ApiSurface,
) -> Result<Found<Entity<S>>, AppError> {
    let found = get::<S>(rows, id)?;
    if S::is_visible(&found.entity.spec, surface) {
        Ok(found)
    } else {
        Err(AppError::not_found(S::NOUN, id.as_str()))
    }
}
