//! Export of metrics and traces by OTLP, if the configuration asks for it.

use crate::build::BUILD;
use crate::pem::PemSetting;
use anyhow::Context as _;
use http::{HeaderMap, HeaderName, HeaderValue};
use portcullis_app::{App, monitoring};
use portcullis_controller_config::{OtlpConfig, PemSource};
use portcullis_fetch::{Poster, system_roots};
use portcullis_http::{AnsweredRequest, RequestSpan, RequestTracer};
use portcullis_metrics::Page;
use portcullis_otlp::{
    Exporter, ExporterSettings, MetricSettings, OpenSpan, SampleRatio, ServedRequest, Service,
    Tracer,
};
use rustls::RootCertStore;
use std::sync::Arc;
use std::time::Duration;

/// How long a message may take, with its answer.
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the shutdown waits for what is left to be sent.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(5);

/// What exports; nothing if the configuration does not ask for it.
#[derive(Debug, Default)]
pub(super) struct Export(Option<Exporter>);

impl Export {
    /// Starts to export, and has the figures of the controller tell of it.
    ///
    /// # Errors
    ///
    /// When the certificates of the configuration cannot be loaded.
    pub(super) fn start(app: &Arc<App>, config: Option<&OtlpConfig>) -> anyhow::Result<Self> {
        let Some(config) = config.filter(|config| config.metrics || config.traces) else {
            return Ok(Self::default());
        };
        let roots = roots(config.ca.as_ref()).context("metrics and traces cannot be exported")?;
        let serving = app.network().serving_state();
        let controller = &serving.controller;
        let (instance_id, counting_since) = (controller.id.to_string(), controller.started_at);
        if config.metrics {
            app.metrics().reports().keep();
        }
        // Figures of the export are held by the controller, so a strong reference would be a cycle.
        let measured = Arc::downgrade(app);
        let exporter = Exporter::start(ExporterSettings {
            endpoint: config.endpoint.clone(),
            headers: headers(config)?,
            poster: Poster::new(roots, MESSAGE_TIMEOUT)?,
            service: Service {
                name: "portcullis-controller",
                version: BUILD.version,
                instance_id,
            },
            clock: Arc::clone(&app.env().clock),
            metrics: config.metrics.then(|| MetricSettings {
                measurements: Arc::new(move || {
                    let app = measured.upgrade();
                    app.map(|app| monitoring::families(&app))
                        .unwrap_or_default()
                }),
                counting_since,
                interval: config.interval,
            }),
            traces: (config.traces).then_some(SampleRatio::per_million(config.sample_per_million)),
        });
        let statistics = Arc::clone(exporter.statistics());
        let figures = move |page: &mut Page, time| statistics.expose(page, time);
        app.metrics().add_further(Box::new(figures));
        Ok(Self(Some(exporter)))
    }

    /// Traces requests, if traces are exported.
    pub(super) fn tracer(&self) -> Option<Arc<dyn RequestTracer>> {
        let tracer = self.0.as_ref()?.tracer()?;
        Some(Arc::new(ExportedRequests(Arc::clone(tracer))))
    }

    /// Sends what is left.
    pub(super) async fn stop(&self) {
        let Some(exporter) = &self.0 else { return };
        if !exporter.stop(DRAIN_TIMEOUT).await {
            tracing::warn!("the last metrics and traces could not be exported");
        }
    }
}

/// The authorities that the endpoint may have its certificate from.
fn roots(ca: Option<&PemSource>) -> anyhow::Result<Arc<RootCertStore>> {
    let Some(source) = ca else {
        return Ok(system_roots());
    };
    let setting = PemSetting {
        name: "otlp.caCert".into(),
        source,
    };
    let mut roots = RootCertStore::empty();
    for certificate in setting.certificates()? {
        roots
            .add(certificate.as_rustls().clone())
            .with_context(|| format!("{} cannot be trusted", setting.describe()))?;
    }
    Ok(Arc::new(roots))
}

fn headers(config: &OtlpConfig) -> anyhow::Result<HeaderMap> {
    let headers = config.headers.iter().map(|(name, value)| {
        let name = HeaderName::try_from(name)?;
        let mut value = HeaderValue::try_from(value.reveal())?;
        value.set_sensitive(true);
        anyhow::Ok((name, value))
    });
    let headers: anyhow::Result<_> = headers.collect();
    headers.context("otlp.headers has a header that cannot be sent")
}

/// Requests as the exporter sees them.
struct ExportedRequests(Arc<Tracer>);

struct ExportedSpan(OpenSpan);

impl RequestTracer for ExportedRequests {
    fn begin(
        &self,
        traceparent: Option<&str>,
        tracestate: Option<&str>,
    ) -> Option<Box<dyn RequestSpan>> {
        let span = self.0.begin(traceparent, tracestate)?;
        Some(Box::new(ExportedSpan(span)))
    }
}

impl RequestSpan for ExportedSpan {
    fn end(self: Box<Self>, request: &AnsweredRequest<'_>) {
        let operation = request.operation;
        self.0.end(&ServedRequest {
            id: request.id.as_str(),
            method: request.method,
            route: operation.map(portcullis_app::metrics::Operation::route),
            status: request.status,
            peer: request.peer,
        });
    }
}
