//! Logins by OpenID Connect: from the authorization request to tokens, and to their end.
//!
//! The first factor opens a session as every login does, by the same rules and in the same
//! transaction; it is marked as one of OIDC, and no `zt-session` token leads to it. The other
//! factors are proved on that session. Once nothing is missing the client gets a code, and for the
//! code tokens that stand for the session. So whatever ends a session ends its tokens, with the
//! same commit.
//!
//! The protocol itself is in [`portcullis_oidc`].

mod about;
mod end;
mod grant;
mod issue;
mod login;
mod totp;

pub use about::{introspect, key_set, user_info};
pub use end::{end_session, revoke};
pub use grant::{GrantError, TokenClient, grant};
pub use login::{
    LoginClient, LoginDetails, LoginProgress, LoginStepError, PrimaryCredential, authenticate,
    authorization_request, begin, issue_code, login_uris, logout_uris, progress,
};
pub use totp::{TotpEnrollment, abandon_totp, enroll_totp, pass_totp, read_totp, verify_totp};
