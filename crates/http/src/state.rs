//! What all handlers share.

use crate::path::Api;
use portcullis_app::App;
use std::sync::Arc;

/// Facts about the program, for the answer to `GET /version`.
#[derive(Debug, Clone)]
pub struct Build {
    /// Version of the program, `0.1.0`.
    pub version: &'static str,
    /// When it was built, RFC 3339.
    pub build_date: &'static str,
    /// Revision of its source.
    pub revision: &'static str,
    /// The compiler.
    pub runtime: &'static str,
}

/// What all handlers of a listener share.
pub struct State {
    /// The controller.
    pub app: Arc<App>,
    /// Facts about the program.
    pub build: Build,
    /// The APIs that are served, each with the addresses under which it is reached.
    pub addresses: Vec<(Api, Vec<String>)>,
    /// Random text that changes with each start; clients notice a restart by it.
    pub instance_id: String,
}

impl std::fmt::Debug for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("State")
            .field("build", &self.build)
            .finish_non_exhaustive()
    }
}
