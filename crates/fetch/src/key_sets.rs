//! Key sets of external signers, fetched like any other document.

use crate::Fetcher;
use portcullis_app::signers::{KeySetError, KeySetFetcher, KeySetFuture};
use portcullis_domain::error_sources::with_sources;
use url::Url;

impl KeySetFetcher for Fetcher {
    fn validate_address(&self, address: &str) -> Result<(), KeySetError> {
        let result = self.check_url(&parse_url(address)?);
        result.map_err(|error| KeySetError(error.to_string()))
    }

    fn fetch<'f>(&'f self, address: &'f str) -> KeySetFuture<'f> {
        Box::pin(async move {
            Self::fetch(self, &parse_url(address)?)
                .await
                .map_err(key_set_error)
        })
    }
}

fn parse_url(address: &str) -> Result<Url, KeySetError> {
    Url::parse(address).map_err(|_error| {
        let text = "must be a complete URL such as https://idp.example.com/jwks.json";
        KeySetError(text.to_owned())
    })
}

/// Builds an error with the whole chain of sources, which is for the log only.
fn key_set_error(error: impl std::error::Error) -> KeySetError {
    KeySetError(with_sources(&error))
}
