//! Enrollment tokens as those who enroll see them: whom they name, and whether the controller that they name
//! has issued them.
//!
//! # Order of the modules
//!
//! Imports go one way, from later modules to earlier ones: `jwt_form`, `token`, `issuer`.

mod issuer;
pub mod jwt_form;
mod token;

pub use issuer::{Issuer, IssuerError};
pub use token::{TokenError, UnverifiedToken, display_url, origin};
