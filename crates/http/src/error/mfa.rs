//! Conversion of TOTP errors to their wire form.

use super::ApiError;
use portcullis_api::code::Code;
use portcullis_api::error::Cause;
use portcullis_app::mfa::MfaError;

impl From<MfaError> for ApiError {
    fn from(error: MfaError) -> Self {
        match error {
            MfaError::NotFound => Self::new(Code::NotFound),
            MfaError::Exists => Self::new(Code::MfaExists),
            MfaError::NotEnrolled => Self::new(Code::MfaNotEnrolled),
            // The same response for all reasons, without a trace of the code.
            MfaError::WrongCode => Self::new(Code::MfaInvalidToken),
            MfaError::Throttled { retry_after } => {
                Self::new(Code::ServerTooManyRequests).retry_after(retry_after)
            },
            MfaError::TooLongForQr => {
                Self::new(Code::NotFound).with_cause(Cause::text(error.to_string()))
            },
            MfaError::WrongSession => Self::new(Code::InvalidBackingTokenType),
        }
    }
}
