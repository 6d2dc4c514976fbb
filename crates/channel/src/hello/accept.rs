//! The listener's side of a hello: answering it.

use super::{Grouping, Hello};
use crate::frame::{ContentType, Frame, FrameLimits, FrameTooLong, Message, Sequence};
use crate::group::Grant;
use crate::headers::{HeaderKey, Headers, HeadersBuilder, key};
use bytes::Bytes;

/// The class of a refusal, which tells a dialer what to expect of another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RejectClass {
    /// Not said.
    Unspecified,
    /// The listener has too much to do.
    Busy,
    /// The dialer may not connect.
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
    /// The bytes that accept the connection.
    ///
    /// They name the responder, the group with its secret, and echo what the connection is for. `headers`
    /// is what the protocol adds: routers demand the version (header 4) and a mask of capabilities. None of
    /// it can replace what is said about the group.
    pub fn accept(
        &self,
        grant: &Grant,
        responder: &str,
        headers: &Headers,
    ) -> Result<Bytes, FrameTooLong> {
        let mut headers = without_own(headers)
            .i32(key::REPLY_FOR, self.sequence.0)
            .bool(key::RESULT_SUCCESS, true)
            .string(key::RESPONDER_ID, responder)
            .string(key::CONNECTION_ID, grant.id().as_str());
        if let Some(text) = &self.underlay_type {
            headers = headers.string(key::UNDERLAY_TYPE, text);
        }
        if let (Grouping::Group(_), Some(secret)) = (&self.grouping, grant.secret()) {
            headers = headers
                .bool(key::IS_GROUPED, true)
                .bytes(key::GROUP_SECRET, secret.as_bytes());
        }
        result(headers.build(), Bytes::new())
    }

    /// The bytes that refuse the connection, to be closed after they are written. A reason that is too
    /// long is cut.
    ///
    /// Dialers show the reason and wait before they try again. A connection of a group that does not
    /// exist is closed without any answer instead: that is what makes dialers found a new group.
    pub fn reject(&self, class: RejectClass, reason: &str) -> Bytes {
        let most = usize::try_from(FrameLimits::HELLO.body).unwrap_or(usize::MAX);
        let cut = reason.floor_char_boundary(most);
        let headers = Headers::builder()
            .i32(key::REPLY_FOR, self.sequence.0)
            .bool(key::RESULT_SUCCESS, false)
            .u32(key::REJECT_CLASS, class.code());
        let body = Bytes::copy_from_slice(reason.get(..cut).unwrap_or_default().as_bytes());
        // These few headers and the cut body are within the limits.
        result(headers.build(), body).unwrap_or_default()
    }
}

/// The headers that a protocol adds, but for those by which the answer itself says something: what it
/// leaves out must not be said by anybody else.
fn without_own(headers: &Headers) -> HeadersBuilder {
    const OWN: [HeaderKey; 7] = [
        key::CONNECTION_ID,
        key::REPLY_FOR,
        key::RESULT_SUCCESS,
        key::UNDERLAY_TYPE,
        key::RESPONDER_ID,
        key::IS_GROUPED,
        key::GROUP_SECRET,
    ];
    let others = headers.iter().filter(|(key, _)| !OWN.contains(key));
    others.fold(Headers::builder(), |all, (key, value)| {
        all.bytes(key, value)
    })
}

fn result(headers: Headers, body: Bytes) -> Result<Bytes, FrameTooLong> {
    let message = Message::new(ContentType::RESULT)
        .with_headers(headers)
        .with_body(body);
    Ok(Frame::new(message, Sequence::HELLO, &FrameLimits::HELLO)?.to_bytes())
}
