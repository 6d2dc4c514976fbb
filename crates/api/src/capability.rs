//! The lists of capabilities that clients can ask for.

/// What a controller may be capable of; which of these one is, its [version](crate::version) says.
pub const OF_CONTROLLERS: [&str; 3] = ["OIDC_AUTH", "HA_CONTROLLER", "OIDC_AUTH_WITH_CSR"];

/// What an edge router may be capable of.
pub const OF_ROUTERS: [&str; 5] = [
    "MULTI_CHANNEL",
    "CONNECT_V2",
    "SERVICE_SUBSCRIPTIONS",
    "POSTURE_CHECKS",
    "BIND_SUCCESS",
];
