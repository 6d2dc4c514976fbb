//! TOTP requests with `curl`.

use crate::api::{Api, CLIENT};
use crate::authenticator::{Authenticator, TotpProgram};
use crate::curl::Reply;
use serde_json::{Value, json};

/// Placement of a code in a request.
#[derive(Debug, Clone, Copy)]
pub enum CodePlacement<'c> {
    /// No code.
    Omitted,
    /// The member `code` of a body.
    Body(&'c str),
    /// The header `mfa-validation-code`.
    Header(&'c str),
}

/// Result of starting an enrollment.
#[derive(Debug)]
pub struct MfaSetup {
    /// App with the secret.
    pub app: Authenticator,
    /// Provisioning URL.
    pub url: String,
    /// Recovery codes.
    pub recovery: Vec<String>,
}

impl Api {
    /// Creates a user with a password, and returns a client with its first session.
    #[track_caller]
    pub fn create_user(&self, name: &str, password: &str) -> Self {
        let identity = self.create_identity(name, &json!({"updb": name}));
        let token = identity["enrollment"]["updb"]["token"].as_str();
        let token = token.expect("there is a token");
        let _ = self
            .curl(&format!("{CLIENT}/enroll?method=updb&token={token}"))
            .json("POST", &json!({"password": password}))
            .send()
            .expect_status(200);
        self.log_in(name, password)
    }

    /// Sends a request below the caller's own MFA enrollment.
    #[track_caller]
    pub fn mfa(&self, method: &str, below: &str, given: CodePlacement<'_>) -> Reply {
        self.with_code(method, &format!("/current-identity/mfa{below}"), given)
    }

    /// Answers the second factor of the session.
    #[track_caller]
    pub fn answer_mfa(&self, code: &str) -> Reply {
        self.with_code("POST", "/authenticate/mfa", CodePlacement::Body(code))
    }

    #[track_caller]
    fn with_code(&self, method: &str, path: &str, given: CodePlacement<'_>) -> Reply {
        let curl = self.curl(&format!("{CLIENT}{path}"));
        match given {
            CodePlacement::Omitted => curl.arguments(["--request", method]),
            CodePlacement::Body(code) => curl.json(method, &json!({"code": code})),
            CodePlacement::Header(code) => curl
                .arguments(["--request", method])
                .header(&format!("mfa-validation-code: {code}")),
        }
        .send()
    }

    /// Starts an enrollment.
    #[track_caller]
    pub fn begin_mfa(&self, program: TotpProgram) -> MfaSetup {
        let begun = self
            .mfa("POST", "", CodePlacement::Omitted)
            .expect_status(201)
            .data();
        let url = begun["provisioningUrl"].as_str();
        let url = url.expect("there is a URL").to_owned();
        MfaSetup {
            app: Authenticator::set_up(program, &url),
            url,
            recovery: texts(&begun["recoveryCodes"]),
        }
    }

    /// Enrolls and verifies with the first code of the app.
    #[track_caller]
    pub fn enroll_in_mfa(&self, program: TotpProgram) -> MfaSetup {
        let mut set_up = self.begin_mfa(program);
        let code = set_up.app.code();
        let _ = self
            .mfa("POST", "/verify", CodePlacement::Body(&code))
            .expect_status(200);
        set_up
    }

    /// Whether the session is fully authenticated.
    #[track_caller]
    pub fn is_full(&self) -> bool {
        match self.curl(&format!("{CLIENT}/services")).send().status {
            200 => true,
            401 => false,
            status => panic!("{status} from the list of services"),
        }
    }
}

/// A JSON list of strings.
#[track_caller]
pub fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().expect("it is a list").iter();
    texts
        .map(|text| text.as_str().expect("it is a text").to_owned())
        .collect()
}
