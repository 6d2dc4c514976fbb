//! A router whose tunneler has sockets of the loopback, and a controller in memory.

mod circuits;
mod controller;
#[cfg(target_os = "linux")]
mod interception;
#[cfg(target_os = "linux")]
mod namespace;
mod terminators;
mod world;
