//! Answering a hello.

use super::{Grouping, Hello};
use crate::frame::{ContentType, Frame, FrameLimits, FrameTooLongError, Message, Sequence};
use crate::group::ChannelGrant;
use crate::headers::{HeaderKey, Headers, HeadersBuilder, key};
use bytes::Bytes;

/// Class of a rejection, which tells a dialer what to expect of another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectClass {
    /// Not specified.
    Unspecified,
    /// The listener is overloaded.
    Busy,
    /// The dialer is not permitted to connect.
    NotPermitted,
    /// A class that this version does not know.
    Other(u32),
}

impl RejectClass {
    /// The value of header 13.
    pub const fn code(self) -> u32 {
        match self {
            Self::Unspecified => 0,
            Self::Busy => 1,
            Self::NotPermitted => 2,
            Self::Other(code) => code,
        }
    }

    /// The class with this value of header 13.
    pub const fn from_code(code: u32) -> Self {
        match code {
            0 => Self::Unspecified,
            1 => Self::Busy,
            2 => Self::NotPermitted,
            code => Self::Other(code),
        }
    }
}

impl Hello {
    /// Encodes the answer that accepts the connection.
    ///
    /// It contains the responder, the group with its secret, and echoes the type of the connection.
    /// `headers` are added by the protocol: routers require the version (header 4) and a mask of
    /// capabilities. They cannot override the group part.
    pub fn accept(
        &self,
        grant: &ChannelGrant,
        responder: &str,
        headers: &Headers,
    ) -> Result<Bytes, FrameTooLongError> {
        let mut headers = without_reserved(headers)
            .i32(key::REPLY_FOR, self.sequence.0)
            .bool(key::RESULT_SUCCESS, true)
            .string(key::RESPONDER_ID, responder)
            .string(key::CONNECTION_ID, grant.id().as_str());
        if let Some(text) = &self.underlay_type {
            headers = headers.string(key::UNDERLAY_TYPE, text);
        }
        if let (Grouping::Grouped(_), Some(secret)) = (&self.grouping, grant.secret()) {
            headers = headers
                .bool(key::IS_GROUPED, true)
                .bytes(key::GROUP_SECRET, secret.as_bytes());
        }
        encode_result(headers.build(), Bytes::new())
    }

    /// Encodes the answer that rejects the connection, which is closed after writing it. A reason
    /// that is too long is truncated.
    ///
    /// Dialers display the reason and wait before they try again. A connection of an unknown group
    /// is closed without any answer instead, which makes dialers found a new group.
    pub fn reject(&self, class: RejectClass, reason: &str) -> Bytes {
        let most = usize::try_from(FrameLimits::HELLO.body).unwrap_or(usize::MAX);
        let cut = reason.floor_char_boundary(most);
        let headers = Headers::builder()
            .i32(key::REPLY_FOR, self.sequence.0)
            .bool(key::RESULT_SUCCESS, false)
            .u32(key::REJECT_CLASS, class.code());
        let body = Bytes::copy_from_slice(reason.get(..cut).unwrap_or_default().as_bytes());
        // These few headers and the truncated body are within the limits.
        encode_result(headers.build(), body).unwrap_or_default()
    }
}

/// The headers of a protocol, except those that the answer itself sets: what it leaves out must not
/// be set by anything else.
fn without_reserved(headers: &Headers) -> HeadersBuilder {
    const RESERVED: [HeaderKey; 7] = [
        key::CONNECTION_ID,
        key::REPLY_FOR,
        key::RESULT_SUCCESS,
        key::UNDERLAY_TYPE,
        key::RESPONDER_ID,
        key::IS_GROUPED,
        key::GROUP_SECRET,
    ];
    let others = headers.iter().filter(|(key, _)| !RESERVED.contains(key));
    others.fold(Headers::builder(), |all, (key, value)| {
        all.bytes(key, value)
    })
}

fn encode_result(headers: Headers, body: Bytes) -> Result<Bytes, FrameTooLongError> {
    let message = Message::new(ContentType::RESULT)
        .with_headers(headers)
        .with_body(body);
    Ok(Frame::new(message, Sequence::HELLO, &FrameLimits::HELLO)?.to_bytes())
}
