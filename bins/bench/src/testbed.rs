//! A controller as a process of its own, and clients that load it: what `bench` and `siege` share.

pub(crate) mod build;
pub(crate) mod calls;
pub(crate) mod controller;
pub(crate) mod credential;
pub(crate) mod link;
pub(crate) mod oidc;
pub(crate) mod policies;
pub(crate) mod process;
pub(crate) mod request;
pub(crate) mod statistics;
