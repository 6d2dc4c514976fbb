//! Tokens of external signers: which are believed, and what they say.

mod attacks;
mod claims;
mod keys;
mod monsters;
mod signer;
mod vectors;
