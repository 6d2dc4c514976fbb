//! What router and controller say differently about a terminator that the router holds.

use super::HeldState;
use crate::finding::Finding;
use crate::text::{Shown, shown};
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::TerminatorId;
use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeldTerminatorDisagreement {
    UnknownToController {
        terminator: TerminatorId,
        held: HeldState,
    },
    UnknownToRouter {
        terminator: TerminatorId,
        /// When it was created.
        since: Timestamp,
    },
    /// Both have it, but it cannot be dialed.
    NotEstablished {
        terminator: TerminatorId,
        held: HeldState,
    },
}

impl fmt::Display for HeldTerminatorDisagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownToController { terminator, held } => write!(
                formatter,
                "the router holds terminator {} ({held}), which the controller does not know",
                shown(terminator)
            ),
            Self::UnknownToRouter { terminator, .. } => write!(
                formatter,
                "the controller has terminator {}, which the router does not hold",
                shown(terminator)
            ),
            Self::NotEstablished { terminator, held } => write!(
                formatter,
                "the router holds terminator {}, but it is {held}",
                shown(terminator)
            ),
        }
    }
}

impl fmt::Display for HeldState {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", Shown(&self.state))?;
        for (what, when) in [
            ("created", &self.created_at),
            ("last tried", &self.last_attempt),
        ] {
            if !when.is_empty() {
                write!(formatter, ", {what} {}", Shown(when))?;
            }
        }
        Ok(())
    }
}

impl Finding for HeldTerminatorDisagreement {
    fn advice(&self) -> &'static str {
        match self {
            Self::UnknownToController { held, .. } | Self::NotEstablished { held, .. }
                if held.is_operation_active =>
            {
                "The router is about it: ask again in a minute."
            },
            Self::UnknownToController { .. } => {
                "Nobody can dial what is hosted there. Restart the host, or else the router."
            },
            Self::UnknownToRouter { .. } => {
                "Delete the terminator: dials that choose it fail. Its host makes another one."
            },
            Self::NotEstablished { .. } => {
                "See in the router's log why the controller has not taken it."
            },
        }
    }

    fn since(&self) -> Option<Timestamp> {
        match self {
            Self::UnknownToRouter { since, .. } => Some(*since),
            Self::UnknownToController { .. } | Self::NotEstablished { .. } => None,
        }
    }
}
