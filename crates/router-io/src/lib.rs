//! What a router does: the I/O around `portcullis-router`, `portcullis-forwarding` and `portcullis-xgress`.
//!
//! ```text
//! controllers <-> control channels -> routes, unroutes -> Relay -> Destination: links,
//!                                  -> links               ^                     ends of circuits,
//!                                  -> sessions, model     |                     SDKs
//!                                     links, ends, SDKs --+
//! ```
//!
//! Every link and every end of a circuit is a `Destination`. Whoever reads a message of a circuit hands it to
//! the `Relay`, which knows where it goes.

mod access;
mod alarm;
mod certificate_request;
#[cfg(test)]
mod channel_pair;
mod channel_traces;
mod circuit_message;
mod circuit_note;
mod circuit_requests;
mod clock;
mod control;
mod controllers;
mod datagram_queue;
mod dispatcher;
mod edge;
mod egress;
mod encrypted_side;
mod encryption;
mod ends;
mod file;
mod group_credentials;
mod health;
mod identity;
mod identity_memory;
mod ingress;
mod inspect;
mod links;
mod listen_addresses;
mod listeners;
mod metrics;
mod name_lookups;
mod operator;
mod outgoing;
mod profile;
mod refusal_log;
mod relay;
mod router;
mod routes;
mod sdk_channels;
mod socket_mark;
mod tcp;
mod terminators;
#[cfg(test)]
mod testing;
mod tls;
mod trace;
mod tunnel;
mod web;

pub use access::ModelFile;
pub use certificate_request::CertificateRequest;
pub use clock::RouterClock;
pub use control::NoControllerError;
pub use file::{JudgedFile, RouterFile};
pub use identity::{
    IdentityDraft, IdentityError, IdentityFiles, IdentityWatcher, KeyRole, LoadedIdentity,
    NewIdentity, Reload,
};
pub use ingress::IngressOpenError;
pub use listeners::ListenersError;
pub use name_lookups::BLOCKING_THREADS;
pub use operator::{Order, OrderError, ask};
pub use profile::{MemoryProfiler, ProfileError};
pub use router::{Router, RouterOptions, StartError};
pub use tls::{Credentials, Tls, TlsSetupError};
pub use tunnel::InterceptionError;
pub use web::WebError;
