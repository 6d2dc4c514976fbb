//! HTTP APIs of a running controller, called with `curl`.

use crate::controller::Controller;
use crate::curl::{Curl, Reply};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};

/// Prefix of the management API.
pub const MANAGEMENT: &str = "/edge/management/v1";
/// Prefix of the client API.
pub const CLIENT: &str = "/edge/client/v1";

/// API client of one user.
#[derive(Debug, Clone)]
pub struct Api {
    url: String,
    ca: PathBuf,
    token: Option<String>,
    /// Client certificate and key.
    certificate: Option<(PathBuf, PathBuf)>,
}

impl Api {
    /// A client without a session.
    pub fn anonymous(controller: &Controller) -> Self {
        Self::at(controller.url(), &controller.ca())
    }

    /// A client without a session for an address whose CA certificates are in `ca`.
    pub fn at(url: &str, ca: &Path) -> Self {
        Self {
            url: url.to_owned(),
            ca: ca.to_owned(),
            token: None,
            certificate: None,
        }
    }

    /// Logs the administrator in.
    #[track_caller]
    pub fn admin(controller: &Controller) -> Self {
        Self::anonymous(controller).log_in("admin", &controller.password())
    }

    /// Logs in with a password; returns a client with that session.
    #[track_caller]
    pub fn log_in(&self, username: &str, password: &str) -> Self {
        let body = json!({"username": username, "password": password});
        let session = self
            .curl(&format!("{MANAGEMENT}/authenticate?method=password"))
            .json("POST", &body)
            .send()
            .data();
        let token = session["token"].as_str().expect("a session has a token");
        self.with_token(token)
    }

    /// The same client with another session.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self {
            token: Some(token.to_owned()),
            ..self.clone()
        }
    }

    /// The same client with a client certificate, to which its session may be bound.
    #[must_use]
    pub fn with_certificate(&self, certificate: &Path, key: &Path) -> Self {
        Self {
            certificate: Some((certificate.to_owned(), key.to_owned())),
            ..self.clone()
        }
    }

    /// The session token.
    ///
    /// # Panics
    ///
    /// If nobody has logged in.
    pub fn token(&self) -> &str {
        self.token.as_deref().expect("someone has logged in")
    }

    /// Starts a request to a path from the root.
    pub fn curl(&self, path: &str) -> Curl {
        let curl = Curl::new(&format!("{}{path}", self.url), &self.ca);
        let curl = match &self.certificate {
            Some((certificate, key)) => curl.certificate(certificate, key),
            None => curl,
        };
        match &self.token {
            Some(token) => curl.session(token),
            None => curl,
        }
    }

    /// Sends a GET request to the management API.
    #[track_caller]
    pub fn get(&self, path: &str) -> Reply {
        self.curl(&format!("{MANAGEMENT}{path}")).send()
    }

    /// Sends JSON to the management API.
    #[track_caller]
    pub fn send(&self, method: &str, path: &str, body: &Value) -> Reply {
        self.curl(&format!("{MANAGEMENT}{path}"))
            .json(method, body)
            .send()
    }

    /// Deletes an entity through the management API.
    #[track_caller]
    pub fn delete(&self, path: &str) -> Reply {
        self.curl(&format!("{MANAGEMENT}{path}"))
            .arguments(["--request", "DELETE"])
            .send()
    }

    /// Creates an identity with an enrollment, and returns its detail.
    #[track_caller]
    pub fn create_identity(&self, name: &str, enrollment: &Value) -> Value {
        let body = json!({"name": name, "isAdmin": false, "enrollment": enrollment});
        let created = self
            .send("POST", "/identities", &body)
            .expect_status(201)
            .data();
        let id = created["id"].as_str().expect("what was created has an id");
        self.get(&format!("/identities/{id}")).data()
    }

    /// Redeems a one-time token with a CSR, and returns the chain as PEM.
    #[track_caller]
    pub fn enroll(&self, token: &str, csr: &str) -> Reply {
        self.curl(&format!("{CLIENT}/enroll?method=ott&token={token}"))
            .body("POST", "application/x-pem-file", csr)
            .send()
    }

    /// Logs in with a certificate.
    #[track_caller]
    pub fn log_in_with(&self, certificate: &Path, key: &Path) -> Reply {
        self.curl(&format!("{CLIENT}/authenticate?method=cert"))
            .certificate(certificate, key)
            .json("POST", &json!({}))
            .send()
    }
}

/// Writes the chain in an enrollment response to a file.
#[track_caller]
pub fn write_chain(reply: &Reply, file: &Path) {
    let data = reply.data();
    let chain = data["cert"].as_str().expect("there is a chain");
    fs::write(file, chain).expect("the chain can be written");
}
