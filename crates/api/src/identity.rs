//! Wire types of identities.

mod body;
mod detail;
mod identity_type;
mod request;

pub use body::{
    IdentityCreate, IdentityCreateEnrollment, IdentityOptions, IdentityPatch, IdentityUpdate,
};
pub use detail::{
    CertSummary, IdentityAuthenticators, IdentityDetail, IdentityEnrollments, PendingEnrollment,
    UpdbSummary,
};
pub use identity_type::IdentityTypeDetail;
pub use request::{
    DisableParams, IdentityCreateRequest, IdentityPatchRequest, IdentityUpdateRequest,
};

#[cfg(test)]
mod tests;
