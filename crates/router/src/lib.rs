//! What a router does, as pure logic: health and link dialing.
//!
//! `portcullis-router-config` says what stands in a router's file; this crate lives by it. Nothing here
//! opens a connection, reads a clock or starts a thread. The program around it hands in what happened and
//! at which instant, asks until when nothing has to be done, and does what it is told then:
//!
//! ```text
//! events, instants  ->  HealthChecks, Links  ->  deadline(), poll(): runs, dials, closings
//! ```
//!
//! - [`health`]: the checks of the section `healthChecks`, and the answer of the `health-checks` API.
//! - [`links`]: which listeners of other routers are dialed, when, and when again.
//!
//! Instants are [`Timestamp`](portcullis_domain::clock::Timestamp)s, randomness comes from an
//! [`Entropy`](portcullis_domain::entropy::Entropy). A wall clock can be set while a router runs. Whoever
//! wants pauses to be immune to that makes the instants from a monotonic clock: the wall clock at start,
//! and what has passed since.
//!
//! # Examples
//!
//! ```
//! use portcullis_domain::clock::Timestamp;
//! use portcullis_router::health::{Controllers, HealthChecks, Settings, Work};
//! use portcullis_router_config::{Options, Text, load};
//!
//! let file = Text::new("router.yml", b"v: 3\nhealthChecks: {linkCheck: {minLinks: 1}}\n");
//! let config = load(&file, Options::default(), &|_| None).config;
//!
//! let start = Timestamp::UNIX_EPOCH;
//! let mut checks = HealthChecks::new(Settings::from_config(&config.health_checks)?, start);
//! assert!(!checks.is_healthy(), "nothing was checked yet");
//!
//! let first = checks.deadline();
//! assert_eq!(first.as_second(), 1, "linkCheck.initialDelay");
//! for work in checks.poll(first) {
//!     match work {
//!         Work::Ping(run) => checks.pinged(run, Controllers::Answering, first),
//!         Work::CountLinks(run) => checks.counted(run, Vec::new(), first),
//!     }
//! }
//! assert_eq!(checks.links().failing().map(|failing| failing.times), Some(2));
//! # Ok::<(), portcullis_router::Incomplete>(())
//! ```

pub mod health;
mod incomplete;
pub mod links;
mod time;

pub use crate::incomplete::Incomplete;
