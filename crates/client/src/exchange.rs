//! Watching what a client does.

use http::Method;
use std::sync::Arc;
use std::time::Duration;

/// A request that has ended.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'e> {
    /// Its method.
    pub method: &'e Method,
    /// Path and parameters, without what is secret.
    pub target: &'e str,
    /// Status of the answer; `None` when there was none.
    pub status: Option<u16>,
    /// From the call to the last byte of the answer.
    pub elapsed: Duration,
}

/// Is told of each request when it has ended, for example to log it.
pub type Observer = Arc<dyn Fn(Exchange<'_>) + Send + Sync>;
