//! What the entry of `listeners` with the binding `tunnel` says.

use std::time::Duration;

use portcullis_router_config::Binding;
use portcullis_router_config::model::Listener;
use portcullis_tunneler::ProxyRule;
use portcullis_xgress::Options;

use crate::circuits::end_options;
use crate::egress::DialerSettings;
use crate::section_reader::{IncompleteConfigError, SectionReader};

/// Shorter idle times count as the default, as at OpenZiti.
const SHORTEST_IDLE_TIME: Duration = Duration::from_secs(5);
const DEFAULT_IDLE_TIME: Duration = Duration::from_mins(5);

/// The tunneler of a router.
#[derive(Debug, Clone, PartialEq)]
pub struct TunnelSettings {
    /// Position of the entry in `listeners`.
    pub entry: usize,
    pub mode: TunnelMode,
    /// Of the circuits that begin there.
    pub initiating_end: Options,
    /// Of the circuits that end at servers that it hosts.
    pub terminating_end: Options,
    /// After how long without datagrams a flow of them is over.
    pub idle_time: Duration,
}

/// What the tunneler does besides hosting. Traffic is not intercepted yet: see [`TunnelError::NoInterception`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TunnelMode {
    Host,
    Proxy(Vec<ProxyRule>),
}

/// The router cannot run the tunneler that its file asks for. The text names the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TunnelError {
    #[error(transparent)]
    Incomplete(#[from] IncompleteConfigError),
    #[error(
        "`listeners[{entry}].options.mode` is `{mode}`: this router intercepts no traffic yet; write `host` or \
         `proxy`"
    )]
    NoInterception { entry: usize, mode: String },
    #[error(
        "`listeners[{entry}].binding` is `tunnel`: a tunneler is part of an edge router; add a section `edge`"
    )]
    NoEdge { entry: usize },
}

impl TunnelSettings {
    /// Reads the entry, if there is one, and the options of its circuits in the section `dialers`, if these are
    /// there. Of several entries the last one counts, as at OpenZiti.
    ///
    /// # Errors
    ///
    /// [`TunnelError`].
    pub fn from_config(
        listeners: &[Listener],
        dialers: &[Listener],
    ) -> Result<Option<Self>, TunnelError> {
        let is_tunnel = |entry: &Listener| {
            let binding = entry.binding.as_ref();
            binding.is_some_and(|binding| binding.value == Binding::Tunnel.name())
        };
        let mut entries = listeners.iter().enumerate();
        let Some((index, entry)) = entries.rfind(|(_, entry)| is_tunnel(entry)) else {
            return Ok(None);
        };
        let options = format!("listeners[{index}].options");
        let reader = SectionReader::new(&options);
        let idle_time = reader.duration("udpIdleTimeout", entry.udp_idle_timeout.as_ref())?;
        let terminating = DialerSettings::of_binding(Binding::Tunnel, dialers)?;
        Ok(Some(Self {
            entry: index,
            mode: mode(index, entry)?,
            initiating_end: end_options(&entry.circuits)?,
            terminating_end: terminating.unwrap_or_default().end,
            idle_time: if idle_time < SHORTEST_IDLE_TIME {
                DEFAULT_IDLE_TIME
            } else {
                idle_time
            },
        }))
    }
}

fn mode(index: usize, entry: &Listener) -> Result<TunnelMode, TunnelError> {
    let options = format!("listeners[{index}].options");
    let reader = SectionReader::new(&options);
    let mode = reader.value("mode", entry.mode.as_ref())?;
    match mode.as_str() {
        "host" => Ok(TunnelMode::Host),
        "proxy" => {
            let rules = entry.services.iter().flat_map(|services| &services.value);
            let rules: Result<_, _> = rules.map(|rule| rule.parse()).collect();
            let rules = rules.map_err(|_error| reader.missing("services"))?;
            Ok(TunnelMode::Proxy(rules))
        },
        mode => Err(TunnelError::NoInterception {
            entry: index,
            mode: mode.to_owned(),
        }),
    }
}
