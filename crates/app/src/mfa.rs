//! TOTP: enrolling, answering the second factor of a session, recovery codes, removal.
//!
//! A code is examined before the transaction, which takes cryptography, and judged in it, which
//! takes none: there the code is held against what was accepted before, and the attempts of its
//! identity are counted. Whatever is wrong with a code, the answer outside is one and the same.

mod answer;
mod attempt;
mod codes;
mod enroll;
mod fault;
mod record;
mod remove;

pub use answer::{answer, request_token};
pub use codes::{read_codes, replace_codes};
pub use enroll::{qr_code, read_own, start, verify};
pub use fault::MfaFault;
pub(crate) use record::state;
pub(crate) use remove::{forget_wrong_codes, take_away};
pub use remove::{remove, remove_own};

use crate::action::actions;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject, Verb};
use portcullis_totp::Rules;

actions! {
    /// Reads the caller's own enrollment.
    ReadOwn = Access::Partial;
    /// Begins an enrollment of the caller.
    Start = Access::Partial;
    /// Finishes an enrollment of the caller.
    Verify = Access::Partial;
    /// Answers the second factor of the caller's session.
    Answer = Access::Partial;
    /// Asks for a token that says that a code was given.
    RequestToken = Access::Full;
    /// Reads the caller's own recovery codes.
    ReadCodes = Access::Full;
    /// Replaces the caller's own recovery codes.
    ReplaceCodes = Access::Full;
    /// Removes the caller's own enrollment; through a session whose factors are not all answered,
    /// one that is not verified.
    RemoveOwn = Access::Partial;
    /// Removes the enrollment of an identity.
    Remove = Access::Granted(Subject::Identity, Verb::Update);
}

/// What a configuration decides about TOTP.
#[derive(Debug, Clone)]
pub struct MfaSettings {
    /// Who authenticator apps say that a code is for.
    pub issuer: String,
    /// How strictly codes are judged.
    pub rules: Rules,
}

impl Default for MfaSettings {
    fn default() -> Self {
        Self {
            issuer: "openziti.io".to_owned(),
            rules: Rules::STRICT,
        }
    }
}
