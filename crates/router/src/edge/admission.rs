//! Whether a connection of an SDK is let in, before its hello is answered.
//!
//! OpenZiti's routers answer first and check later, and admit further connections of a channel on its id
//! and secret alone. Here every connection is checked alike, and a refusal is an answer.

use std::time::Duration;

use portcullis_channel::hello::RejectClass;
use portcullis_channel::{BuildVersion, Headers};
use portcullis_domain::clock::Timestamp;
use portcullis_wire::Token;
use portcullis_wire::capability::{Capabilities, RouterCapability};
use portcullis_wire::edge::{RouterHello, SdkHello};

use super::access::{Access, ApiSession, ClientCertificates, LoginRefusal};
use super::limits::EdgeLimits;
use crate::time::after;

/// First pause before an unknown session is looked for again; the next ones double.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// A connection whose hello has been read and not been answered.
///
/// A legacy session, or the key of a JWT, may arrive after the SDK that shows it. The connection waits for
/// it; no other one does.
#[derive(Debug)]
pub struct Login {
    token: Token,
    certificates: ClientCertificates,
    give_up: Timestamp,
    pause: Duration,
}

/// What is to be done about a connection.
#[derive(Debug, Clone, PartialEq)]
#[must_use]
pub enum LoginStep {
    /// It belongs to this client. Whether it opens a channel or joins one is for the
    /// [`GroupRegistry`](portcullis_channel::group::GroupRegistry), with [`Client::peer`] as the peer.
    Admitted(Client),
    /// The hello is to be rejected, and the connection closed.
    Denied(Denial),
    /// Call [`Login::poll`] again at this time, or when sessions or keys have arrived.
    Wait(Timestamp),
}

/// Why a hello is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denial {
    pub class: RejectClass,
    /// A text for people.
    pub reason: String,
}

/// An SDK that may connect.
#[derive(Debug, Clone, PartialEq)]
pub struct Client {
    pub session: ApiSession,
    pub certificates: ClientCertificates,
}

/// Who a client proved to be. All connections of a channel must be of the same one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SdkPeer {
    /// Of the client's certificate.
    fingerprint: String,
    session: String,
}

impl Login {
    /// Begins with what the hello says, and the certificates of the connection.
    pub fn new(
        hello: SdkHello,
        certificates: ClientCertificates,
        limits: &EdgeLimits,
        now: Timestamp,
    ) -> Result<Self, Denial> {
        let token = hello
            .api_session_token
            .ok_or_else(|| Denial::not_permitted("no session token (header 1002)"))?;
        if token.expose().len() > limits.token_bytes {
            return Err(Denial::not_permitted("the session token is too long"));
        }
        if certificates.fingerprints.is_empty() {
            return Err(Denial::not_permitted("no client certificate"));
        }
        Ok(Self {
            token,
            certificates,
            give_up: after(now, limits.login_time),
            pause: FIRST_PAUSE,
        })
    }

    pub fn poll(&mut self, access: &dyn Access, now: Timestamp) -> LoginStep {
        match access.authenticate(&self.token, &self.certificates, now) {
            Ok(session) => LoginStep::Admitted(Client {
                session,
                certificates: self.certificates.clone(),
            }),
            Err(LoginRefusal::Refused(reason)) => LoginStep::Denied(Denial::not_permitted(reason)),
            Err(LoginRefusal::Unknown) if now >= self.give_up => {
                LoginStep::Denied(Denial::not_permitted("the session is not known"))
            },
            Err(LoginRefusal::Unknown) => {
                let next = after(now, self.pause).min(self.give_up);
                self.pause = (self.pause * 2).min(LONGEST_PAUSE);
                LoginStep::Wait(next)
            },
        }
    }
}

impl Client {
    pub fn peer(&self) -> SdkPeer {
        let fingerprint = self.certificates.fingerprints.first();
        SdkPeer {
            fingerprint: fingerprint.cloned().unwrap_or_default(),
            session: self.session.id.clone(),
        }
    }
}

impl Denial {
    fn not_permitted(reason: impl Into<String>) -> Self {
        Self {
            class: RejectClass::NotPermitted,
            reason: reason.into(),
        }
    }

    /// A refusal for now: whoever comes again may be let in.
    pub fn busy(reason: impl Into<String>) -> Self {
        Self {
            class: RejectClass::Busy,
            reason: reason.into(),
        }
    }
}

/// The headers with which this router accepts an SDK, beside those of the channel.
pub fn hello_headers(version: BuildVersion) -> Headers {
    let hello = RouterHello {
        version: Some(version),
        capabilities: Capabilities::of([
            RouterCapability::MultiChannel,
            RouterCapability::ConnectV2,
            RouterCapability::ServiceSubscriptions,
            RouterCapability::PostureChecks,
            RouterCapability::BindSuccess,
            RouterCapability::RouterDataModel,
        ]),
    };
    hello.to_headers()
}
