//! Enrollments of identities: by token, by third-party authority, by external signer.

mod auto;
mod external_jwt;
mod first_identity;
mod management;
pub(crate) mod ottca;
pub(crate) mod races;
mod redemption;
