//! Options of the tunnel.

use portcullis_yaml::{Field, Section};
use serde_json::json;

use crate::codes;
use crate::finding::Stage;
use crate::network::is_range;
use crate::openziti::channel::record;
use crate::openziti::listeners::{circuit_options, is_integer};
use crate::openziti::loader::Loader;
use crate::openziti::value;
use crate::table::OnMistake;

pub(super) const RESOLVER: &str = "udp://127.0.0.1:53";
const RANGE: &str = "100.64.0.1/10";

pub(super) fn start(
    loader: &mut Loader<'_>,
    _root: &Section<'_>,
    section: &Section<'_>,
    prefix: &str,
) {
    let options = circuit_options(loader, section, prefix);
    let options = options.as_ref();
    let mut reader = OptionsReader {
        loader,
        options,
        prefix: format!("{prefix}.options"),
    };
    reader.duration("svcPollRate", 15_000_000_000);
    reader.resolver();
    reader.text("dnsSvcIpRange", RANGE, |_| true);
    reader.upstreams();
    reader.text("dnsUpstreamMode", "parallel", |text| {
        let word = text.to_lowercase();
        text.is_empty() || ["parallel", "serial", "failover", "random"].contains(&word.trim())
    });
    reader.text("dnsUnanswerable", "refused", |text| {
        ["", "refused", "servfail", "timeout"].contains(&text.to_lowercase().as_str())
    });
    reader.text("mode", "tproxy", |text| {
        matches!(text, "tproxy" | "host" | "proxy") || text.starts_with("tproxy:")
    });
    reader.services();
    reader.interfaces();
    reader.duration("udpIdleTimeout", 0);
    reader.duration("udpCheckInterval", 0);
}

struct OptionsReader<'read, 'a, 'tree> {
    loader: &'read mut Loader<'a>,
    options: Option<&'read Section<'tree>>,
    prefix: String,
}

impl<'tree> OptionsReader<'_, '_, 'tree> {
    fn get(&self, name: &str) -> Option<Field<'tree>> {
        self.options.and_then(|options| options.get(name))
    }

    fn record(&mut self, name: &str, value: serde_json::Value, field: Option<&Field<'_>>) {
        record(self.loader, format!("{}.{name}", self.prefix), value, field);
    }

    fn duration(&mut self, name: &str, default: i64) {
        let Some(field) = self.get(name) else {
            return self.record(name, value::duration(default), None);
        };
        if let Some(text) = self.loader.text(&field, OnMistake::Refuse)
            && let Some(duration) = self.loader.parse_duration(&field, text)
        {
            self.record(name, value::duration(duration.nanoseconds()), Some(&field));
        }
    }

    fn text(&mut self, name: &str, default: &str, good: impl Fn(&str) -> bool) {
        let Some(field) = self.get(name) else {
            return self.record(name, json!(default), None);
        };
        let Some(text) = self.loader.text(&field, OnMistake::Refuse) else {
            return;
        };
        if good(text) {
            self.record(name, json!(text), Some(&field));
        } else {
            let message = format!("`{}` must not be `{text}`", field.path());
            self.loader.refuse(&field, codes::INVALID_VALUE, message);
        }
    }

    /// A list is added to the default, a string replaces it.
    fn resolver(&mut self) {
        let Some(field) = self.get("resolver") else {
            return self.record("resolver", json!([RESOLVER]), None);
        };
        if let Some(mut names) = self.loader.texts(&field) {
            if field.node().as_list().is_some() {
                names.insert(0, RESOLVER.to_owned());
            }
            self.record("resolver", json!(names), Some(&field));
        }
    }

    fn upstreams(&mut self) {
        let field = self.get("dnsUpstream");
        let mut names = match &field {
            Some(field) => match self.loader.texts(field) {
                Some(names) => names,
                None => return,
            },
            None => vec![],
        };
        names.retain(|name| !name.is_empty());
        self.record("dnsUpstreams", json!(names), field.as_ref());
    }

    fn services(&mut self) {
        let Some(field) = self.get("services") else {
            return self.record("services", json!([]), None);
        };
        if field.node().as_list().is_none() {
            return self.loader.wrong_type(&field, "a list", OnMistake::Refuse);
        }
        if let Some(names) = self.loader.texts(&field) {
            self.record("services", json!(names), Some(&field));
        }
    }

    fn interfaces(&mut self) {
        let field = self.get("lanIf");
        let names = match &field {
            Some(field) => self.loader.texts(field),
            None => Some(vec![]),
        };
        if let Some(names) = names {
            self.record("lanIf", json!(names), field.as_ref());
        }
    }
}

/// Starts the tunnel once a controller is reached. Of several tunnels the last one is used.
pub(super) fn run(loader: &mut Loader<'_>, root: &Section<'_>) {
    let items = root
        .get("listeners")
        .and_then(|field| field.items())
        .unwrap_or_default();
    let is_tunnel = |section: &Section<'_>| {
        section
            .get("binding")
            .is_some_and(|field| field.node().as_str() == Some("tunnel"))
    };
    let Some(section) = items.iter().filter_map(Field::as_section).rfind(is_tunnel) else {
        return;
    };
    let options = section.get("options").and_then(|field| field.as_section());
    let options = options.as_ref();
    let get = |name: &str| options.and_then(|options| options.get(name));
    let field = get("mode");
    let mode = field
        .as_ref()
        .and_then(|field| field.node().as_str())
        .unwrap_or("tproxy");
    loader.with_stage(Stage::Run, |loader| match mode {
        "host" => {},
        "proxy" => services(loader, get("services").as_ref()),
        _ => {
            range(loader, get("dnsSvcIpRange").as_ref());
            diverter(loader, field.as_ref(), mode);
            lan_interfaces(loader, get("lanIf").as_ref());
        },
    });
}

fn diverter(loader: &mut Loader<'_>, field: Option<&Field<'_>>, mode: &str) {
    if let (Some(field), Some("")) = (field, mode.strip_prefix("tproxy:")) {
        loader.refuse(
            field,
            codes::INVALID_VALUE,
            "the path of the program is missing",
        );
    }
}

fn range(loader: &mut Loader<'_>, field: Option<&Field<'_>>) {
    let Some(field) = field else { return };
    if let Some(text) = field.node().as_str()
        && !is_range(text)
    {
        let message = format!("`{text}` is not a range of addresses");
        loader.refuse(field, codes::INVALID_VALUE, message);
    }
}

fn lan_interfaces(loader: &mut Loader<'_>, field: Option<&Field<'_>>) {
    let Some(field) = field else { return };
    let items = field.items().unwrap_or_else(|| vec![field.clone()]);
    for item in items {
        if let Some(name) = item.node().as_str()
            && loader.machine.find_interface(name).is_err()
        {
            let message = format!("the network interface `{name}` does not exist");
            loader.item(field, &item, |loader| {
                loader.refuse(&item, codes::INVALID_VALUE, message);
            });
        }
    }
}

fn services(loader: &mut Loader<'_>, field: Option<&Field<'_>>) {
    let Some(field) = field else { return };
    for item in field.items().unwrap_or_default() {
        let Some(text) = item.node().as_str() else {
            continue;
        };
        if !is_service(text) {
            let message =
                format!("`{text}` is not `name:port`, `name:port:tcp` or `name:port:udp`");
            loader.item(field, &item, |loader| {
                loader.refuse(&item, codes::INVALID_VALUE, message);
            });
        }
    }
}

fn is_service(text: &str) -> bool {
    match text.split(':').collect::<Vec<_>>().as_slice() {
        [_, port] | [_, port, "tcp" | "udp"] => is_integer(port),
        _ => false,
    }
}
