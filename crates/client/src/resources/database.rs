//! Database maintenance, for administrators.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use http::Method;
use portcullis_api::database::{IntegrityDetails, SummaryCounts};

impl Client {
    /// Creates a database snapshot in the directory of the store.
    pub async fn copy_database(&self) -> Result<(), ClientError> {
        let endpoint = database().then("snapshot");
        self.execute(Method::POST, &endpoint, Body::none()).await
    }

    /// Starts a data integrity check, which also repairs what it can if `fixing` is set.
    pub async fn check_database(&self, fixing: bool) -> Result<(), ClientError> {
        let endpoint = database().then(if fixing {
            "fix-data-integrity"
        } else {
            "check-data-integrity"
        });
        self.execute(Method::POST, &endpoint, Body::none()).await
    }

    /// Results of the running or else the last data integrity check.
    pub async fn database_results(&self) -> Result<IntegrityDetails, ClientError> {
        self.get(&database().then("data-integrity-results")).await
    }

    /// Number of entities of each kind.
    pub async fn summary(&self) -> Result<SummaryCounts, ClientError> {
        self.get(&Endpoint::new(Api::Management, "summary")).await
    }
}

fn database() -> Endpoint {
    Endpoint::new(Api::Management, "database")
}
