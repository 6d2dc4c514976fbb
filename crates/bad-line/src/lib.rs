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
mod rights;

pub use mirror::Mirror;
pub use namespace::BadLine;
pub use quality::Quality;
pub use rights::is_allowed;

/// Says that a test is passed over for want of a line, which is a failure where tools are required and lines are
/// allowed.
#[cfg(test)]
fn skip(problem: &str) {
    let is_required = std::env::var("PORTCULLIS_REQUIRE_TOOLS").is_ok_and(|value| value == "1");
    assert!(!(is_required && is_allowed()), "{problem}");
    println!("skipped: {problem}");
}
