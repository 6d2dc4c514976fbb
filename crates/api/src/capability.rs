//! Lists of capabilities that clients can query.

/// Capabilities that a controller can have; its [version](crate::version) lists those that it has.
pub const CONTROLLER_CAPABILITIES: [&str; 3] = ["OIDC_AUTH", "HA_CONTROLLER", "OIDC_AUTH_WITH_CSR"];

/// Capabilities of a controller that serves logins by OIDC.
pub const OIDC_CAPABILITIES: [&str; 2] = ["OIDC_AUTH", "OIDC_AUTH_WITH_CSR"];

/// Capabilities that an edge router can have.
pub const ROUTER_CAPABILITIES: [&str; 5] = [
    "MULTI_CHANNEL",
    "CONNECT_V2",
    "SERVICE_SUBSCRIPTIONS",
    "POSTURE_CHECKS",
    "BIND_SUCCESS",
];
