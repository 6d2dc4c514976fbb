mod content;
mod policy;
mod texts;

use super::*;
use crate::authorization::AuthorizationRequest;
use crate::parameters::Parameters;
use crate::redirect::{RedirectUris, RegisteredUri};
use crate::testing;
use secrecy::SecretString;

const ID: &str = "2f8dbb40-5c2e-4f43-9a3c-5a35bd8f6f3e";

/// A request of `native` with this redirect URI, which is registered unless it is one of the SDKs'.
fn request_to(redirect_uri: &str) -> AuthorizationRequest {
    let query = url::form_urlencoded::Serializer::new(String::new())
        .append_pair("client_id", "native")
        .append_pair("response_type", "code")
        .append_pair("scope", "openid")
        .append_pair(
            "code_challenge",
            "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        )
        .append_pair("code_challenge_method", "S256")
        .append_pair("redirect_uri", redirect_uri)
        .finish();
    let registered = RedirectUris::for_login(RegisteredUri::parse(redirect_uri).ok());
    AuthorizationRequest::parse(&Parameters::parse(&query).unwrap(), &registered).unwrap()
}

/// The texts and images of an enrollment.
struct Enrollment {
    account: String,
    url: SecretString,
    codes: Vec<SecretString>,
}

impl Enrollment {
    fn of(account: &str) -> Self {
        let url = format!("otpauth://totp/{account}?issuer=openziti.io&secret=MZXW6YTBOI5DGMRT");
        Self {
            account: account.to_owned(),
            url: url.into(),
            codes: ["K7QX2M", "AAAA22"].map(SecretString::from).into(),
        }
    }

    fn view(&self) -> TotpEnrollment<'_> {
        TotpEnrollment {
            account: &self.account,
            provisioning_url: &self.url,
            qr_code: b"PNG",
            recovery_codes: &self.codes,
        }
    }
}

/// All pages there are, with a user's texts that are `text`.
fn all_with(text: &str) -> Vec<Page> {
    let request = testing::request();
    let login = LoginPages::new(text, &request);
    let failed = |refusal| {
        Some(FailedAttempt {
            username: text,
            refusal,
        })
    };
    let enrollment = Enrollment::of(text);
    vec![
        login.password(None),
        login.password(failed(Refusal::Wrong)),
        login.password(failed(Refusal::Throttled { seconds: 7 })),
        login.certificate(None),
        login.certificate(Some(Refusal::Wrong)),
        login.external_token(),
        login.token_required(),
        login.totp(None),
        login.totp(Some(Refusal::Wrong)),
        login.totp_required(),
        login.totp_enrollment(&enrollment.view(), None),
        login.totp_enrollment(&enrollment.view(), Some(Refusal::Wrong)),
        problem(Problem::LoginRequest),
        problem(Problem::Internal),
        signed_in(text),
        signed_out(),
    ]
}
