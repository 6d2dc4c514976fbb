//! The TOTP engine of the Portcullis controller.

mod code;
mod enrollment;
mod evidence;
mod qr;
mod recovery_codes;
mod rules;
mod secret;
#[cfg(test)]
mod testing;
mod throttle;
mod url;

pub use code::{Code, Malformed, RecoveryCode, Submitted};
pub use enrollment::{Enrolled, NotEnrolled, Refusal, Started};
pub use evidence::Evidence;
pub use qr::{QrCode, TooLong};
pub use recovery_codes::{BadRecoveryCodes, RecoveryCodes};
pub use rules::{Reuse, Rules, Window};
pub use secret::{BadSecret, Secret};
pub use throttle::{Held, Throttle};
pub use url::provisioning_url;
