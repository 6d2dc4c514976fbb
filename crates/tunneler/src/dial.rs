//! How a service is dialed for a connection.

use crate::service::ServiceId;
use portcullis_tunnel_config::{AppData, TemplateError};
use std::sync::Arc;
use std::time::Duration;

/// The service that a connection is for, and how to dial it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dial {
    pub service: ServiceId,
    pub service_name: Arc<str>,
    pub is_encrypted: bool,
    /// The host to dial, of several that have names.
    pub identity: Option<String>,
    /// For the tunneler that hosts.
    pub app_data: AppData,
    /// How long a dial may take.
    pub timeout: Duration,
}

/// Why a connection is for no service.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoDial {
    #[error("no service has this destination for this protocol, port and source")]
    NoService,
    #[error("the service cannot be dialed: its configuration: {0}")]
    Template(#[from] TemplateError),
}
