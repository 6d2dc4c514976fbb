//! Typed client of the controller's REST APIs.
//!
//! Start from [`Client::builder`], which takes the address, the trust anchors and the credentials. The
//! client has generic methods ([`Client::get`], [`Client::list`], ...) for any [`Endpoint`], and typed
//! ones for the resources that the command line and the tests use. Programs that do not trust the
//! controller yet start from [`first_contact`].
//!
//! Certificates and keys are passed as DER; this crate neither generates nor parses them. Proxies are
//! not supported. A request that changes something is never sent twice once it may have arrived.
//!
//! # Examples
//!
//! ```no_run
//! use portcullis_api::identity::{IdentityCreate, IdentityDetail};
//! use portcullis_client::{Api, Client, ClientError, ListQuery, Trust};
//! # async fn run(root: rustls_pki_types::CertificateDer<'static>) -> Result<(), Box<dyn std::error::Error>> {
//! let url = "https://ctrl.example.test:1280".parse()?;
//! let client = Client::builder(&url, Trust::anchors([root])).build()?;
//! let session = client
//!     .authenticate_with_password(Api::Management, "admin", "correct horse".into())
//!     .await?;
//!
//! let client = client.with_session(session.token);
//! client.create_entity::<IdentityDetail>(&IdentityCreate::named("laptop")).await?;
//! for identity in client.entities::<IdentityDetail>(&ListQuery::default()).await?.data {
//!     println!("{}", identity.name);
//! }
//! # Ok(())
//! # }
//! ```

mod body;
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
pub use client::{BuildError, Client, ClientBuilder, ClientCertificate};
pub use endpoint::{Api, Endpoint};
pub use error::{ClientError, PeerCertificateError, RefusalError};
pub use exchange::{Exchange, Observer};
pub use http::Method;
pub use list_query::{ListQuery, RoleSemantic, quote};
pub use reply::Reply;
pub use resources::entities::{Creatable, Patchable, Replaceable, Resource};
pub use resources::role_attributes::RoleAttributeKind;
pub use trust::Trust;
