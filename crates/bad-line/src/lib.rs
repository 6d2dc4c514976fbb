//! Lines that delay, lose and reorder packets, by interfaces of this computer: a [`BadLine`] to a network
//! namespace, or a [`Mirror`], which leads back.
//!
//! Packets are carried by `tc netem` or, where the kernel has none, by a program between TUN interfaces. Either
//! takes the rights of an administrator of networks, and the programs of iproute2; the program takes `python3`.
//!
//! Only tests and benchmarks use this crate.

mod carrier;
mod ip;
mod mirror;
mod namespace;
mod quality;

pub use mirror::Mirror;
pub use namespace::BadLine;
pub use quality::Quality;
