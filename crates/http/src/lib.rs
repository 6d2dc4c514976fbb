//! HTTP front end of the controller: the routes of its APIs.
//!
//! [`ControllerService`] is the service behind a [`portcullis_listener::Listener`]: it finds the
//! [`route`] of a request, establishes the session, reads the body, checks the permission and calls
//! a handler of [`routes`], which calls one use case. Errors get their wire form in [`error`] and
//! nowhere else.

mod challenge;
mod compress;
mod content_negotiation;
mod cors;
pub mod error;
mod fair_queue;
mod list;
mod management_channel;
mod metrics_page;
pub mod openapi;
mod origin;
pub mod path;
mod peer;
mod query;
mod refusal_log;
mod request_ids;
mod request_memory;
mod request_tasks;
mod request_tracer;
pub mod response;
pub mod route;
pub mod routes;
mod service;
mod session;
mod state;
mod streaming_body;
mod web_app;

pub use content_negotiation::Consumes;
pub use management_channel::ManagementChannel;
pub use metrics_page::{MetricsOptions, ScraperCertificate, WithMetrics};
pub use query::Query;
pub use request_tracer::{AnsweredRequest, RequestSpan, RequestTracer};
pub use service::ControllerService;
pub use state::{AppState, BuildInfo};
pub use web_app::{WebApp, WithWebApps};
