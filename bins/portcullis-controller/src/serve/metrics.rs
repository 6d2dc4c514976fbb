//! Who may read metrics.

use crate::pem::PemSetting;
use anyhow::Context as _;
use portcullis_controller_config::{WebApi, WebListener};
use portcullis_http::{MetricsOptions, ScraperCertificate};

/// How a listener serves metrics, if it does. A warning says so if everybody may read them.
///
/// # Errors
///
/// If the certificate of the scraper cannot be loaded.
pub(super) fn options(listener: &WebListener) -> anyhow::Result<Option<MetricsOptions>> {
    let found = listener.apis.iter().find_map(|api| match api {
        WebApi::Metrics(options) => Some(options),
        _ => None,
    });
    let Some(options) = found else {
        return Ok(None);
    };
    let scraper = options.scrape_cert.as_ref().map(|source| {
        let setting = PemSetting {
            name: "scrapeCert".into(),
            source,
        };
        let certificates = setting.certificates()?;
        let first = certificates
            .first()
            .context("scrapeCert has no certificate")?;
        anyhow::Ok(ScraperCertificate {
            der: first.as_der().to_vec(),
            not_before: first.not_before(),
            not_after: first.not_after(),
        })
    });
    let scraper = scraper.transpose().with_context(|| {
        format!(
            "the metrics of the listener {} cannot be served",
            listener.name
        )
    })?;
    if scraper.is_none() {
        tracing::warn!(
            listener = listener.name,
            "everybody who reaches this listener can read the metrics of the network; name the certificate of \
             Prometheus in `scrapeCert`, or let only Prometheus reach it"
        );
    }
    Ok(Some(MetricsOptions {
        scraper,
        has_times: options.include_timestamps,
    }))
}
