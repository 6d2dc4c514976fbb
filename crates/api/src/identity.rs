//! Identities on the wire.

mod body;
mod request;

pub use body::{
    DisableParams, EnrollmentChoice, IdentityCreate, IdentityOptions, IdentityPatch, IdentityUpdate,
};
pub use request::{CreateIdentity, DisableIdentity, NewEnrollment, PatchIdentity, ReplaceIdentity};

#[cfg(test)]
mod tests;
