//! Result messages: success or failure of a request.

use crate::frame::{ContentType, Frame, Message};
use crate::headers::{Headers, key};
use bytes::Bytes;

/// Error code of a Result for too frequent requests: back off and try again.
const RATE_LIMITED: u32 = 1;

/// A message of content type [`ContentType::RESULT`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultMessage {
    pub status: ResultStatus,
    /// Message for display; the cause of a failure.
    pub text: String,
}

/// Status of a [`ResultMessage`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResultStatus {
    /// The request succeeded.
    Success,
    /// The request failed.
    Failure,
    /// The request was rejected because the sender asks too often.
    RateLimited,
}

impl ResultMessage {
    /// Parses a Result; `None` for other content types. Invalid UTF-8 is replaced.
    pub fn from_frame(frame: &Frame) -> Option<Self> {
        if frame.content_type() != ContentType::RESULT {
            return None;
        }
        let headers = frame.headers();
        let success = headers.bool(key::RESULT_SUCCESS) == Some(true);
        let outcome = match headers.u32(key::RESULT_ERROR_CODE) {
            _ if success => ResultStatus::Success,
            Some(RATE_LIMITED) => ResultStatus::RateLimited,
            _ => ResultStatus::Failure,
        };
        let text = String::from_utf8_lossy(frame.body()).into_owned();
        Some(Self {
            status: outcome,
            text,
        })
    }

    /// Builds the message. Send it as the reply to a request.
    pub fn into_message(self) -> Message {
        let headers =
            Headers::builder().bool(key::RESULT_SUCCESS, self.status == ResultStatus::Success);
        let headers = match self.status {
            ResultStatus::RateLimited => headers.u32(key::RESULT_ERROR_CODE, RATE_LIMITED),
            ResultStatus::Success | ResultStatus::Failure => headers,
        };
        Message::new(ContentType::RESULT)
            .with_headers(headers.build())
            .with_body(Bytes::from(self.text))
    }
}
