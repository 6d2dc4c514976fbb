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

/// Their bits in the mask that routers report. Others have no names.
const ROUTER_CAPABILITY_BITS: [u32; 5] = [1, 2, 4, 5, 6];

/// The names of the capabilities in a mask; `None` for an empty one.
pub(crate) fn router_capabilities(mask: u64) -> Option<Vec<String>> {
    let all = ROUTER_CAPABILITIES.iter().zip(ROUTER_CAPABILITY_BITS);
    let reported = all.filter(|(_, bit)| mask & (1 << bit) != 0);
    (mask != 0).then(|| reported.map(|(name, _)| (*name).to_owned()).collect())
}
