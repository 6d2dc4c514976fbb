//! TOTP through `curl`, as one user sees it.

use crate::api::{Api, CLIENT};
use crate::authenticator::{Authenticator, Program};
use crate::curl::Reply;
use serde_json::{Value, json};

/// What a code is given in.
#[derive(Debug, Clone, Copy)]
pub enum Given<'c> {
    /// Nothing.
    Nowhere,
    /// The member `code` of a body.
    Body(&'c str),
    /// The header `mfa-validation-code`.
    Header(&'c str),
}

/// What an enrollment was begun with.
#[derive(Debug)]
pub struct SetUp {
    /// The app that holds its secret.
    pub app: Authenticator,
    /// Its provisioning URL.
    pub url: String,
    /// Its recovery codes.
    pub recovery: Vec<String>,
}

impl Api {
    /// Makes a user with a password, and answers its first session.
    #[track_caller]
    pub fn create_user(&self, name: &str, password: &str) -> Self {
        let identity = self.create_identity(name, &json!({"updb": name}));
        let token = identity["enrollment"]["updb"]["token"].as_str();
        let token = token.expect("there is a token");
        let _ = self
            .curl(&format!("{CLIENT}/enroll?method=updb&token={token}"))
            .json("POST", &json!({"password": password}))
            .send()
            .expect(200);
        self.log_in(name, password)
    }

    /// Asks for something below one's own enrollment.
    #[track_caller]
    pub fn mfa(&self, method: &str, below: &str, given: Given<'_>) -> Reply {
        self.with_code(method, &format!("/current-identity/mfa{below}"), given)
    }

    /// Answers the second factor of the session.
    #[track_caller]
    pub fn answer_mfa(&self, code: &str) -> Reply {
        self.with_code("POST", "/authenticate/mfa", Given::Body(code))
    }

    #[track_caller]
    fn with_code(&self, method: &str, path: &str, given: Given<'_>) -> Reply {
        let curl = self.curl(&format!("{CLIENT}{path}"));
        match given {
            Given::Nowhere => curl.arguments(["--request", method]),
            Given::Body(code) => curl.json(method, &json!({"code": code})),
            Given::Header(code) => curl
                .arguments(["--request", method])
                .header(&format!("mfa-validation-code: {code}")),
        }
        .send()
    }

    /// Begins an enrollment.
    #[track_caller]
    pub fn begin_mfa(&self, program: Program) -> SetUp {
        let begun = self.mfa("POST", "", Given::Nowhere).expect(201).data();
        let url = begun["provisioningUrl"].as_str();
        let url = url.expect("there is a URL").to_owned();
        SetUp {
            app: Authenticator::set_up(program, &url),
            url,
            recovery: texts(&begun["recoveryCodes"]),
        }
    }

    /// Enrolls, which takes the first code of the app.
    #[track_caller]
    pub fn enroll_in_mfa(&self, program: Program) -> SetUp {
        let mut set_up = self.begin_mfa(program);
        let code = set_up.app.code();
        let _ = self.mfa("POST", "/verify", Given::Body(&code)).expect(200);
        set_up
    }

    /// Whether the session may do more than answer what is asked of it.
    #[track_caller]
    pub fn is_full(&self) -> bool {
        match self.curl(&format!("{CLIENT}/services")).send().status {
            200 => true,
            401 => false,
            status => panic!("{status} from the list of services"),
        }
    }
}

/// A list of texts.
#[track_caller]
pub fn texts(value: &Value) -> Vec<String> {
    let texts = value.as_array().expect("it is a list").iter();
    texts
        .map(|text| text.as_str().expect("it is a text").to_owned())
        .collect()
}
