//! What the network tells of itself: events, who wants which, and how they are written.
//!
//! The controller makes an [`Event`] of what happens. A [`Subscription`] says which events somebody wants,
//! and writes them as OpenZiti does: one JSON object each. No I/O, no clock.
//!
//! ```text
//! Event ------------------------+
//!                               v
//! type and options -> Subscription::lines -> Line { event_type, json }
//! ```
//!
//! # What differs from OpenZiti
//!
//! - No event has a token. The members exist, and are empty.
//! - A successful login says `"success":true`.
//! - `include` takes every kind of event that there is, and filters by what it names.
//! - A type or an option that does not exist is an error that names those that do.
//!
//! # Examples
//!
//! ```
//! use portcullis_events::{Body, Event, RouterStatus, Subscription};
//! use serde_json::json;
//!
//! let event = Event {
//!     source: "ctrl1".into(),
//!     time: "2026-11-22T23:11:09.5Z".parse()?,
//!     body: Body::Router(RouterStatus { router_id: "r1".into(), is_online: true }),
//! };
//! let subscription = Subscription::new("router", &json!({}))?;
//! let lines = subscription.lines(&event);
//! assert_eq!(lines[0].event_type, "router");
//! assert!(lines[0].json.starts_with(r#"{"namespace":"router","timestamp":"2026-11-22T23:11:09.5Z""#));
//!
//! let error = Subscription::new("circuits", &json!({})).expect_err("the type is `circuit`");
//! assert_eq!(error.to_string(), "there is no event type `circuits`; did you mean `circuit`?");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `namespace`; `event`; `report_limits`;
//! `inspected_metrics`; `publisher`; `options`; `expression`; `pattern`; `filter`;
//! `subscription`.

mod event;
mod expression;
mod filter;
mod inspected_metrics;
mod namespace;
mod options;
mod pattern;
mod publisher;
mod report_limits;
mod subscription;

pub use crate::event::alert::Alert;
pub use crate::event::api_session::{ApiSession, ApiSessionKind, ApiSessionType};
pub use crate::event::authentication::{Authentication, AuthenticationKind, Method};
pub use crate::event::circuit::{Circuit, CircuitKind, CircuitPath};
pub use crate::event::cluster::{ApiAddress, Cluster, ClusterKind, ClusterPeer};
pub use crate::event::connect::{Connect, ConnectDestination, ConnectSource};
pub use crate::event::entity_change::{
    ChangeAuthor, ChangeKind, ChangeMetadata, ChangeSource, ENTITY_TYPES, EntityChange,
    EntityCommit,
};
pub use crate::event::entity_count::EntityCount;
pub use crate::event::entity_state::EntityState;
pub use crate::event::link::{Link, LinkConnection, LinkKind};
pub use crate::event::metric::{LinkRouters, Metric, MetricValue, metrics_of};
pub use crate::event::router::RouterStatus;
pub use crate::event::sdk::{SdkStatus, SdkStatusKind};
pub use crate::event::service::{ServiceCount, ServiceCountKind};
pub use crate::event::session::{Session, SessionKind, SessionProvider, SessionType};
pub use crate::event::terminator::TerminatorStatus;
pub use crate::event::usage::{USAGE_KINDS, Usage, usage_of};
pub use crate::event::{BURST_BYTES, BURST_EVENTS, Body, Event};
pub use crate::expression::{ExpressionError, compile_expression};
pub use crate::inspected_metrics::{MetricsForm, MetricsSource, inspected_metrics};
pub use crate::namespace::{EVENT_TYPE_NAMES, EventType, Namespace, UnknownType};
pub use crate::options::OptionError;
pub use crate::pattern::PatternBudget;
pub use crate::publisher::EventPublisher;
pub use crate::report_limits::{MAX_ROUTER_TEXT, bounded_report, is_id, is_short};
pub use crate::subscription::{Line, Subscription, SubscriptionError, option_names};
