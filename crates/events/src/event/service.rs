//! How often services were dialed.

use serde::Serialize;
use std::sync::Arc;

/// Dials of a service in an interval that ended alike.
#[derive(Debug, Clone)]
pub struct ServiceCount {
    pub kind: ServiceCountKind,
    /// Empty for what no terminator has to do with.
    pub terminator_id: Arc<str>,
    pub service_id: Arc<str>,
    pub count: u64,
    /// Seconds since 1970.
    pub interval_start: i64,
    /// In seconds.
    pub interval_length: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
pub enum ServiceCountKind {
    #[serde(rename = "service.dial.success")]
    Success,
    #[serde(rename = "service.dial.fail")]
    Failure,
    #[serde(rename = "service.dial.timeout")]
    Timeout,
    #[serde(rename = "service.dial.error_other")]
    OtherError,
    #[serde(rename = "service.dial.terminator.timeout")]
    TerminatorTimeout,
    #[serde(rename = "service.dial.terminator.connection_refused")]
    ConnectionRefused,
    /// The router no longer knows an address of an SDK or a tunnel.
    #[serde(rename = "service.dial.terminator.invalid")]
    InvalidTerminator,
    /// The router cannot make anything of the address.
    #[serde(rename = "service.dial.terminator.misconfigured")]
    MisconfiguredTerminator,
}

impl ServiceCount {
    pub(crate) fn wire_form(&self) -> impl Serialize + '_ {
        #[derive(Serialize)]
        struct Wire<'e> {
            version: u32,
            event_type: ServiceCountKind,
            terminator_id: &'e str,
            service_id: &'e str,
            count: u64,
            interval_start_utc: i64,
            interval_length: u64,
        }
        Wire {
            version: 2,
            event_type: self.kind,
            terminator_id: &self.terminator_id,
            service_id: &self.service_id,
            count: self.count,
            interval_start_utc: self.interval_start,
            interval_length: self.interval_length,
        }
    }
}
