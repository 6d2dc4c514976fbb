//! Groups of commands in the help.

use portcullis_command_line::CommandGroup;

/// All commands, in the order of the help.
pub(super) const GROUPS: &[CommandGroup] = &[
    CommandGroup {
        heading: "Getting in",
        commands: &[
            "login", "logout", "whoami", "profile", "enroll", "renew", "mfa", "password",
        ],
    },
    CommandGroup {
        heading: "Identities and credentials",
        commands: &[
            "identity",
            "enrollment",
            "authenticator",
            "session",
            "revocation",
            "auth-policy",
            "ca",
            "ext-jwt-signer",
        ],
    },
    CommandGroup {
        heading: "Services and access",
        commands: &[
            "service",
            "config",
            "config-type",
            "service-policy",
            "posture-check",
            "policy-advisor",
        ],
    },
    CommandGroup {
        heading: "Network",
        commands: &[
            "edge-router",
            "transit-router",
            "terminator",
            "fabric",
            "edge-router-policy",
            "service-edge-router-policy",
        ],
    },
    CommandGroup {
        heading: "Operations",
        commands: &["events", "database", "api"],
    },
    CommandGroup {
        heading: "Offline tools",
        commands: &["router-config", "completion", "man", "version"],
    },
];
