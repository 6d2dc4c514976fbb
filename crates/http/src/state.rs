//! State that all handlers share.

use crate::management_channel::ManagementChannel;
use crate::path::Api;
use crate::request_tracer::RequestTracer;
use portcullis_app::App;
use std::sync::Arc;

/// Build information, for the response to `GET /version`.
#[derive(Debug, Clone)]
pub struct BuildInfo {
    /// Version of the program, such as `0.1.0`.
    pub version: &'static str,
    /// Build time, RFC 3339.
    pub build_date: &'static str,
    /// Source revision.
    pub revision: &'static str,
    /// Compiler version.
    pub runtime: &'static str,
}

/// State that all handlers of a controller share.
pub struct AppState {
    pub app: Arc<App>,
    pub build: BuildInfo,
    /// The APIs that are served, each with the addresses at which it is reachable.
    pub addresses: Vec<(Api, Vec<String>)>,
    /// Random text that changes with each start, by which clients notice a restart.
    pub instance_id: String,
    /// What serves the management channel, if it is served.
    pub management_channel: Option<Arc<dyn ManagementChannel>>,
    /// Who is told of requests, if anybody is.
    pub tracer: Option<Arc<dyn RequestTracer>>,
}

impl std::fmt::Debug for AppState {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("State")
            .field("build", &self.build)
            .finish_non_exhaustive()
    }
}
