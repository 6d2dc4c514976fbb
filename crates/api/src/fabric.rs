//! Wire types of the fabric API.

pub mod circuit;
pub mod cluster;
pub mod inspection;
pub mod link;
pub mod router;
pub mod service;
pub mod terminator;
