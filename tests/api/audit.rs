//! The audit trail, and traces of what identities send.

mod completeness;
mod traces;
mod trail;
