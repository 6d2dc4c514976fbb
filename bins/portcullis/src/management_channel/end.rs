//! How a channel ends.

use crate::error::CliError;
use std::fmt;
use tokio_tungstenite::tungstenite::Error;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Why a channel has ended.
#[derive(Debug)]
pub(crate) enum ChannelEnd {
    /// The session, or the permission, by which it was opened has ended.
    NoRight(String),
    /// The controller has closed it, with a reason.
    Closed {
        reason: String,
        /// A new one may do better: nothing is wrong with what was said.
        may_return: bool,
    },
    /// The connection has ended without a word.
    Lost(Option<Error>),
    /// The controller does not answer.
    Silent,
    /// What was to be sent cannot be: a text for people.
    Unsendable(String),
    /// What came is no frame: a text for people.
    Unreadable(String),
}

impl ChannelEnd {
    pub(super) fn of_close(frame: Option<CloseFrame>) -> Self {
        let Some(CloseFrame { code, reason }) = frame else {
            return Self::Lost(None);
        };
        let reason = match reason.as_str() {
            "" => format!("code {}", u16::from(code)),
            text => text.to_owned(),
        };
        match code {
            CloseCode::Policy => Self::NoRight(reason),
            CloseCode::Protocol | CloseCode::Unsupported | CloseCode::Size | CloseCode::Invalid => {
                Self::Closed {
                    reason,
                    may_return: false,
                }
            },
            _ => Self::Closed {
                reason,
                may_return: true,
            },
        }
    }

    pub(super) fn of_error(error: Error) -> Self {
        match error {
            Error::Capacity(error) => Self::Unreadable(error.to_string()),
            error => Self::Lost(Some(error)),
        }
    }

    /// Whether it makes sense to open another channel. Access tokens that have ended are renewed, and whoever
    /// has no right any more is refused then.
    pub(crate) const fn may_return(&self) -> bool {
        match self {
            Self::NoRight(_) | Self::Lost(_) | Self::Silent => true,
            Self::Closed { may_return, .. } => *may_return,
            Self::Unsendable(_) | Self::Unreadable(_) => false,
        }
    }
}

/// A sentence without a full stop.
impl fmt::Display for ChannelEnd {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRight(reason) | Self::Closed { reason, .. } => {
                write!(formatter, "the controller has closed the channel: {reason}")
            },
            Self::Lost(_) => formatter.write_str("the connection to the controller was lost"),
            Self::Silent => formatter.write_str("the controller does not answer any more"),
            Self::Unsendable(text) => write!(formatter, "the request cannot be sent: {text}"),
            Self::Unreadable(text) => {
                write!(
                    formatter,
                    "the controller sent a message that cannot be read: {text}"
                )
            },
        }
    }
}

impl From<ChannelEnd> for CliError {
    fn from(end: ChannelEnd) -> Self {
        let message = end.to_string();
        match end {
            ChannelEnd::NoRight(_) => Self::unauthorized(message),
            ChannelEnd::Lost(Some(error)) => Self::unreachable(message).with_source(error),
            ChannelEnd::Lost(None) | ChannelEnd::Silent => Self::unreachable(message),
            ChannelEnd::Closed { .. } | ChannelEnd::Unsendable(_) | ChannelEnd::Unreadable(_) => {
                Self::failed(message)
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;

    fn closed(code: CloseCode, reason: &str) -> ChannelEnd {
        ChannelEnd::of_close(Some(CloseFrame {
            code,
            reason: reason.into(),
        }))
    }

    #[test]
    fn who_may_come_again_follows_from_the_code() {
        for (code, may_return, kind) in [
            (CloseCode::Policy, true, ErrorKind::Unauthorized),
            (CloseCode::Away, true, ErrorKind::Failed),
            (CloseCode::Again, true, ErrorKind::Failed),
            (CloseCode::Error, true, ErrorKind::Failed),
            (CloseCode::Protocol, false, ErrorKind::Failed),
            (CloseCode::Size, false, ErrorKind::Failed),
        ] {
            let end = closed(code, "why");
            assert_eq!(end.may_return(), may_return, "{code}");
            assert_eq!(
                end.to_string(),
                "the controller has closed the channel: why"
            );
            assert_eq!(CliError::from(end).kind(), kind, "{code}");
        }
        assert!(
            closed(CloseCode::Away, "")
                .to_string()
                .ends_with(": code 1001")
        );
        let silent = ChannelEnd::of_close(None);
        assert!(silent.may_return());
        assert_eq!(CliError::from(silent).kind(), ErrorKind::Unreachable);
    }
}
