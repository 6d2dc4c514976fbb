//! Shared support of tests that start the real binaries.
//!
//! [`TestDirectory`] is a folder for one controller and its logs; [`TestDirectory::quickstart`]
//! starts the binary on a free port of the loopback interface. [`Curl`], [`Openssl`], Python and
//! the [`Authenticator`] apps are independent clients. All waiting has a deadline, and a failing
//! test keeps its files and prints where they are.

pub mod api;
pub mod authenticator;
pub mod binaries;
pub mod command;
pub mod controller;
pub mod curl;
pub mod mfa;
pub mod openssl;
pub mod repository;
pub mod running;
pub mod test_directory;
pub mod tools;
pub mod wait;
pub mod wheel;

pub use api::Api;
pub use authenticator::{Authenticator, TotpProgram};
pub use command::{CommandOutput, run};
pub use controller::Controller;
pub use curl::{Curl, Reply};
pub use openssl::Openssl;
pub use running::Running;
pub use test_directory::TestDirectory;
pub use tools::Tool;

#[cfg(doctest)]
#[doc = include_str!("../../docs/embedding.md")]
mod embedding {}
