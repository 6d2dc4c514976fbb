//! Key sets of external signers, fetched as every other document is.

use super::Fetcher;
use portcullis_app::signers::{FetchKeySets, Fetching, KeySetFault};
use url::Url;

impl FetchKeySets for Fetcher {
    fn judge(&self, address: &str) -> Result<(), KeySetFault> {
        let judged = self.judge_url(&read(address)?);
        judged.map_err(|error| KeySetFault(error.to_string()))
    }

    fn fetch<'f>(&'f self, address: &'f str) -> Fetching<'f> {
        Box::pin(async move { Self::fetch(self, &read(address)?).await.map_err(fault) })
    }
}

fn read(address: &str) -> Result<Url, KeySetFault> {
    Url::parse(address).map_err(|_error| {
        let text = "must be a complete URL such as https://idp.example.com/jwks.json";
        KeySetFault(text.to_owned())
    })
}

/// Says what is wrong with all that led to it, which is for the log only.
fn fault(error: impl std::error::Error) -> KeySetFault {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    KeySetFault(text)
}
