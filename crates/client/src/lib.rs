//! Typed client of the REST APIs of a Portcullis or OpenZiti controller.
//!
//! Start from [`Client::builder`], which takes the address and [`Trust`] in it, and log in with
//! [`Client::log_in`]. Entities of all kinds are then
//! [created](Client::create_entity), [read](Client::entity), [listed](Client::stream),
//! [changed](Client::patch_entity) and [deleted](Client::delete_entity) by their types in [`api`];
//! [`Client::get`], [`Client::post`] and so on take any [`Endpoint`]. Programs that do not trust the
//! controller yet start from [`first_contact`].
//!
//! # Examples
//!
//! ```no_run
//! use portcullis_client::api::identity::{
//!     IdentityCreate, IdentityCreateEnrollment, IdentityDetail, IdentityPatch,
//! };
//! use portcullis_client::{Api, Client, Credentials, ListQuery, RetryPolicy, Trust};
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! let url = "https://localhost:1280".parse()?;
//! let trust = Trust::from_pem(&std::fs::read("ca.pem")?)?;
//! let client = Client::builder(&url, trust)
//!     .retry(RetryPolicy::standard())
//!     .build()?;
//! let credentials = Credentials::password("admin", "correct horse");
//! let client = client.log_in(Api::Management, credentials).await?.client;
//!
//! let mut laptop = IdentityCreate::named("laptop");
//! laptop.enrollment = Some(IdentityCreateEnrollment::ott());
//! let id = client.create_entity::<IdentityDetail>(&laptop).await?;
//!
//! let mut change = IdentityPatch::default();
//! change.options.role_attributes = Some(vec!["sales".to_owned()]);
//! client.patch_entity::<IdentityDetail>(&id, &change).await?;
//!
//! let sales = ListQuery::with_filter(r#"anyOf(roleAttributes) = "sales""#);
//! let mut identities = client.stream::<IdentityDetail>(sales);
//! while let Some(identity) = identities.try_next().await? {
//!     println!("{}", identity.name);
//! }
//! client.delete_entity::<IdentityDetail>(&id).await?;
//! # Ok(())
//! # }
//! ```
//!
//! `examples/create_identities.rs` creates a hundred identities, several at a time.
//!
//! # Errors
//!
//! The variants of [`ClientError`] differ in what a program can do about them. Without a
//! [`RetryPolicy`], a request that changes something is never sent twice once it may have left.
//!
//! # Limits
//!
//! It needs a `tokio` runtime. Proxies are not supported. Certificates and keys are read, as DER or
//! PEM, but not made.

mod body;
mod build_error;
mod client;
mod connection;
mod endpoint;
mod error;
mod exchange;
pub mod first_contact;
mod headers;
mod list_query;
pub mod oidc;
mod pages;
mod reply;
mod resources;
mod retry;
mod trust;
mod upgrade;

pub use body::Body;
pub use build_error::BuildError;
pub use client::{Client, ClientBuilder, ClientCertificate};
pub use endpoint::{Api, Endpoint};
pub use error::{
    ClientError, Denial, PagingError, PeerCertificateError, RefusalError, RenewalError,
};
pub use exchange::{Exchange, Observer};
pub use http::{HeaderMap, Method};
pub use list_query::{ListQuery, RoleSemantic, quote};
pub use pages::{EntityStream, MAX_OFFSET, Pages};
pub use portcullis_api as api;
pub use portcullis_domain as domain;
pub use portcullis_domain::ids;
pub use reply::Reply;
pub use resources::entities::{Creatable, Patchable, Replaceable, Resource};
pub use resources::login::{Credentials, Login};
pub use resources::oidc::OidcLogin;
pub use resources::role_attributes::RoleAttributeKind;
pub use retry::RetryPolicy;
pub use secrecy::SecretString;
pub use trust::Trust;
pub use upgrade::{UpgradedConnection, UpgradedStream};
pub use url::Url;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
