//! What a router always knows of itself.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use parking_lot::Mutex;
use portcullis_metrics::MetricRegistry;
use portcullis_router::control::KnownControllers;
use portcullis_router::edge::ControllerId;
use portcullis_router::in_go;
use portcullis_router_config::EffectiveConfig;
use serde_json::{Value as Json, json};

use super::{InspectError, InspectFuture, Inspectable, Inspected, Subject};
use crate::clock::RouterClock;
use crate::controllers::Controllers;

/// Metrics, configuration and controllers, and what routers without certain sections answer.
pub(crate) struct Basics {
    /// Id of the router.
    pub(crate) router: Arc<str>,
    pub(crate) clock: RouterClock,
    pub(crate) metrics: Arc<MetricRegistry>,
    pub(crate) controllers: Arc<Controllers>,
    /// Tells which of them leads.
    pub(crate) known: Arc<Mutex<KnownControllers>>,
    /// As [`shown_config`](Self::shown_config) shows it.
    pub(crate) config: Json,
}

impl Basics {
    /// What is answered, unless other parts answer for it.
    pub(crate) const KINDS: &'static [&'static str] = &[
        "config",
        "ert-terminators",
        "identity-connection-statuses",
        "links",
        "metrics",
        "router-config-registry",
        "router-controllers",
        "sdk-terminators",
        "stackdump",
    ];

    /// What a file sets, without secrets, and its path as `@file`.
    pub(crate) fn shown_config(config: &EffectiveConfig, file: &Path) -> Json {
        let mut shown = config.to_nested_json();
        if let Json::Object(members) = &mut shown {
            members.insert("@file".to_owned(), file.display().to_string().into());
        }
        shown
    }

    fn controllers(&self) -> Json {
        let leader = self.known.lock().leader().cloned();
        let controllers = self.controllers.views().into_iter();
        let controllers = controllers.map(|view| {
            let id = view.controller.as_str().to_owned();
            let shown = json!({
                "controllerId": id,
                "connected": true,
                "responsive": !view.is_slow,
                "address": view.address,
                "latency": in_go(view.latency).to_string(),
                "version": view.version,
                "timeSinceLastContact": in_go(view.unanswered_for).to_string(),
                "isLeader": leader.as_ref() == Some(&view.controller),
            });
            (id, shown)
        });
        json!({
            "leaderId": leader.as_ref().map_or("", ControllerId::as_str),
            "controllers": controllers.collect::<BTreeMap<_, _>>(),
        })
    }
}

impl Inspectable for Basics {
    fn inspect(&self, subject: &Subject) -> InspectFuture {
        let inspected = match subject.kind.as_str() {
            "config" => Inspected::Json(self.config.clone()),
            "ert-terminators" => Inspected::Json(json!({ "entries": null, "errors": null })),
            "links" => {
                Inspected::Json(json!({ "links": null, "destinations": null, "errors": null }))
            },
            // No configuration is taken from controllers, and so nothing handles any.
            "router-config-registry" => {
                Inspected::Json(json!({ "sealed": true, "closed": false, "handlers": null }))
            },
            "router-controllers" => Inspected::Json(self.controllers()),
            "stackdump" => Inspected::Text(
                "The tasks of this router have no stacks that could be shown; its log and \
                 `profile.cpu` tell what it is doing.\n"
                    .to_owned(),
            ),
            "identity-connection-statuses" | "sdk-terminators" => {
                let error = "no xgress factory configured for edge binding".to_owned();
                return Box::pin(std::future::ready(Err(InspectError(error))));
            },
            metrics if metrics.starts_with("metrics") => {
                let snapshot = self.metrics.snapshot();
                Inspected::Json(snapshot.to_json(&self.router, self.clock.timestamp()))
            },
            _ => Inspected::Nothing,
        };
        inspected.now()
    }
}
