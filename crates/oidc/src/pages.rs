//! The pages of a login in a browser.
//!
//! They come as a whole from the server: no scripts, nothing from elsewhere, and a policy that allows nothing else.
//! They are sent with:
//!
//! ```text
//! Content-Type: text/html; charset=utf-8
//! Content-Security-Policy: (of the page)
//! Referrer-Policy: same-origin
//! Cache-Control: no-store
//! X-Content-Type-Options: nosniff
//! ```
//!
//! The referrer policy is [`REFERRER_POLICY`] and not `no-referrer`, with which browsers say `Origin: null` when they
//! post a form: forms of these pages could not be told from those of others.
//!
//! # What the forms post
//!
//! Always form-encoded, with the `id` of the login request:
//!
//! | Page | To | Fields |
//! |---|---|---|
//! | [`LoginPages::password`] | `/oidc/login/password` | `username`, `password` |
//! | [`LoginPages::certificate`] | `/oidc/login/cert` | |
//! | [`LoginPages::totp`] | `/oidc/login/totp` | `code`, of either kind |
//! | [`LoginPages::totp_required`] | `/oidc/login/totp/enroll` | |
//! | [`LoginPages::totp_enrollment`] | `/oidc/login/totp/enroll/verify` | `code` |
//! | the same, to begin again | `/oidc/login/totp/enroll` | `restart=true` |
//!
//! Browsers cannot send `DELETE` from a form, so `restart=true` stands for it: an enrollment that nobody has verified
//! yet is replaced.
//!
//! All of them are answered with a page, of the next step or of this one again, and with [`signed_in`] in the end.

mod destination;
mod document;
mod login;
mod notice;
mod policy;
mod text;
mod totp;

pub use login::{FailedAttempt, LoginPages, Refusal};
pub use notice::{Problem, problem, signed_in, signed_out};
pub use totp::TotpEnrollment;

/// Value of the header `Referrer-Policy` of all pages.
pub const REFERRER_POLICY: &str = "same-origin";

/// A page. It may hold secrets, so it does not show itself.
#[derive(Clone, PartialEq, Eq)]
pub struct Page {
    pub html: String,
    /// Value of the header of that name.
    pub content_security_policy: String,
}

#[cfg(test)]
mod tests;
