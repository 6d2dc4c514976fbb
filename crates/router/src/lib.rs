//! Router logic without I/O: health checks, link dialing and connections of SDKs.
//!
//! `portcullis-router-config` reads a router's file; this crate acts on it. Nothing here opens
//! connections, reads the clock or starts threads. The embedding program passes events with their
//! times, asks for the next deadline, and performs the returned actions:
//!
//! ```text
//! events, instants  ->  HealthChecks, Links  ->  deadline(), poll(): runs, dials, closings
//! ```
//!
//! - [`access`]: who may do what, from the data model of the controllers.
//! - [`address`]: addresses of servers, and of listeners for whoever speaks no SDK.
//! - [`circuits`]: options of circuits and of the forwarder.
//! - [`control`]: which controllers there are, and what they are told at first.
//! - [`edge`]: what SDKs may do, and what becomes of it.
//! - [`egress`], [`ingress`]: dialers and listeners without SDKs.
//! - [`health`]: the checks of the section `healthChecks`, and the `health-checks` API.
//! - [`links`]: dialing of other routers' listeners.
//! - [`metrics`]: what is counted and measured, for controllers and for Prometheus.
//! - [`profile`]: where profiles of the router itself are written.
//! - [`tls`]: how long handshakes may take.
//! - [`tunnel`]: the router's own tunneler.
//! - [`web`]: servers of the section `web`.
//!
//! Instants are [`Timestamp`](portcullis_domain::clock::Timestamp)s, randomness comes from an
//! [`Entropy`](portcullis_domain::entropy::Entropy). A wall clock can be set while a router runs.
//! To make pauses immune to that, derive the instants from a monotonic clock: the wall clock at
//! start plus the elapsed time.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_router::health::{ControllerStatus, DueCheck, HealthChecks, HealthOptions};
//! use portcullis_router_config::{CheckOptions, SourceFile, load};
//!
//! let file = SourceFile::new("router.yml", b"v: 3\nhealthChecks: {linkCheck: {minLinks: 1}}\n");
//! let config = load(&file, &CheckOptions::new()).config;
//!
//! let start = Timestamp::UNIX_EPOCH;
//! let mut checks = HealthChecks::new(HealthOptions::from_config(&config.health_checks)?, start);
//! assert!(!checks.is_healthy(), "nothing was checked yet");
//!
//! let first = checks.deadline();
//! assert_eq!(first.as_second(), 1, "linkCheck.initialDelay");
//! for work in checks.poll(first) {
//!     match work {
//!         DueCheck::Ping(run) => checks.finish_ping(run, ControllerStatus::Answering, first),
//!         DueCheck::CountLinks(run) => checks.finish_count(run, Vec::new(), first),
//!     }
//! }
//! assert_eq!(checks.links().failure().map(|failure| failure.count), Some(2));
//! # Ok::<(), portcullis_router::IncompleteConfigError>(())
//! ```

pub mod access;
pub mod address;
mod advertised;
mod circuit_trace;
pub mod circuits;
pub mod control;
pub mod edge;
pub mod egress;
pub mod health;
pub mod ingress;
mod key_effects;
mod limited_json;
pub mod links;
pub mod metrics;
mod own_findings;
pub mod profile;
mod section_reader;
mod terminator_removals;
mod time;
mod timers;
pub mod tls;
pub mod tunnel;
mod unsupported;
pub mod web;

pub use crate::advertised::{AdvertisedHost, advertised_hosts};
pub use crate::circuit_trace::CircuitTrace;
pub use crate::key_effects::keys_without_effect;
pub use crate::limited_json::LimitedJson;
pub use crate::own_findings::own_findings;
pub use crate::section_reader::IncompleteConfigError;
pub use crate::time::in_go;
pub use crate::unsupported::UNSUPPORTED;
