//! Who may do what: the router's copy of the data model, and what follows from it.
//!
//! A [`Replica`] follows a controller by its change sets, and outlives the program in a file. Its
//! [`DataModel`] knows the policies of each identity, so that it judges in time proportional to them
//! ([`DataModel::judge`]), with the posture of a client by `portcullis-posture`, as controllers do.

mod claims;
mod model;
mod replica;

pub use claims::{AccessClaims, Audience, ServiceClaims, TotpClaims};
pub use model::{DataModel, EffectiveConfig, IdentityService, Judgement, Touched};
pub use replica::{FileError, Reception, Replica};
