//! Protocols and ports.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    Tcp,
    Udp,
}

impl Protocol {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::Udp => "udp",
        }
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl FromStr for Protocol {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "tcp" => Ok(Self::Tcp),
            "udp" => Ok(Self::Udp),
            _ => Err(()),
        }
    }
}

/// Ports from one to another, both of which belong to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "Bounds")]
pub struct PortRange {
    low: u16,
    high: u16,
}

#[derive(Deserialize)]
struct Bounds {
    low: u16,
    high: u16,
}

impl PortRange {
    /// `None` if `low` is above `high`.
    pub const fn new(low: u16, high: u16) -> Option<Self> {
        if low > high {
            return None;
        }
        Some(Self { low, high })
    }

    pub const fn single(port: u16) -> Self {
        Self {
            low: port,
            high: port,
        }
    }

    pub const fn low(self) -> u16 {
        self.low
    }

    pub const fn high(self) -> u16 {
        self.high
    }

    pub const fn contains(self, port: u16) -> bool {
        self.low <= port && port <= self.high
    }

    /// How many ports beyond the first.
    pub(crate) const fn width(self) -> u16 {
        self.high - self.low
    }
}

impl TryFrom<Bounds> for PortRange {
    type Error = String;

    fn try_from(Bounds { low, high }: Bounds) -> Result<Self, String> {
        Self::new(low, high)
            .ok_or_else(|| format!("`low` must not be above `high`, but {low} is above {high}"))
    }
}
