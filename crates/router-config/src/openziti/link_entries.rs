//! Entries of `link.listeners` and `link.dialers`.
//!
//! OpenZiti first decodes an entry into a struct, where a value of the wrong type is refused and an
//! empty string counts as absent, and then validates the struct. Both passes are one here, since a
//! mistake is refused in either.

use portcullis_yaml::syntax::GoDuration;
use portcullis_yaml::{Field, Section};
use serde_json::json;

use crate::codes;
use crate::openziti::address::Address;
use crate::openziti::channel::{check_connect_timeout, record};
use crate::openziti::ctrl::{interface_of, parse_address};
use crate::openziti::loader::Loader;
use crate::openziti::value;
use crate::table::{BACKOFF_HEALTHY, BACKOFF_UNHEALTHY, KeyGroup, OnMistake};

const HOUR: i64 = 3_600_000_000_000;

/// Reader of one entry, which records effective values below `prefix`.
pub(super) struct EntryReader<'entry, 'a, 'tree> {
    loader: &'entry mut Loader<'a>,
    section: &'entry Section<'tree>,
    prefix: String,
}

impl<'entry, 'a, 'tree> EntryReader<'entry, 'a, 'tree> {
    pub(super) fn new(
        loader: &'entry mut Loader<'a>,
        section: &'entry Section<'tree>,
        prefix: String,
    ) -> Self {
        Self {
            loader,
            section,
            prefix,
        }
    }

    /// Reads a string; an empty one counts as absent.
    fn text(&mut self, section: &Section<'tree>, name: &str) -> Option<(Field<'tree>, &'tree str)> {
        let field = section.get(name)?;
        let text = self.loader.text(&field, OnMistake::Refuse)?;
        (!text.is_empty()).then_some((field, text))
    }

    fn section_of(&mut self, name: &str) -> Option<Section<'tree>> {
        let field = self.section.get(name)?;
        self.loader.section(&field, OnMistake::Refuse)
    }

    /// Reads an integer within bounds; a float without a fraction is accepted.
    fn whole_number(
        &mut self,
        section: Option<&Section<'tree>>,
        name: &str,
        bounds: (i64, i64),
    ) -> Option<(Field<'tree>, i64)> {
        let field = section?.get(name)?;
        let Some(number) = value::whole_number(field.node()) else {
            self.loader
                .wrong_type(&field, "an integer", OnMistake::Refuse);
            return None;
        };
        if number < bounds.0 || number > bounds.1 {
            let bound = format!("from {} to {}", bounds.0, bounds.1);
            self.loader
                .out_of_bounds(&field, &number.to_string(), &bound);
        }
        Some((field, number))
    }

    fn record(&mut self, name: &str, value: serde_json::Value, field: Option<&Field<'_>>) {
        record(self.loader, format!("{}.{name}", self.prefix), value, field);
    }

    fn record_whole(
        &mut self,
        section: Option<&Section<'tree>>,
        prefix: &str,
        (name, bounds, default): (&str, (i64, i64), i64),
    ) {
        let read = self.whole_number(section, name, bounds);
        let number = read.as_ref().map_or(default, |(_, number)| *number);
        let field = read.as_ref().map(|(field, _)| field);
        self.record(&format!("{prefix}{name}"), json!(number), field);
    }

    fn check_binding(&mut self) {
        if let Some(field) = self.section.get("binding")
            && let Some(name) = field.node().as_str()
            && !matches!(name, "" | "transport")
        {
            let message = format!("unknown kind of link `{name}`; use `transport`");
            self.loader.refuse(&field, codes::INVALID_VALUE, message);
        }
    }

    fn groups(&mut self) {
        let Some(field) = self.section.get("groups") else {
            return self.record("groups", json!(["default"]), None);
        };
        match self.loader.texts(&field) {
            Some(names) if names.is_empty() => self.record("groups", json!(["default"]), None),
            Some(names) => self.record("groups", json!(names), Some(&field)),
            None => {},
        }
    }

    fn options(&mut self) {
        let section = self.section_of("options");
        let section = section.as_ref();
        let any = i64::MAX;
        for row in [
            ("outQueueSize", (0, any), 64),
            ("maxQueuedConnects", (0, any), 1),
            ("maxOutstandingConnects", (1, any), 16),
        ] {
            self.record_whole(section, "options.", row);
        }
        let queue = format!("{}.options.outQueueSize", self.prefix);
        if self
            .loader
            .effective
            .get(&queue)
            .is_some_and(|setting| setting.value == json!(4))
        {
            self.record("options.outQueueSize", json!(64), None);
        }
        self.connect_timeout(section);
        let write = section.and_then(|section| self.text(section, "writeTimeout"));
        self.record_duration("options.writeTimeout", write, 0);
    }

    fn connect_timeout(&mut self, section: Option<&Section<'tree>>) {
        let five = 5_000_000_000;
        let Some(section) = section else {
            return self.record("options.connectTimeout", value::duration(five), None);
        };
        let given = section
            .get("connectTimeout")
            .map(|field| field.node().as_str() != Some(""));
        let read = match given {
            Some(true) => self
                .text(section, "connectTimeout")
                .and_then(|(field, text)| {
                    let duration = self.loader.parse_duration(&field, text)?;
                    Some((field, duration.nanoseconds()))
                }),
            _ => self
                .whole_number(Some(section), "connectTimeoutMs", (i64::MIN, i64::MAX))
                .map(|(field, ms)| (field, ms.wrapping_mul(1_000_000))),
        };
        if let Some((field, nanoseconds)) = &read {
            check_connect_timeout(self.loader, field, *nanoseconds);
        }
        let nanoseconds = read.as_ref().map_or(five, |(_, nanoseconds)| *nanoseconds);
        let field = read.as_ref().map(|(field, _)| field);
        self.record(
            "options.connectTimeout",
            value::duration(nanoseconds),
            field,
        );
    }

    /// Records an optional duration and returns it.
    fn record_duration(
        &mut self,
        name: &str,
        read: Option<(Field<'tree>, &'tree str)>,
        default: i64,
    ) -> Option<(Field<'tree>, GoDuration)> {
        let parsed = read.and_then(|(field, text)| {
            let duration = self.loader.parse_duration(&field, text)?;
            Some((field, duration))
        });
        let nanoseconds = parsed
            .as_ref()
            .map_or(default, |(_, duration)| duration.nanoseconds());
        let field = parsed.as_ref().map(|(field, _)| field);
        self.record(name, value::duration(nanoseconds), field);
        parsed
    }

    fn backoff(&mut self, name: &str, defaults: KeyGroup) {
        let section = self.section_of(name);
        let section = section.as_ref();
        let default = |wanted: &str| {
            defaults
                .iter()
                .find(|key| key.name == wanted)
                .and_then(|key| key.default)
                .unwrap_or("0")
        };
        self.factor(section, name, default("retryBackoffFactor"));
        let mut bounds = Vec::new();
        for wanted in ["minRetryInterval", "maxRetryInterval"] {
            let standard: GoDuration = default(wanted).parse().unwrap_or_default();
            let read = section.and_then(|section| self.text(section, wanted));
            let path = format!("{name}.{wanted}");
            let parsed = self.record_duration(&path, read, standard.nanoseconds());
            if let Some((field, duration)) = &parsed
                && !(10_000_000..=24 * HOUR).contains(&duration.nanoseconds())
            {
                self.loader
                    .out_of_bounds(field, &duration.to_string(), "from 10ms to 24h");
                continue;
            }
            bounds.push((
                parsed.as_ref().map(|(field, _)| field.clone()),
                parsed.map_or(standard, |(_, d)| d),
            ));
        }
        if let [(least_field, least), (most_field, most)] = bounds.as_slice()
            && least > most
            && let Some(field) = least_field.as_ref().or(most_field.as_ref())
        {
            let message = format!("the shortest pause is {least}, the longest {most}");
            self.loader.refuse(field, codes::CONFLICT, message);
        }
    }

    fn factor(&mut self, section: Option<&Section<'tree>>, name: &str, default: &str) {
        let path = format!("{name}.retryBackoffFactor");
        let Some(field) = section.and_then(|section| section.get("retryBackoffFactor")) else {
            let number = default.parse().unwrap_or_default();
            return self.record(&path, value::float_json(number), None);
        };
        match value::number(field.node()) {
            None => self
                .loader
                .wrong_type(&field, "a number", OnMistake::Refuse),
            Some(number) if !number.is_finite() || !(1.0..=100.0).contains(&number) => {
                self.loader
                    .out_of_bounds(&field, &number.to_string(), "from 1 to 100");
            },
            Some(number) => self.record(&path, value::float_json(number), Some(&field)),
        }
    }
}

/// Reads a listener and returns the address that it opens.
pub(super) fn listener(entry: &mut EntryReader<'_, '_, '_>) -> Option<Address> {
    entry.check_binding();
    let section = entry.section;
    let bind = entry.text(section, "bind");
    let advertise = entry.text(section, "advertise");
    let interface = entry.text(section, "bindInterface");
    entry.groups();
    entry.options();
    if bind.is_none() {
        match section.get("bind") {
            Some(field) if field.node().as_str() == Some("") => {
                entry
                    .loader
                    .refuse(&field, codes::INVALID_VALUE, "this must not be empty");
            },
            Some(_) => {},
            None => entry
                .loader
                .missing(section, "bind", crate::finding::Verdict::Refuse),
        }
    }
    let bind_address = bind
        .as_ref()
        .and_then(|(field, text)| parse_address(entry.loader, field, text));
    let advertise_address = match &advertise {
        Some((field, text)) => parse_address(entry.loader, field, text),
        None => bind_address.clone(),
    };
    let ((field, _), bound, told) = (bind?, bind_address?, advertise_address?);
    entry.record("bind", json!(bound.to_string()), Some(&field));
    entry.record("linkProtocol", json!(bound.protocol), Some(&field));
    let advertised = advertise.as_ref().map(|(field, _)| field);
    entry.record("advertise", json!(told.to_string()), advertised);
    let name = match &interface {
        Some((_, name)) => (*name).to_owned(),
        None => interface_of(entry.loader, &bound),
    };
    entry.record(
        "bindInterface",
        json!(name),
        interface.as_ref().map(|(field, _)| field),
    );
    Some(bound)
}

pub(super) fn dialer(entry: &mut EntryReader<'_, '_, '_>) {
    entry.check_binding();
    let section = entry.section;
    entry.record_whole(Some(section), "", ("maxDefaultConnections", (1, 100), 3));
    entry.record_whole(Some(section), "", ("maxAckConnections", (0, 100), 1));
    match section.get("split") {
        None => entry.record("split", json!(true), None),
        Some(field) => match field.node().as_bool() {
            Some(split) => entry.record("split", json!(split), Some(&field)),
            None => entry
                .loader
                .wrong_type(&field, "a boolean", OnMistake::Refuse),
        },
    }
    let delay = entry.text(section, "startupDelay");
    let delay = entry.record_duration("startupDelay", delay, 3_000_000_000);
    if let Some((field, duration)) = delay
        && duration.nanoseconds() < 0
    {
        entry
            .loader
            .out_of_bounds(&field, &duration.to_string(), "at least 0s");
    }
    let named = entry.text(section, "bindInterface");
    let unnamed = named.is_none()
        && section
            .get("bindInterface")
            .is_none_or(|field| field.node().as_str().is_some());
    let bind = named.or_else(|| {
        if unnamed {
            entry.text(section, "bind")
        } else {
            None
        }
    });
    let name = bind.as_ref().map_or("", |(_, name)| name);
    if let Some((field, name)) = &bind
        && entry.loader.machine.find_interface(name).is_err()
    {
        let message = format!("the network interface `{name}` does not exist");
        entry.loader.refuse(field, codes::INVALID_VALUE, message);
    }
    entry.record(
        "localBinding",
        json!(name),
        bind.as_ref().map(|(field, _)| field),
    );
    entry.groups();
    entry.backoff("healthyDialBackoff", BACKOFF_HEALTHY);
    entry.backoff("unhealthyDialBackoff", BACKOFF_UNHEALTHY);
    entry.options();
}
