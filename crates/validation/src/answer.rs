//! What a router answers, or why it does not.

use crate::finding::Finding;
use crate::text::Shown;
use portcullis_wire::control::inspection::InspectResponse;
use std::fmt;

/// What a router answers to an inspection or another question.
pub type Answer<'a, T = InspectResponse> = Result<&'a T, NoAnswer>;

/// Why it is not known what a router has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoAnswer {
    /// It has no control channel.
    NotConnected,
    /// It was asked, and has not answered within the time that it has.
    TimedOut,
    /// It says why it does not tell.
    Refused(Vec<String>),
    /// A text for people: what is wrong with its answer.
    Unreadable(String),
}

impl NoAnswer {
    /// As clients get it, whose text for a router that is not connected depends on what was asked.
    pub(crate) fn on_wire(&self, not_connected: &str) -> String {
        match self {
            Self::NotConnected => not_connected.to_owned(),
            _ => self.to_string(),
        }
    }
}

impl fmt::Display for NoAnswer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected => formatter.write_str("the router is not connected"),
            Self::TimedOut => formatter.write_str("the router has not answered in time"),
            Self::Refused(errors) => {
                formatter.write_str("the router does not tell")?;
                let separators = [": "].into_iter().chain(std::iter::repeat("; "));
                errors
                    .iter()
                    .zip(separators)
                    .try_for_each(|(error, separator)| {
                        write!(formatter, "{separator}{}", Shown(error))
                    })
            },
            Self::Unreadable(why) => {
                write!(
                    formatter,
                    "the router's answer cannot be read: {}",
                    Shown(why)
                )
            },
        }
    }
}

impl Finding for NoAnswer {
    fn advice(&self) -> &'static str {
        match self {
            Self::NotConnected => {
                "If it should be connected, look at its log: it says which controllers it dials, and \
                 what becomes of that."
            },
            Self::TimedOut => {
                "Ask again. If it stays, look at the load of its machine and at the latency of its \
                 control channel."
            },
            Self::Refused(_) => "The router's log may say more about it.",
            Self::Unreadable(_) => {
                "Compare the versions of router and controller; one of them may be too old."
            },
        }
    }
}

/// A part of what a router has is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gap {
    /// In words of the router.
    Told(String),
    /// Entries of an answer that were not read, since there were too many.
    Unread {
        inspection: &'static str,
        count: usize,
    },
}

impl fmt::Display for Gap {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Told(text) => write!(formatter, "the router does not tell all: {}", Shown(text)),
            Self::Unread { inspection, count } => {
                write!(
                    formatter,
                    "entries of `{inspection}` that were not read: {count}"
                )
            },
        }
    }
}

impl Finding for Gap {
    fn advice(&self) -> &'static str {
        "What is not told was not compared. Ask the router itself for the rest."
    }
}
