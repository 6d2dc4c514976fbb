//! Authorities of others, made by OpenSSL.

mod chains;
mod fields;
mod issued;
mod maker;
mod signers;
