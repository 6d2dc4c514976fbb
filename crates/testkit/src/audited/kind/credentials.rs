//! Credentials, how they are obtained, and what they open.

use super::{Kind, plain};

pub(super) const ENROLLMENTS: Kind = Kind {
    derived: &[
        "edgeRouter",
        "edgeRouterId",
        "identity",
        "identityId",
        "transitRouter",
        "transitRouterId",
    ],
    hidden: &["isEdge", "isOutgrown", "username"],
    secret: &["jwt", "token", "tokenHash"],
    owner: &["identityId", "edgeRouterId", "transitRouterId"],
    adapt: |members| {
        // The others are told by what they take: an authority, a username, a router.
        if members.get("method").is_some_and(|method| method != "ott") {
            members.remove("method");
        }
    },
    ..plain("enrollment", "/edge/management/v1/enrollments")
};

pub(super) const AUTHENTICATORS: Kind = Kind {
    // Whether the key has to be rolled is shown while a renewal is asked for.
    derived: &["identity", "identityId", "isKeyRollRequested", "method"],
    hidden: &["isKeyRollRequested", "renewal"],
    secret: &["password"],
    owner: &["identityId"],
    ..plain("authenticator", "/edge/management/v1/authenticators")
};

pub(super) const API_SESSIONS: Kind = Kind {
    derived: &[
        "authQueries",
        "cachedLastActivityAt",
        "expirationSeconds",
        "expiresAt",
        "identity",
        "identityId",
        "isCertExtendRequested",
        "isCertKeyRollRequested",
        "isMfaComplete",
        "isMfaRequired",
        "lastActivityAt",
        "token",
    ],
    hidden: &["certificate"],
    secret: &["token"],
    owner: &["identityId"],
    ..plain("api-session", "/edge/management/v1/api-sessions")
};
