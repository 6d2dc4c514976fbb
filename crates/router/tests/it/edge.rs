//! The edge: connections of SDKs.

mod admission;
mod judge;
mod presence;
mod refusals;
