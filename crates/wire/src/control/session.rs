//! Legacy sessions, which routers must know before SDKs show them.

use crate::headers::header_message;
use crate::protobuf::message;
use crate::secret::Token;

/// How sessions are synchronized; there is no other way.
pub const INSTANT: &str = "instant";

header_message! {
    /// Sessions that a router is to accept.
    pub struct ApiSessionsAdded {
        pub sessions: ApiSessions = body,
        /// [`INSTANT`]. Without it, or without a state, routers crash.
        pub sync_type: String = 1013,
        /// JSON: `{"id": text, "isLast": bool, "sequence": number}`. The messages of a full state share
        /// an id, which has to be greater than that of the state before, and are numbered from 0.
        pub sync_state: String = 1014,
    }

    /// Sessions whose fingerprints changed.
    pub struct ApiSessionsUpdated {
        pub sessions: UpdatedApiSessions = body,
        /// [`INSTANT`].
        pub sync_type: String = 1013,
        /// Empty.
        pub sync_state: String = 1014 or default,
    }
}

message! {
    pub struct ApiSessions {
        /// Others that the router has are gone.
        pub is_full_state: bool = 1,
        pub sessions: Vec<ApiSession> = 2,
    }

    pub struct UpdatedApiSessions {
        pub sessions: Vec<ApiSession> = 1,
    }

    /// A legacy session.
    pub struct ApiSession {
        /// A UUID.
        pub token: Token = 1,
        /// SHA-1 in lower-case hex of the certificates that a client may show.
        pub fingerprints: Vec<String> = 2,
        pub id: String = 3,
        pub identity_id: String = 4,
    }

    pub struct ApiSessionsRemoved {
        pub tokens: Vec<Token> = 1,
        /// Used only if there are as many as tokens.
        pub ids: Vec<String> = 2,
    }

    /// Sessions for services that ended.
    pub struct SessionsRemoved {
        pub tokens: Vec<Token> = 1,
        /// Routers since 2.0 know them by these.
        pub ids: Vec<String> = 2,
    }

    /// Sessions that are in use. Unknown ones are answered by [`ApiSessionsRemoved`].
    pub struct ApiSessionHeartbeat {
        /// At most 10 000.
        pub tokens: Vec<Token> = 1,
    }

    /// The router does not have all sessions, and wants them again.
    pub struct ResynchronizationRequest {
        /// A text for people.
        pub reason: String = 1,
    }

    /// Sessions for services that the router knows of. Invalid ones are answered by [`SessionsRemoved`].
    pub struct ValidateSessions {
        /// Ids (`jti`) of the tokens, from routers since 2.0.
        pub session_tokens: Vec<Token> = 1,
    }
}
