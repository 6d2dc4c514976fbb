//! Traces of channels and of circuits, as controller and routers both tell them.
//!
//! | What | Type |
//! |---|---|
//! | a request to trace channels, and what is reported of it (facts/observability.md, section 1.5) | [`Toggle`] |
//! | a message for people, without payloads and secrets | [`Protocol::describe`] |
//! | a message as those who follow traces get it | [`event`] |
//! | the steps of a circuit that a trace of an identity asks for | [`StepMask`], [`RouteTrace`] |
//!
//! Nothing here does I/O.

mod description;
mod event;
mod route_trace;
mod toggle;

pub use description::{Description, Protocol};
pub use event::{Observed, event, is_about_traces};
pub use route_trace::{RouteTrace, StepMask};
pub use toggle::Toggle;
