//! Database maintenance, for administrators.

use crate::body::Body;
use crate::client::Client;
use crate::endpoint::{Api, Endpoint};
use crate::error::ClientError;
use http::Method;
use portcullis_api::database::{IntegrityDetails, SnapshotLocation, SummaryCounts};

impl Client {
    /// Creates a database snapshot in the directory of the store, and returns where it is.
    pub async fn create_database_snapshot(&self) -> Result<SnapshotLocation, ClientError> {
        self.post(&database().join("snapshot"), Body::empty()).await
    }

    /// Starts a data integrity check, which also repairs what it can if `fixing` is set.
    pub async fn check_data_integrity(&self, fixing: bool) -> Result<(), ClientError> {
        let endpoint = database().join(if fixing {
            "fix-data-integrity"
        } else {
            "check-data-integrity"
        });
        self.execute(Method::POST, &endpoint, Body::empty()).await
    }

    /// Results of the running or else the last data integrity check.
    pub async fn data_integrity_results(&self) -> Result<IntegrityDetails, ClientError> {
        self.get(&database().join("data-integrity-results")).await
    }

    /// Number of entities of each kind.
    pub async fn database_summary(&self) -> Result<SummaryCounts, ClientError> {
        self.get(&Endpoint::new(Api::Management, "summary")).await
    }
}

fn database() -> Endpoint {
    Endpoint::new(Api::Management, "database")
}
