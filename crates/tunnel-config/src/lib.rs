//! What services tell tunnelers: which connections to intercept, and which servers to offer.
//!
//! A service has configurations of several types. [`Intercept`] and [`Host`] say what those for the two
//! sides mean, whichever type it is in; [`Interceptions`] finds the service of a destination among all that
//! are intercepted. No I/O, no clock.
//!
//! | Side | Types, the first that there is counts |
//! |---|---|
//! | dials ([`Intercept`]) | `intercept.v1`, `ziti-tunneler-client.v1` |
//! | dials, at a port of its own ([`Proxy`]) | `proxy.v1` |
//! | dials, at network interfaces ([`Interfaces`]) | `interfaces.v1`, for a diverter |
//! | hosts ([`Host`]) | `host.v2`, `host.v1`, `ziti-tunneler-server.v1` |
//!
//! ```text
//! connection -> Interceptions -> service -> AppData --- network ---> AppData -> HostTerminator -> Target
//! ```
//!
//! # Which service answers
//!
//! If several services intercept a destination, the most specific one answers:
//!
//! 1. the one with the smallest network; for names, the name itself before `*.` and a domain, and a longer
//!    domain before a shorter one;
//! 2. of these, the one with the fewest ports;
//! 3. then one that names its sources before one that does not;
//! 4. then the one whose key comes first.
//!
//! A service whose protocol, ports or sources do not fit does not count.
//!
//! # What a host refuses
//!
//! What the other side asks for is data: a forwarded protocol, address or port has to be in its list, and so
//! has the source address, which no host takes if its list is empty.
//!
//! # Examples
//!
//! ```
//! use portcullis_tunnel_config::{Destination, Intercept, Interceptions, Protocol};
//! use serde_json::json;
//!
//! let everything = json!({
//!     "protocols": ["tcp"],
//!     "addresses": ["*.example.com"],
//!     "portRanges": [{"low": 1, "high": 65535}],
//! });
//! let wiki = json!({
//!     "protocols": ["tcp"],
//!     "addresses": ["wiki.example.com"],
//!     "portRanges": [{"low": 443, "high": 443}],
//! });
//! let mut interceptions = Interceptions::default();
//! interceptions.insert("everything", &Intercept::from_intercept_v1(&everything)?);
//! interceptions.insert("wiki", &Intercept::from_intercept_v1(&wiki)?);
//!
//! let service_of = |host: &str, port| {
//!     let destination = Destination::name(Protocol::Tcp, host, port);
//!     interceptions.find(&destination, "192.0.2.7".parse().ok()?).copied()
//! };
//! assert_eq!(service_of("Wiki.example.com", 443), Some("wiki"));
//! assert_eq!(service_of("wiki.example.com", 22), Some("everything"));
//! assert_eq!(service_of("example.org", 443), None);
//! # Ok::<(), portcullis_tunnel_config::ConfigError>(())
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `error`, `protocol`, `address`, `duration`;
//! `app_data`, `template`, `health_check`; `intercept`, `interfaces`, `proxy`,
//! `host`; `interceptions`, `name_addresses`.

mod address;
mod app_data;
mod duration;
mod error;
mod health_check;
mod host;
mod intercept;
mod interceptions;
mod interfaces;
mod name_addresses;
mod protocol;
mod proxy;
mod template;

pub use crate::address::{AddressError, AddressPattern, HostName};
pub use crate::app_data::{AppData, AppDataError, SourceAddress};
pub use crate::error::ConfigError;
pub use crate::health_check::{
    CheckOutcome, Effect, HealthAction, HealthCheck, HttpMethod, Probe, TerminatorHealth, Trigger,
};
pub use crate::host::{
    AddressRule, Host, HostTerminator, HttpConnectProxy, ListenIdentity, ListenOptions, PortRule,
    ProtocolRule, Target, TargetError, TargetHost, Translation,
};
pub use crate::intercept::Intercept;
pub use crate::interceptions::{Destination, DestinationHost, Interceptions};
pub use crate::interfaces::Interfaces;
pub use crate::name_addresses::{NameAddresses, RangeExhausted};
pub use crate::protocol::{PortRange, Protocol};
pub use crate::proxy::Proxy;
pub use crate::template::{Template, TemplateContext, TemplateError, TunnelerIdentity};
