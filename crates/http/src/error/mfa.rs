//! Conversion of TOTP errors to their wire form.

use super::ApiError;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::mfa::MfaFault;

impl From<MfaFault> for ApiError {
    fn from(error: MfaFault) -> Self {
        match error {
            MfaFault::NotFound => Self::new(Code::NotFound),
            MfaFault::Exists => Self::new(Code::MfaExists),
            MfaFault::NotEnrolled => Self::new(Code::MfaNotEnrolled),
            // The same response for all reasons, without a trace of the code.
            MfaFault::WrongCode => Self::new(Code::MfaInvalidToken),
            MfaFault::Held { retry_after } => {
                Self::new(Code::ServerTooManyRequests).retry_after(retry_after)
            },
            MfaFault::TooLongForQr => {
                Self::new(Code::NotFound).with_cause(Cause::text(error.to_string()))
            },
            MfaFault::WrongSession => Self::new(Code::InvalidBackingTokenType),
        }
    }
}
