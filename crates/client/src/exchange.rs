//! Observers of requests.

use http::Method;
use std::sync::Arc;
use std::time::Duration;

/// A completed request.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'e> {
    pub method: &'e Method,
    /// Path and parameters with secrets masked.
    pub target: &'e str,
    /// Status of the response; `None` when there was none.
    pub status: Option<u16>,
    /// Time from the call to the last byte of the response.
    pub elapsed: Duration,
}

/// Called after each request, for example to log it.
pub type Observer = Arc<dyn Fn(Exchange<'_>) + Send + Sync>;
