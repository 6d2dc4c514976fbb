//! Values that are not as the file or the table says, because others decide about them.

use std::time::Duration;

use portcullis_key_table::{EffectiveConfig, Setting, Source};
use portcullis_yaml::syntax::GoDuration;
use serde_json::{Value as Json, json};

use crate::events;
use crate::limits;
use crate::root::ControllerConfig;
use crate::web::{ApiKind, TlsVersion, WebListener};

const TOO_SHORT: &str = "too short, so the default counts";
const RAISED: &str = "too short, so the least counts";

/// Adds what follows from other values, and corrects what the configuration does not take as written.
pub(super) fn apply(config: &ControllerConfig, effective: &mut EffectiveConfig) {
    let mut derived = Derived(effective);
    derived.copy("identity.server_cert", "identity.cert");
    derived.keys_of_identity("identity", config.identity.alt_server_certs.len());
    if let Some(domain) = &config.trust_domain {
        derived.correct("trustDomain", json!(domain), "its name alone");
    }
    let domains = json!(config.additional_trust_domains);
    derived.correct("additionalTrustDomains", domains, "their names alone");
    derived.edge(config);
    derived.events();
    for (index, listener) in config.web.iter().enumerate() {
        derived.listener(&format!("web[{index}]"), listener);
    }
    for (name, total, limit) in limits::per_client(&config.limits) {
        let how = format!("follows from `limits.{total}`");
        derived.correct(&format!("limits.{name}"), json!(limit), &how);
    }
}

struct Derived<'a>(&'a mut EffectiveConfig);

impl Derived<'_> {
    fn edge(&mut self, config: &ControllerConfig) {
        let edge = &config.edge;
        let (enrollment, oidc) = (&edge.enrollment, &edge.oidc);
        let follows = "a minute longer than `edge.oidc.accessTokenDuration`";
        for (path, duration, how) in [
            (
                "edge.api.sessionTimeout",
                edge.api.session_timeout,
                TOO_SHORT,
            ),
            (
                "edge.enrollment.edgeIdentity.duration",
                enrollment.edge_identity_duration,
                TOO_SHORT,
            ),
            (
                "edge.enrollment.edgeRouter.duration",
                enrollment.edge_router_duration,
                TOO_SHORT,
            ),
            (
                "edge.oidc.accessTokenDuration",
                oidc.access_token_duration,
                RAISED,
            ),
            ("edge.oidc.idTokenDuration", oidc.id_token_duration, RAISED),
            (
                "edge.oidc.refreshTokenDuration",
                oidc.refresh_token_duration,
                follows,
            ),
        ] {
            self.correct_duration(path, duration, how);
        }
        let path = "edge.externalJwtSigners.jwksFetch.blockPrivateAddresses";
        self.correct(path, json!(true), "it cannot be turned off");
    }

    /// Takes away what has no effect with the type of its section.
    fn events(&mut self) {
        let type_of = |(path, setting): (&str, &Setting)| {
            let section = path.strip_suffix(".type")?;
            let kind = setting.value.as_str()?;
            path.starts_with(events::SECTION)
                .then(|| (section.to_owned(), kind.to_owned()))
        };
        let types: Vec<_> = self.0.iter().filter_map(type_of).collect();
        for (section, kind) in types {
            if let Some(entry) = events::ignored_entry(&section, &kind) {
                self.0.remove_below(entry);
            }
            for key in events::unused_keys(&section, &kind) {
                self.0.remove(&format!("{section}.{key}"));
            }
            let path = format!("{section}.bufferSize");
            let waiting = self.0.get(&path).and_then(|setting| setting.value.as_u64());
            let least = u64::from(events::MIN_WAITING_EVENTS);
            if waiting.is_some_and(|waiting| waiting < least) {
                self.correct(&path, json!(least), RAISED);
            }
        }
    }

    fn listener(&mut self, path: &str, listener: &WebListener) {
        if let Some(identity) = &listener.identity {
            self.keys_of_identity(&format!("{path}.identity"), identity.alt_server_certs.len());
        }
        let least = match listener.options.min_tls_version {
            TlsVersion::Tls12 => "TLS1.2",
            TlsVersion::Tls13 => "TLS1.3",
        };
        let how = "the lowest that is supported";
        self.correct(&format!("{path}.options.minTLSVersion"), json!(least), how);
        for (index, api) in listener.apis.iter().enumerate() {
            let binding = format!("{path}.apis[{index}].binding");
            if api.kind() == ApiKind::EdgeOidc && self.0.get(&binding).is_none() {
                let how = "served beside `edge-client`, see `edge.api.disableOidcAutoBinding`";
                self.set(binding, json!("edge-oidc"), how);
            }
        }
    }

    /// Server certificates without a key of their own have that of the section.
    fn keys_of_identity(&mut self, path: &str, alternatives: usize) {
        let key = format!("{path}.key");
        self.copy(&format!("{path}.server_key"), &key);
        for index in 0..alternatives {
            self.copy(
                &format!("{path}.alt_server_certs[{index}].server_key"),
                &key,
            );
        }
    }

    /// Gives an absent value that of another key.
    fn copy(&mut self, path: &str, from: &str) {
        if let (None, Some(setting)) = (self.0.get(path), self.0.get(from)) {
            let value = setting.value.clone();
            self.set(path.to_owned(), value, &format!("as `{from}`"));
        }
    }

    fn correct_duration(&mut self, path: &str, duration: Duration, how: &str) {
        let Some(setting) = self.0.get(path) else {
            return;
        };
        let written = setting
            .value
            .as_str()
            .and_then(|text| text.parse::<GoDuration>().ok());
        if written.and_then(GoDuration::as_std) != Some(duration) {
            let nanoseconds = i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX);
            let text = GoDuration::from_nanoseconds(nanoseconds).to_string();
            self.correct(path, json!(text), how);
        }
    }

    /// Corrects a value that is there.
    fn correct(&mut self, path: &str, value: Json, how: &str) {
        let Some(setting) = self.0.get(path) else {
            return;
        };
        if setting.value == value {
            return;
        }
        let how = match &setting.source {
            Source::File(place) | Source::Environment(place, _) => {
                format!("line {}, {how}", place.line)
            },
            Source::Default | Source::Derived(_) => how.to_owned(),
        };
        self.set(path.to_owned(), value, &how);
    }

    fn set(&mut self, path: String, value: Json, how: &str) {
        self.0.set(path, value, Source::Derived(how.to_owned()));
    }
}
