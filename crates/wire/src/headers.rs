//! Messages whose fields stand in headers.

mod message;
mod parts;
mod value;

pub(crate) use message::header_message;
pub(crate) use parts::{Parts, Received};
pub(crate) use value::{Body, HeaderField, HeaderValue, Written};
