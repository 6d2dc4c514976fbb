//! How the controller is reached: TLS, HTTP and the routes of its APIs.
//!
//! [`listen`] accepts connections and bounds what each may cost; [`Controller`] is the service
//! behind it: it finds the [`route`] of a request, establishes the session, reads the body, asks
//! for the permission and hands over to a handler of [`routes`], which calls one use case. Errors
//! get their wire form in [`error`] and nowhere else. What the controller itself fetches from others
//! goes through [`outbound`].

mod acting;
pub mod answer;
mod challenge;
mod compress;
mod cors;
mod desk;
mod errands;
pub mod error;
mod language;
mod list;
pub mod listen;
pub mod openapi;
pub mod outbound;
mod parts;
pub mod path;
mod query;
mod refusal_log;
mod request_ids;
mod request_memory;
pub mod route;
pub mod routes;
mod service;
mod session;
mod state;

pub use language::Consumes;
pub use query::Query;
pub use service::Controller;
pub use state::{Build, State};
