//! Result messages: whether what was asked for succeeded.

use crate::frame::{ContentType, Frame, Message};
use crate::headers::{Headers, key};
use bytes::Bytes;

/// The error code of a Result whose sender is asked too often: back off and ask again.
const RATE_LIMITED: u32 = 1;

/// What a message of content type [`ContentType::RESULT`] says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultMessage {
    /// Whether it succeeded.
    pub outcome: Outcome,
    /// A text for people; why it failed, if it did.
    pub text: String,
}

/// How something ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// As asked for.
    Success,
    /// Not done.
    Failure,
    /// Not done, because this is asked too often.
    RateLimited,
}

impl ResultMessage {
    /// Reads a Result; nothing if the frame is something else. Text that is not UTF-8 is repaired.
    pub fn from_frame(frame: &Frame) -> Option<Self> {
        if frame.content_type() != ContentType::RESULT {
            return None;
        }
        let headers = frame.headers();
        let success = headers.bool(key::RESULT_SUCCESS) == Some(true);
        let outcome = match headers.u32(key::RESULT_ERROR_CODE) {
            _ if success => Outcome::Success,
            Some(RATE_LIMITED) => Outcome::RateLimited,
            _ => Outcome::Failure,
        };
        let text = String::from_utf8_lossy(frame.body()).into_owned();
        Some(Self { outcome, text })
    }

    /// The message that says it. Send it as the reply to a request.
    pub fn into_message(self) -> Message {
        let headers =
            Headers::builder().bool(key::RESULT_SUCCESS, self.outcome == Outcome::Success);
        let headers = match self.outcome {
            Outcome::RateLimited => headers.u32(key::RESULT_ERROR_CODE, RATE_LIMITED),
            Outcome::Success | Outcome::Failure => headers,
        };
        Message::new(ContentType::RESULT)
            .with_headers(headers.build())
            .with_body(Bytes::from(self.text))
    }
}
