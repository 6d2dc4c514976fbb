//! Enrollments, authenticators and API sessions.

use super::{ListedKind, plain};

pub(super) const ENROLLMENTS: ListedKind = ListedKind {
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
    convert: |members| {
        // The others are audited by what they are for: an authority, a username, a router.
        if members.get("method").is_some_and(|method| method != "ott") {
            members.remove("method");
        }
    },
    ..plain("enrollment", "/edge/management/v1/enrollments")
};

pub(super) const AUTHENTICATORS: ListedKind = ListedKind {
    // Whether a key roll is requested is shown while a renewal is requested.
    derived: &["identity", "identityId", "isKeyRollRequested", "method"],
    hidden: &["isKeyRollRequested", "renewal"],
    secret: &["password"],
    owner: &["identityId"],
    ..plain("authenticator", "/edge/management/v1/authenticators")
};

pub(super) const API_SESSIONS: ListedKind = ListedKind {
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
