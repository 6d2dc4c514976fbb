//! Traces of the way of a circuit.

use crate::content::{Content, DecodeError, EncodeError};
use crate::headers::{HeaderValue, Parts};
use bytes::{BufMut as _, Bytes, BytesMut};
use portcullis_channel::headers::key;
use portcullis_channel::{HeaderKey, Headers};

const HOPS: HeaderKey = HeaderKey(20);
const HOP_KIND: HeaderKey = HeaderKey(21);
const HOP_ID: HeaderKey = HeaderKey(22);
const TIME: HeaderKey = HeaderKey(23);
const USER_VALUE: HeaderKey = HeaderKey(24);
const ERROR: HeaderKey = HeaderKey(25);

/// A trace of the way of a circuit, or its answer. Each router that forwards it counts the hops down; the
/// one that reaches 0 answers.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Control {
    pub kind: ControlKind,
    pub circuit_id: String,
    /// How many more routers and ends it may pass.
    pub hops: Option<u32>,
    /// Who answers: `forwarder`, `xgress/edge`, `sdk/golang` and others.
    pub hop_kind: Option<String>,
    /// Of the router that answers.
    pub hop_id: Option<String>,
    /// Milliseconds since 1970 by the clock of the asking end; comes back.
    pub time_millis: Option<u64>,
    /// Of the asking router; comes back.
    pub user_value: Option<u32>,
    /// A text for people.
    pub error: Option<String>,
    /// All others from 128 on, which are passed on as they are.
    pub others: Headers,
}

/// What a [`Control`] is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ControlKind {
    #[default]
    TraceRoute,
    TraceRouteAnswer,
    /// A number that this version does not know.
    Unrecognized(u8),
}

impl ControlKind {
    const fn code(self) -> u8 {
        match self {
            Self::TraceRoute => 1,
            Self::TraceRouteAnswer => 2,
            Self::Unrecognized(code) => code,
        }
    }

    const fn from_code(code: u8) -> Self {
        match code {
            1 => Self::TraceRoute,
            2 => Self::TraceRouteAnswer,
            code => Self::Unrecognized(code),
        }
    }
}

impl Content for Control {
    const NAME: &'static str = "Control";

    fn decode(headers: &Headers, body: &Bytes) -> Result<Self, DecodeError> {
        let error = |field, expected| DecodeError::Body {
            message: Self::NAME,
            field,
            expected,
        };
        let (kind, circuit) = body
            .split_first()
            .ok_or_else(|| error("kind", "a number and a text"))?;
        let circuit =
            std::str::from_utf8(circuit).map_err(|_bytes| error("circuit_id", "UTF-8"))?;
        Ok(Self {
            kind: ControlKind::from_code(*kind),
            circuit_id: circuit.to_owned(),
            hops: HeaderValue::read(headers, HOPS),
            hop_kind: HeaderValue::read(headers, HOP_KIND),
            hop_id: HeaderValue::read(headers, HOP_ID),
            time_millis: HeaderValue::read(headers, TIME),
            user_value: HeaderValue::read(headers, USER_VALUE),
            error: HeaderValue::read(headers, ERROR),
            others: others(headers),
        })
    }

    fn encode(&self) -> Result<(Headers, Bytes), EncodeError> {
        let (headers, _) = Parts::new(Self::NAME)
            .header(HOPS, &self.hops)?
            .header(HOP_KIND, &self.hop_kind)?
            .header(HOP_ID, &self.hop_id)?
            .header(TIME, &self.time_millis)?
            .header(USER_VALUE, &self.user_value)?
            .header(ERROR, &self.error)?
            .finish();
        let mut body = BytesMut::with_capacity(1 + self.circuit_id.len());
        body.put_u8(self.kind.code());
        body.put_slice(self.circuit_id.as_bytes());
        let headers = Headers::builder().append(&self.others).append(&headers);
        Ok((headers.build(), body.freeze()))
    }
}

/// The headers that are neither fields nor the channel's own, which end with the channel.
fn others(headers: &Headers) -> Headers {
    let others = headers.iter().filter(|(key, _)| *key >= key::REFLECTED);
    others
        .fold(Headers::builder(), |all, (key, value)| {
            all.bytes(key, value)
        })
        .build()
}
