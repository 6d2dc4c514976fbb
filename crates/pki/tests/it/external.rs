//! Tokens of external signers: which are believed, and what they say.

mod attacks;
mod claims;
mod keys;
mod signer;
mod vectors;
