//! Typed client of the controller's REST APIs.
//!
//! Start from [`Client::builder`]: it takes where the controller is, whom to trust and how to prove
//! who calls. The client then offers the verbs ([`Client::get`], [`Client::list`], ...) over any
//! [`Endpoint`], and methods for the resources that the command line and the tests use. A program
//! that meets a controller for the first time, and has nothing to trust yet, starts from
//! [`first_contact`].
//!
//! Certificates and keys come in as DER; nothing here makes or reads them. There is no proxy
//! support, and no request that changes something is sent again once it may have arrived.
//!
//! # Examples
//!
//! ```no_run
//! use portcullis_api::identity::IdentityCreate;
//! use portcullis_client::{Api, Client, ClientError, ListQuery, Trust};
//! # async fn run(root: rustls_pki_types::CertificateDer<'static>) -> Result<(), Box<dyn std::error::Error>> {
//! let url = "https://ctrl.example.test:1280".parse()?;
//! let client = Client::builder(&url, Trust::anchors([root])).build()?;
//! let session = client
//!     .authenticate_with_password(Api::Management, "admin", "correct horse".into())
//!     .await?;
//!
//! let client = client.with_session(session.token);
//! client.create_identity(&IdentityCreate::named("laptop")).await?;
//! for identity in client.identities(&ListQuery::default()).await?.data {
//!     println!("{}", identity.name);
//! }
//! # Ok(())
//! # }
//! ```

mod body;
mod builder;
mod client;
mod connection;
mod endpoint;
mod error;
mod exchange;
pub mod first_contact;
mod headers;
mod list_query;
mod reply;
mod resources;
mod trust;

pub use body::Body;
pub use builder::{BuildError, ClientBuilder, ClientCertificate};
pub use client::Client;
pub use endpoint::{Api, Endpoint};
pub use error::{ClientError, PeerFault, Refusal};
pub use exchange::{Exchange, Observer};
pub use http::Method;
pub use list_query::{ListQuery, RoleSemantic, quote};
pub use reply::Reply;
pub use resources::entities::Resource;
pub use resources::role_attributes::Bearer;
pub use trust::Trust;
