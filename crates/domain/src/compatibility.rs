//! What this software is compatible with.

/// The release of OpenZiti whose APIs and protocols are spoken: clients, controllers and routers judge by it
/// what they may use.
pub const OPENZITI_LEVEL: &str = "v2.1.0";
