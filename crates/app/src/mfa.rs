//! MFA: TOTP enrollment, the second factor of sessions, recovery codes, removal.
//!
//! A code is examined before the transaction, which does the cryptography, and decided inside it,
//! which does none: it is compared with the codes used before, and the identity's attempts are
//! counted. Whatever is wrong with a code, the response is the same.

mod attempt;
mod authenticate;
mod codes;
mod enroll;
mod record;
mod remove;

pub use crate::error::MfaError;
pub use crate::settings::MfaSettings;
pub use authenticate::{TotpToken, authenticate, request_token};
pub use codes::{read_codes, replace_codes};
pub use enroll::{qr_code, read_own, start, verify};
pub(crate) use remove::{delete_enrollment, reset_wrong_codes};
pub use remove::{remove, remove_own};

use crate::action::actions;
use portcullis_domain::access::Access;
use portcullis_domain::permission::{Subject, Verb};

actions! {
    /// Reads the caller's own enrollment.
    ReadOwn = Access::Partial;
    /// Starts an enrollment of the caller.
    Start = Access::Partial;
    /// Finishes an enrollment of the caller.
    Verify = Access::Partial;
    /// Answers the TOTP factor of the caller's session.
    Authenticate = Access::Partial;
    /// Requests a token that proves a TOTP pass.
    RequestToken = Access::Full;
    /// Reads the caller's own recovery codes.
    ReadCodes = Access::Full;
    /// Replaces the caller's own recovery codes.
    ReplaceCodes = Access::Full;
    /// Removes the caller's own enrollment. A partial session may only remove one that is not
    /// verified.
    RemoveOwn = Access::Partial;
    /// Removes the enrollment of an identity.
    Remove = Access::Granted(Subject::Identity, Verb::Update);
}
