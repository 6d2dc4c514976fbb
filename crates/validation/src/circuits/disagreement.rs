//! Where a circuit is missing.

use crate::finding::Finding;
use crate::text::shown;
use portcullis_domain::clock::Timestamp;
use portcullis_domain::ids::CircuitId;
use std::collections::BTreeSet;
use std::fmt;

/// Where a circuit should be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CircuitPlace {
    Controller,
    /// What the router forwards.
    Forwarder,
    /// The router's end at an SDK.
    Edge,
    Sdk,
}

/// A circuit that is not everywhere where it should be.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CircuitDisagreement {
    pub circuit: CircuitId,
    /// At least one.
    pub missing_in: BTreeSet<CircuitPlace>,
    pub since: Option<Timestamp>,
}

impl fmt::Display for CircuitPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Controller => "the controller",
            Self::Forwarder => "what the router forwards",
            Self::Edge => "the router's connections to SDKs",
            Self::Sdk => "the SDK",
        })
    }
}

impl fmt::Display for CircuitDisagreement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "circuit {} is missing in ", shown(&self.circuit))?;
        let last = self.missing_in.len().saturating_sub(1);
        self.missing_in
            .iter()
            .enumerate()
            .try_for_each(|(at, place)| {
                let separator = match at {
                    0 => "",
                    at if at == last => " and ",
                    _ => ", ",
                };
                write!(formatter, "{separator}{place}")
            })
    }
}

impl Finding for CircuitDisagreement {
    fn advice(&self) -> &'static str {
        match self.missing_in.first() {
            Some(CircuitPlace::Controller) => {
                "It may have just ended: ask again. If it stays, it ends when nothing has passed through it \
                 for a while, or when the router is restarted."
            },
            Some(CircuitPlace::Forwarder) => {
                "It may have just begun: ask again. If it stays, delete the circuit: nothing passes \
                 through it."
            },
            Some(CircuitPlace::Edge | CircuitPlace::Sdk) | None => {
                "It may have just ended: ask again. If it stays, delete the circuit: nobody is at its end."
            },
        }
    }

    fn since(&self) -> Option<Timestamp> {
        self.since
    }
}
