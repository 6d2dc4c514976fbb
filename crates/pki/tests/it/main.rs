//! Tests of the crate from outside, among them against OpenSSL.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "helpers of tests fail by panicking and say what they skip"
)]

mod authority;
mod chain;
mod csr;
mod external;
mod golden;
mod jwt;
mod openssl;
mod pkcs7;
mod support;
mod third_party;
mod twin;
