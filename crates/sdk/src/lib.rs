//! The network for Rust programs.
