//! What SDK and router say of themselves, and the access token of the SDK.

use super::key::{
    ERROR_CODE, ROUTER_CAPABILITIES, SESSION_TOKEN, STRUCTURED_ERROR, SUPPORTS_BIND_SUCCESS,
    SUPPORTS_POSTURE_CHECKS,
};
use crate::capability::{Capabilities, RouterCapability};
use crate::error_code::ErrorCode;
use crate::headers::{HeaderValue as _, header_message};
use crate::secret::Token;
use portcullis_channel::headers::{HeadersBuilder, key};
use portcullis_channel::{BuildVersion, Headers};

/// The headers of an SDK's hello, beside those of the channel. The id in it is for logs only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SdkHello {
    /// UUID of a legacy session, or JWT. `None` leads to the end of the connection.
    pub api_session_token: Option<Token>,
}

/// The headers of the answer to it, beside those of the channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RouterHello {
    /// `None` if it is missing or unreadable.
    pub version: Option<BuildVersion>,
    pub capabilities: Capabilities,
}

impl SdkHello {
    pub fn from_headers(headers: &Headers) -> Self {
        Self {
            api_session_token: Token::read(headers, SESSION_TOKEN),
        }
    }

    pub fn to_headers(&self) -> Headers {
        let token = self.api_session_token.as_ref();
        token
            .map_or_else(Headers::builder, |token| {
                Headers::builder().string(SESSION_TOKEN, token.expose())
            })
            .build()
    }
}

impl RouterHello {
    /// Reads an answer. Routers without a mask of capabilities have a header for each.
    pub fn from_headers(headers: &Headers) -> Self {
        let legacy = [
            (SUPPORTS_BIND_SUCCESS, RouterCapability::BindSuccess),
            (SUPPORTS_POSTURE_CHECKS, RouterCapability::PostureChecks),
        ];
        let legacy = legacy
            .into_iter()
            .filter(|(key, _)| headers.bool(*key) == Some(true))
            .map(|(_, capability)| capability);
        let mask = headers.get(ROUTER_CAPABILITIES);
        let version = headers.string(key::VERSION);
        Self {
            version: version.and_then(|text| text.parse().ok()),
            capabilities: mask.map_or_else(|| Capabilities::of(legacy), Capabilities::from_bytes),
        }
    }

    /// The headers of an answer, for SDKs of all versions.
    pub fn to_headers(&self) -> Headers {
        let supports = |headers: HeadersBuilder, key, capability| {
            if self.capabilities.has(capability) {
                headers.bool(key, true)
            } else {
                headers
            }
        };
        let mask = self.capabilities.to_bytes();
        let headers = Headers::builder().bytes(ROUTER_CAPABILITIES, &mask);
        let headers = supports(
            headers,
            SUPPORTS_BIND_SUCCESS,
            RouterCapability::BindSuccess,
        );
        let headers = supports(
            headers,
            SUPPORTS_POSTURE_CHECKS,
            RouterCapability::PostureChecks,
        );
        match &self.version {
            Some(version) => headers.string(key::VERSION, &version.to_string()),
            None => headers,
        }
        .build()
    }
}

header_message! {
    /// A new access token for the session of the channel.
    pub struct UpdateToken {
        pub access_token: Token = body,
    }

    /// The token is refused; the router closes the channel.
    pub struct UpdateTokenFailure {
        /// A text for people.
        pub reason: String = text,
        pub code: Option<ErrorCode> = ERROR_CODE,
        /// As in [`StateClosed`](super::StateClosed).
        pub structured_error: Option<String> = STRUCTURED_ERROR,
    }
}
