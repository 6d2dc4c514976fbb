//! Wire types of the APIs of the controller.
//!
//! Requests are read by [`decode::Decode`] on the server and written by `serde` in clients; responses
//! are written by [`json::to_bytes`] on the server and read by `serde` in clients. Each kind of
//! entity has a module. Responses are wrapped in an [`Envelope`](envelope::Envelope) or a
//! [`ListEnvelope`](envelope::ListEnvelope), errors are an [`ErrorBody`](error::ErrorBody) under
//! one of the [codes](code::Code).
//!
//! Request semantics and authorization are decided elsewhere.
//!
//! # Examples
//!
//! ```
//! use portcullis_api::decode::{Decode as _, DecodeError};
//! use portcullis_api::identity::IdentityCreateRequest;
//! use portcullis_domain::enrollment::EnrollmentMethod;
//!
//! let body = br#"{"name": "laptop", "isAdmin": false, "enrollment": {"ott": true}}"#;
//! let create = IdentityCreateRequest::from_body(body)?;
//! assert_eq!(create.spec.name.as_str(), "laptop");
//! assert_eq!(create.enrollment, Some(EnrollmentMethod::Ott));
//! # Ok::<(), DecodeError>(())
//! ```

pub mod api_session;
pub mod auth_policy;
pub mod authenticate;
pub mod authenticator;
pub mod ca;
pub mod capability;
pub mod code;
pub mod config;
pub mod config_type;
pub mod controller;
pub mod database;
pub mod decode;
pub mod describe;
mod duration;
pub mod edge_router;
pub mod edge_router_policy;
pub mod enroll;
pub mod enrollment;
pub mod entity;
pub mod envelope;
pub mod error;
pub mod external_jwt_signer;
pub mod fabric;
pub mod failed_service_request;
pub mod health;
pub mod identity;
pub mod json;
pub mod link;
pub mod mfa;
pub mod network_jwt;
pub mod policy_advice;
pub mod posture_check;
pub mod posture_check_type;
pub mod posture_data;
pub mod posture_response;
pub mod revocation;
pub mod role;
pub mod role_attribute;
pub mod router;
#[cfg(feature = "describe")]
mod schema;
mod secret;
pub mod service;
pub mod service_config;
pub mod service_edge_router_policy;
pub mod service_policy;
pub mod service_updates;
pub mod session;
pub mod session_certificate;
pub mod spec;
pub mod terminator;
pub mod time;
pub mod trace;
pub mod transit_router;
pub mod version;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
