//! Why a channel is closed, and what its client is told of it (RFC 6455, section 7.4).

use std::fmt;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

/// Why the controller closes a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Closing {
    /// The session has ended, or its permission.
    NoRight,
    ControllerStops,
    /// So many events were lost, because the client did not take them fast enough.
    EventsLost(u64),
    /// A message of the client is no frame.
    NoFrame,
    /// A message of the client is text.
    Text,
    /// A message of the client is too long.
    TooLong,
    /// What was announced cannot be sent.
    Incomplete,
}

impl Closing {
    const fn code(self) -> CloseCode {
        match self {
            Self::NoRight => CloseCode::Policy,
            Self::ControllerStops => CloseCode::Away,
            Self::EventsLost(_) => CloseCode::Again,
            Self::NoFrame => CloseCode::Protocol,
            Self::Text => CloseCode::Unsupported,
            Self::TooLong => CloseCode::Size,
            Self::Incomplete => CloseCode::Error,
        }
    }

    pub(crate) fn frame(self) -> CloseFrame {
        CloseFrame {
            code: self.code(),
            reason: self.to_string().into(),
        }
    }
}

/// At most 123 bytes, which is what fits.
impl fmt::Display for Closing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoRight => formatter.write_str("the session or its permission has ended"),
            Self::ControllerStops => formatter.write_str("the controller stops"),
            Self::EventsLost(count) => {
                write!(
                    formatter,
                    "events were lost, because they were not taken fast enough: {count}"
                )
            },
            Self::NoFrame => {
                formatter.write_str("a message is not a frame of the channel protocol")
            },
            Self::Text => formatter.write_str("messages have to be binary"),
            Self::TooLong => formatter.write_str("a message is longer than 1 MiB"),
            Self::Incomplete => formatter.write_str("not all results can be sent; ask again"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_fit_into_a_close_frame() {
        for closing in [
            Closing::NoRight,
            Closing::ControllerStops,
            Closing::EventsLost(u64::MAX),
            Closing::NoFrame,
            Closing::Text,
            Closing::TooLong,
            Closing::Incomplete,
        ] {
            assert!(closing.to_string().len() <= 123, "{closing}");
        }
    }
}
