//! What the tests that start the real binaries share.
//!
//! [`Site`] is a folder for one controller and its logs; [`Site::quickstart`] starts the binary on
//! a free port of the loopback interface. [`Curl`], [`Openssl`], Python and the [`Authenticator`] apps are the
//! independent clients. Everything that waits has a deadline, and everything that a test leaves behind after a
//! failure is kept and named.

pub mod api;
pub mod authenticator;
pub mod binaries;
pub mod command;
pub mod controller;
pub mod curl;
pub mod mfa;
pub mod openssl;
pub mod repository;
pub mod site;
pub mod tools;
pub mod wait;

pub use api::Api;
pub use authenticator::{Authenticator, Program};
pub use command::{Outcome, run};
pub use controller::Controller;
pub use curl::{Curl, Reply};
pub use openssl::Openssl;
pub use site::Site;
pub use tools::Tool;
