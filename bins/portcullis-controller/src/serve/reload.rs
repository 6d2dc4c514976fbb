//! Reloading on request of the operator.

use portcullis_app::{App, audit};
use portcullis_event_sinks::EventSinks;
use std::sync::Arc;
use tokio::sync::Notify;

/// Has a running controller reload what it reads from files. The log says what came of it.
#[derive(Debug, Clone)]
pub struct Reloader {
    pub(super) app: Arc<App>,
    /// Wakes the task that watches the certificates.
    pub(super) certificates: Arc<Notify>,
    pub(super) event_sinks: Arc<EventSinks>,
}

impl Reloader {
    /// Reloads the server certificates, and opens the audit file and files of events anew if they were moved.
    pub fn reload(&self) {
        self.certificates.notify_one();
        audit::reopen(&self.app);
        self.event_sinks.reopen();
    }
}
