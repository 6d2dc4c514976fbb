//! Encryption against what libsodium computes, and against tampering.

mod key_exchange;
mod streams;
#[cfg(test)]
mod support;
