//! What the entry of `listeners` with the binding `tunnel` says.

use std::time::Duration;

use portcullis_router_config::Binding;
use portcullis_router_config::model::Listener;
use portcullis_tunneler::{ProxyRule, ProxyRuleError};
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
    /// Its place in the file, such as `listeners[1]`.
    pub key: String,
    pub mode: TunnelMode,
    /// Of the circuits that begin there.
    pub initiating_end: Options,
    /// Of the circuits that end at servers that it hosts.
    pub terminating_end: Options,
    /// After how long without datagrams a flow of them is over.
    pub idle_time: Duration,
}

/// What the tunneler does besides hosting.
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
    #[error("`{key}.options.services`: {error}")]
    Rule {
        key: String,
        #[source]
        error: ProxyRuleError,
    },
    #[error(
        "`{key}.options.mode` is `{mode}`: this router intercepts no traffic yet; write `host` or `proxy`"
    )]
    NoInterception { key: String, mode: String },
    #[error(
        "`{key}` and `{other}` are both `tunnel`: a router has one tunneler; remove one of them"
    )]
    Two { key: String, other: String },
    #[error("`{key}` is `tunnel`: a tunneler is part of an edge router; add a section `edge`")]
    NoEdge { key: String },
}

impl TunnelError {
    /// The key below the entry that the error is about.
    pub const fn key(&self) -> &'static str {
        match self {
            Self::Rule { .. } => "options.services",
            Self::NoInterception { .. } => "options.mode",
            Self::Incomplete(_) | Self::Two { .. } | Self::NoEdge { .. } => "binding",
        }
    }
}

impl TunnelSettings {
    /// Reads the entry, if there is one, and the options of its circuits in the section `dialers`, if these are
    /// there.
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
        let entries = listeners.iter().enumerate();
        let mut entries = entries.filter(|(_, entry)| is_tunnel(entry));
        let Some((index, entry)) = entries.next() else {
            return Ok(None);
        };
        let key = format!("listeners[{index}]");
        if let Some((other, _)) = entries.next() {
            let other = format!("listeners[{other}]");
            return Err(TunnelError::Two { key, other });
        }
        let options = format!("{key}.options");
        let reader = SectionReader::new(&options);
        let idle_time = reader.duration("udpIdleTimeout", entry.udp_idle_timeout.as_ref())?;
        let terminating = DialerSettings::of_binding(Binding::Tunnel, dialers)?;
        Ok(Some(Self {
            mode: mode(&key, entry)?,
            key,
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

fn mode(key: &str, entry: &Listener) -> Result<TunnelMode, TunnelError> {
    let options = format!("{key}.options");
    let mode = SectionReader::new(&options).value("mode", entry.mode.as_ref())?;
    match mode.as_str() {
        "host" => Ok(TunnelMode::Host),
        "proxy" => {
            let rules = entry.services.iter().flat_map(|services| &services.value);
            let rules = rules.map(|rule| rule.parse());
            let rules: Result<_, _> = rules.collect();
            let key = key.to_owned();
            let rules = rules.map_err(|error| TunnelError::Rule { key, error })?;
            Ok(TunnelMode::Proxy(rules))
        },
        mode => Err(TunnelError::NoInterception {
            key: key.to_owned(),
            mode: mode.to_owned(),
        }),
    }
}
