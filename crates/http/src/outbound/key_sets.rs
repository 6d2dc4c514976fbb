//! Key sets of external signers, fetched like any other document.

use super::Fetcher;
use portcullis_app::signers::{FetchKeySets, Fetching, KeySetFault};
use url::Url;

impl FetchKeySets for Fetcher {
    fn judge(&self, address: &str) -> Result<(), KeySetFault> {
        let result = self.check_url(&parse_url(address)?);
        result.map_err(|error| KeySetFault(error.to_string()))
    }

    fn fetch<'f>(&'f self, address: &'f str) -> Fetching<'f> {
        Box::pin(async move {
            Self::fetch(self, &parse_url(address)?)
                .await
                .map_err(error_with_sources)
        })
    }
}

fn parse_url(address: &str) -> Result<Url, KeySetFault> {
    Url::parse(address).map_err(|_error| {
        let text = "must be a complete URL such as https://idp.example.com/jwks.json";
        KeySetFault(text.to_owned())
    })
}

/// Builds an error with the whole chain of sources, which is for the log only.
fn error_with_sources(error: impl std::error::Error) -> KeySetFault {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    KeySetFault(text)
}
