//! What the entry of `listeners` with the binding `tunnel` says.

use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

use portcullis_domain::ip_network::IpNetwork;
use portcullis_name_server::NameServerOptions;
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

/// What the tunneler does besides hosting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TunnelMode {
    Host,
    Proxy(Vec<ProxyRule>),
    /// `tproxy`: it intercepts connections, answers for names, and opens the ports that services name.
    Intercept(Box<InterceptSettings>),
}

/// How connections are intercepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterceptSettings {
    /// `resolver`: where names are answered, as it is written. One that cannot be had leaves the others.
    pub resolvers: Vec<String>,
    /// `dnsSvcIpRange`: addresses that stand for names.
    pub name_range: IpNetwork,
    pub name_server: NameServerOptions,
    /// `lanIf`: network interfaces, or addresses of them; without any, only what the machine itself sends is
    /// intercepted.
    pub lan_interfaces: Vec<String>,
}

/// The router cannot run the tunneler that its file asks for. The text names the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TunnelError {
    #[error(transparent)]
    Incomplete(#[from] IncompleteConfigError),
    #[error(
        "`listeners[{entry}].options.mode` is `{mode}`: this router diverts traffic itself, and supports no program \
         that does; write `tproxy`"
    )]
    Diverter { entry: usize, mode: String },
    #[error("`listeners[{entry}].options.{key}` {reason}")]
    Option {
        entry: usize,
        key: &'static str,
        reason: String,
    },
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
        "tproxy" => Ok(TunnelMode::Intercept(Box::new(interception(index, entry)?))),
        mode => Err(TunnelError::Diverter {
            entry: index,
            mode: mode.to_owned(),
        }),
    }
}

fn interception(index: usize, entry: &Listener) -> Result<InterceptSettings, TunnelError> {
    let upstreams = entry.dns_upstream.iter().flat_map(|given| &given.value);
    let upstreams = upstreams.filter(|text| !text.is_empty());
    let upstreams = upstreams.map(|text| parse(index, "dnsUpstream", text));
    let mut name_server = NameServerOptions {
        upstreams: upstreams.collect::<Result<_, _>>()?,
        ..NameServerOptions::default()
    };
    if let Some(given) = &entry.dns_upstream_mode {
        name_server.order = parse(index, "dnsUpstreamMode", &given.value)?;
    }
    if let Some(given) = &entry.dns_unanswerable {
        name_server.unanswerable = parse(index, "dnsUnanswerable", &given.value)?;
    }
    let options = format!("listeners[{index}].options");
    let reader = SectionReader::new(&options);
    let range = reader.value("dnsSvcIpRange", entry.dns_svc_ip_range.as_ref())?;
    let name_range = range.parse().map_err(|_error| TunnelError::Option {
        entry: index,
        key: "dnsSvcIpRange",
        reason: format!("must be a range of addresses such as `100.64.0.0/10`, not {range:?}"),
    })?;
    let mut resolvers = reader.value("resolver", entry.resolver.as_ref())?.clone();
    resolvers.dedup();
    Ok(InterceptSettings {
        resolvers,
        name_range,
        name_server,
        lan_interfaces: entry
            .lan_if
            .as_ref()
            .map_or_else(Vec::new, |given| given.value.clone()),
    })
}

fn parse<T: FromStr<Err: Display>>(
    entry: usize,
    key: &'static str,
    text: &str,
) -> Result<T, TunnelError> {
    text.parse().map_err(|error: T::Err| TunnelError::Option {
        entry,
        key,
        reason: error.to_string(),
    })
}
