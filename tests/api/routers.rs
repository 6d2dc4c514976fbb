//! Routers: administration, enrollment, terminators, and the API of the fabric.

pub(crate) mod edge_routers;
pub(crate) mod enrollment;
mod fabric;
mod names;
mod terminators;
mod tunnelers;
