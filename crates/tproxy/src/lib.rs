//! A transparent proxy of Linux.

#![cfg(target_os = "linux")]

mod capability;
mod connections;
mod datagrams;
mod error;
mod hosts_file;
mod instance;
mod interceptor;
mod keeper;
mod local_networks;
mod name_service;
mod options;
mod program;
mod redirect;
mod replies;
mod resolver;
mod routing;
mod ruleset;
mod transparent;

pub use connections::{InterceptedConnection, InterceptedConnections};
pub use datagrams::{InterceptedDatagram, InterceptedDatagrams};
pub use error::InterceptError;
pub use hosts_file::HostsFile;
pub use instance::{Instance, InstanceError};
pub use interceptor::{Intercepted, Interceptor};
pub use local_networks::LocalNetworks;
pub use name_service::{Input, NameSockets};
pub use options::InterceptorOptions;
pub use redirect::Redirect;
pub use resolver::{Resolver, ResolverError};
pub use transparent::{bind_datagrams, connect_from, exempt};
