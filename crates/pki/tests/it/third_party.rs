//! Authorities of others, made by OpenSSL.

mod chains;
mod fields;
mod issued;
pub(crate) mod maker;
mod signers;
