//! Identities on the wire.

mod body;
mod detail;
mod kind;
mod request;

pub use body::{
    DisableParams, EnrollmentChoice, IdentityCreate, IdentityOptions, IdentityPatch, IdentityUpdate,
};
pub use detail::{
    CertSummary, IdentityAuthenticators, IdentityDetail, IdentityEnrollments, PendingEnrollment,
    UpdbSummary,
};
pub use kind::IdentityTypeDetail;
pub use request::{CreateIdentity, DisableIdentity, PatchIdentity, ReplaceIdentity};

#[cfg(test)]
mod tests;
