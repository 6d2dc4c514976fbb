//! The answer to a route.

use crate::content::{Content, DecodeError, EncodeError};
use crate::headers::{Parts, Received};
use crate::peer_data;
use crate::peer_data::PeerData;
use crate::protobuf::enumeration;
use bytes::Bytes;
use portcullis_channel::{HeaderKey, Headers};

const ATTEMPT: HeaderKey = HeaderKey(1101);
/// Present on success, whatever its value.
const SUCCESS: HeaderKey = HeaderKey(1102);
const ERROR: HeaderKey = HeaderKey(1103);
const ERROR_CODE: HeaderKey = HeaderKey(1104);
/// What is not peer data.
const OWN: [HeaderKey; 4] = [ATTEMPT, SUCCESS, ERROR, ERROR_CODE];

/// What became of a [`Route`](super::Route): a reply that is also understood without its request.
#[derive(Debug, Clone, PartialEq)]
pub struct RouteResult {
    pub circuit_id: String,
    /// Of the route.
    pub attempt: u32,
    pub outcome: RouteOutcome,
}

#[derive(Debug, Clone, PartialEq)]
pub enum RouteOutcome {
    /// The route stands. The last router of the path adds the data of the hosting end: every other
    /// header from 1000 on.
    Routed(PeerData),
    Failed {
        /// A text for people.
        reason: String,
        failure: RouteFailure,
    },
}

enumeration! {
    /// Why a route failed.
    pub enum RouteFailure: u32, header u8 {
        Generic = 0,
        /// The terminator does not exist any more.
        InvalidTerminator = 1,
        MisconfiguredTerminator = 2,
        DialTimedOut = 3,
        ConnectionRefused = 4,
        RejectedByApplication = 5,
        DnsResolutionFailed = 6,
        PortNotAllowed = 7,
        InvalidLinkDestination = 8,
        ResourcesNotAvailable = 9,
    }
}

impl Content for RouteResult {
    const NAME: &'static str = "RouteResult";

    fn decode(headers: &Headers, body: &Bytes) -> Result<Self, DecodeError> {
        let parts = Received {
            message: Self::NAME,
            headers,
            body,
        };
        let outcome = if headers.get(SUCCESS).is_some() {
            RouteOutcome::Routed(peer_data::from_headers(headers, &OWN))
        } else {
            let reason = headers.get(ERROR).unwrap_or_default();
            RouteOutcome::Failed {
                reason: String::from_utf8_lossy(reason).into_owned(),
                failure: parts.header_or_default(ERROR_CODE),
            }
        };
        Ok(Self {
            circuit_id: parts.body("circuit_id")?,
            attempt: parts.header("attempt", ATTEMPT)?,
            outcome,
        })
    }

    fn encode(&self) -> Result<(Headers, Bytes), EncodeError> {
        let parts = Parts::new(Self::NAME)
            .body(&self.circuit_id)
            .header(ATTEMPT, &self.attempt)?;
        match &self.outcome {
            RouteOutcome::Routed(peer_data) => {
                let (headers, body) = parts.header(SUCCESS, &true)?.finish();
                Ok((peer_data::append_to(&headers, peer_data, &OWN), body))
            },
            RouteOutcome::Failed { reason, failure } => Ok(parts
                .header(ERROR, reason)?
                .header(ERROR_CODE, failure)?
                .finish()),
        }
    }
}
