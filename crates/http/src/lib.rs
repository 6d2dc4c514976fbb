//! http

pub mod listen;
