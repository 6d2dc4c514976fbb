//! What is said between controller and routers.

use portcullis_fabric::{
    Address, CircuitFault, CircuitId, Forward, LinkId, Moment, Route, RouteId, RouteResult,
};

#[derive(Debug, Clone)]
pub(crate) enum ToRouter {
    Route(RouteId, Route),
    Unroute {
        circuit: CircuitId,
        now: bool,
    },
    CloseLink {
        link: LinkId,
        iteration: u32,
    },
    Answer {
        dial: u64,
        circuit: CircuitId,
        ingress: Option<Address>,
    },
    Ask {
        asked: Moment,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum ToController {
    Links {
        links: Vec<Dialed>,
        is_full: bool,
    },
    LinkFault {
        link: LinkId,
        iteration: u32,
    },
    Dial {
        dial: u64,
        client: usize,
    },
    Result(RouteResult),
    CircuitFault {
        circuit: CircuitId,
        fault: CircuitFault,
    },
    ForwardFault(CircuitId),
    Idle(Vec<(CircuitId, std::time::Duration)>),
    Carried {
        asked: Moment,
        circuits: Vec<Carried>,
    },
}

/// A link as its source reports it.
#[derive(Debug, Clone)]
pub(crate) struct Dialed {
    pub(crate) id: LinkId,
    pub(crate) destination: usize,
    pub(crate) iteration: u32,
}

/// A circuit as a router reports it.
#[derive(Debug, Clone)]
pub(crate) struct Carried {
    pub(crate) id: CircuitId,
    pub(crate) forwards: Vec<Forward>,
    /// The end where it was dialed, and by whom, if that was at this router.
    pub(crate) origin: Option<(Address, usize)>,
}

impl ToRouter {
    /// Which of the two connections carries it; between those, order is not kept.
    pub(crate) const fn lane(&self) -> usize {
        match self {
            Self::Route(..) | Self::Unroute { .. } | Self::Ask { .. } => 0,
            Self::CloseLink { .. } | Self::Answer { .. } => 1,
        }
    }
}

impl ToController {
    pub(crate) const fn lane(&self) -> usize {
        match self {
            Self::Dial { .. } | Self::Result(_) => 0,
            Self::Links { .. }
            | Self::LinkFault { .. }
            | Self::CircuitFault { .. }
            | Self::ForwardFault(_)
            | Self::Idle(_)
            | Self::Carried { .. } => 1,
        }
    }
}
