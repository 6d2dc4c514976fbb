//! What only the API of the fabric has, and what it shows of the kinds that others have too.

pub mod cluster;
pub mod inspection;
pub mod link;
pub mod router;
pub mod service;
pub mod terminator;
