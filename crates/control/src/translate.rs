//! From what routers say to what the network understands, and back.
//!
//! Ids of links and circuits that are empty or too long cannot belong to anything: what is said about
//! them is left out.

mod carried;
mod circuit;
mod link;
mod peer_data;
mod tags;

pub(crate) use carried::{CarriedReport, Origin, carried_circuits, carried_request};
pub(crate) use circuit::{idle_circuits, route, route_result, unroute};
pub(crate) use link::{ReportedFault, close_link, fault, latencies, link_reports, link_state};
pub(crate) use peer_data::{from_wire as peer_data_from_wire, to_wire as peer_data_to_wire};
pub(crate) use tags::{host as host_of_tags, is_hosted, to_wire as tags};
