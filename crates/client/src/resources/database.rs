//! The store of the controller, as administrators look after it.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use http::Method;
use portcullis_api::database::{IntegrityDetails, SummaryCounts};

impl Client {
    /// Has the controller write a copy of its store, beside that.
    pub async fn copy_database(&self) -> Result<(), ClientError> {
        let endpoint = database().then("snapshot");
        self.succeed(Method::POST, &endpoint, Body::none()).await
    }

    /// Begins a check of the store, which puts right what can be if it is `fixing`.
    pub async fn check_database(&self, fixing: bool) -> Result<(), ClientError> {
        let endpoint = database().then(if fixing {
            "fix-data-integrity"
        } else {
            "check-data-integrity"
        });
        self.succeed(Method::POST, &endpoint, Body::none()).await
    }

    /// What the last check of the store has found, or the one at work so far.
    pub async fn database_results(&self) -> Result<IntegrityDetails, ClientError> {
        self.get(&database().then("data-integrity-results")).await
    }

    /// How many entities of each kind there are.
    pub async fn summary(&self) -> Result<SummaryCounts, ClientError> {
        self.get(&Endpoint::new(Api::Management, "summary")).await
    }
}

fn database() -> Endpoint {
    Endpoint::new(Api::Management, "database")
}
