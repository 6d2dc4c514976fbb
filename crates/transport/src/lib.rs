//! Channels over sockets.
//!
//! The protocol itself, without I/O, is `portcullis-channel`; this crate reads and writes for it, and
//! keeps its deadlines.
