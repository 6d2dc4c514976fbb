//! Where programs run.

use portcullis_bad_line::BadLine;
use std::net::Ipv4Addr;
use std::process::Command;

#[derive(Clone, Copy)]
pub(crate) enum Place<'l> {
    /// This computer, by one of its addresses.
    Here(Ipv4Addr),
    /// Another one, behind a bad line.
    Behind(&'l BadLine),
}

impl Place<'_> {
    pub(crate) const LOOPBACK: Self = Self::Here(Ipv4Addr::LOCALHOST);

    /// The address under which a program there is reached.
    pub(crate) const fn address(&self) -> Ipv4Addr {
        match self {
            Self::Here(address) => *address,
            Self::Behind(_) => BadLine::FAR,
        }
    }

    /// The same command there.
    pub(crate) fn of(&self, command: Command) -> Command {
        match self {
            Self::Here(_) => command,
            Self::Behind(line) => line.behind(&command),
        }
    }
}
