//! Whole networks over sockets of the loopback: a controller with its store in memory, routers as they are
//! started from their files, and SDKs.
//!
//! ```text
//!   Sdk -- router -- link -- router -- Sdk
//!             \                /
//!              `- Controller -'
//! ```
//!
//! What they go through here is what goes wrong in a network.

mod absence;
mod broken;
mod controller;
mod crowd;
mod fairness;
mod kills;
mod line;
mod links;
mod memory;
mod metrics;
mod network;
mod person;
mod router;
mod routing;
mod sdk;
mod servers;
mod stalls;
mod strangers;
mod traces;
mod tunnel;
