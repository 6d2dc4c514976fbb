//! Enrollment as those who enroll see it: whom tokens name, whether the controller that they name has issued
//! them, and the identity files that come of it.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `jwt_form`, `token`, `issuer`, `identity_file`, `issued`.

mod identity_file;
mod issued;
mod issuer;
pub mod jwt_form;
mod token;

pub use identity_file::{FieldProblem, IdentityFile, IdentityFileError};
pub use issued::chain_for_key;
pub use issuer::{Issuer, IssuerError};
pub use token::{TokenError, UnverifiedToken, display_url, origin};
