//! Section `ctrl`.

use portcullis_yaml::{Field, Section};
use serde_json::{Value as Json, json};

use crate::codes;
use crate::finding::Verdict;
use crate::network::SocketOwner;
use crate::openziti::address::Address;
use crate::openziti::channel::{self, BoundsCheck, record};
use crate::openziti::loader::{Loader, section_if_map};
use crate::openziti::{queue_memory, value};
use crate::table::{CTRL, Key, OnMistake, RATE_LIMITER};

pub(super) fn load(loader: &mut Loader<'_>, root: &Section<'_>, file: &str) {
    let section = section_if_map(root, "ctrl");
    let section = section.as_ref();
    let get = |name: &str| section.and_then(|section| section.get(name));
    bind(loader, get("bind").as_ref());
    endpoints(loader, get("endpoint").as_ref(), get("endpoints").as_ref());
    let options = get("options").and_then(|field| field.as_section());
    channel::options(
        loader,
        options.as_ref(),
        "ctrl.options",
        BoundsCheck::Checked,
        4,
    );
    let order = ["heartbeats", "defaultRequestTimeout", "startupTimeout"];
    loader.named(section, CTRL, &order, "ctrl");
    if section.is_some() {
        endpoints_file(loader, get("endpointsFile").as_ref(), file);
        rate_limiter(loader, get("rateLimiter").as_ref());
    } else {
        loader.effective.set_default("ctrl.endpointsFile", "");
        record_disabled_limiter(loader);
    }
    listeners(loader, get("listeners").as_ref());
}

fn bind(loader: &mut Loader<'_>, field: Option<&Field<'_>>) {
    loader.effective.set_default("ctrl.bind", "");
    let Some(field) = field else { return };
    let Some(name) = loader.text(field, OnMistake::Crash) else {
        return;
    };
    if loader.machine.find_interface(name).is_err() {
        let message = format!("the network interface `{name}` does not exist");
        return loader.refuse(field, codes::INVALID_VALUE, message);
    }
    loader.set_from_file("ctrl.bind".to_owned(), json!(name), field);
}

fn endpoints(loader: &mut Loader<'_>, one: Option<&Field<'_>>, many: Option<&Field<'_>>) {
    loader
        .effective
        .set_default("ctrl.endpoints", Json::Array(vec![]));
    if let Some(field) = one {
        if let Some(text) = loader.text(field, OnMistake::Crash)
            && let Some(address) = parse_address(loader, field, text)
        {
            let value = json!([address.to_string()]);
            loader.set_from_file("ctrl.endpoints".to_owned(), value, field);
        }
        return;
    }
    let Some(field) = many else { return };
    let Some(items) = loader.list(field) else {
        return;
    };
    let mut addresses = Vec::new();
    for item in items {
        let address = loader.item(field, &item, |loader| {
            let text = loader.text(&item, OnMistake::Refuse)?;
            parse_address(loader, &item, text)
        });
        addresses.extend(address.map(|address| json!(address.to_string())));
    }
    loader.set_from_file("ctrl.endpoints".to_owned(), addresses.into(), field);
}

/// Parses an address, or reports a mistake and returns `None`.
pub(super) fn parse_address(
    loader: &mut Loader<'_>,
    field: &Field<'_>,
    text: &str,
) -> Option<Address> {
    let address = Address::parse(text);
    if address.is_none() {
        let message = format!("`{text}` is not an address");
        loader.refuse(field, codes::INVALID_VALUE, message);
    }
    address
}

fn endpoints_file(loader: &mut Loader<'_>, field: Option<&Field<'_>>, file: &str) {
    let path = "ctrl.endpointsFile".to_owned();
    if let Some(field) = field {
        if let Some(text) = loader.text(field, OnMistake::Crash) {
            loader.set_from_file(path, json!(text), field);
        }
    } else {
        let folder = file
            .rfind('/')
            .map_or("", |at| file.get(..=at).unwrap_or_default());
        loader
            .effective
            .set_default(&path, format!("{folder}endpoints.yml"));
    }
}

fn rate_limiter(loader: &mut Loader<'_>, field: Option<&Field<'_>>) {
    let section = field.and_then(Field::as_section);
    if let (Some(field), None) = (field, &section) {
        return loader.wrong_type(field, "a map", OnMistake::Refuse);
    }
    let prefix = "ctrl.rateLimiter";
    let section = section.as_ref();
    let window = |loader: &mut Loader<'_>, name: &str, default: u32| {
        let field = section.and_then(|section| section.get(name));
        let read = field.as_ref().and_then(|field| {
            let number = value::integer(field.node());
            if number.is_none() {
                loader.wrong_type(field, "an integer", OnMistake::Refuse);
            }
            number.map(value::low32)
        });
        let size = read.unwrap_or(default);
        record(
            loader,
            format!("{prefix}.{name}"),
            json!(size),
            field.as_ref().filter(|_| read.is_some()),
        );
        (size, field)
    };
    let enabled = |key: &&Key| key.name == "enabled";
    loader.keys(section, RATE_LIMITER.get(..1).unwrap_or_default(), prefix);
    let (max, max_field) = window(loader, "maxSize", 250);
    let (min, min_field) = window(loader, "minSize", 1);
    if let Some(section) = section {
        check_window(loader, section, (min, min_field), (max, max_field));
    }
    for key in RATE_LIMITER.iter().filter(|key| !enabled(key)) {
        loader.key(section, key, prefix);
        bounds(loader, section, key);
    }
}

fn check_window(
    loader: &mut Loader<'_>,
    section: &Section<'_>,
    (min, min_field): (u32, Option<Field<'_>>),
    (max, max_field): (u32, Option<Field<'_>>),
) {
    for (size, field) in [(max, &max_field), (min, &min_field)] {
        if let Some(field) = field
            && value::integer(field.node()).is_some()
            && !(5..=1_000).contains(&size)
        {
            loader.out_of_bounds(field, &size.to_string(), "from 5 to 1000");
        }
    }
    match min_field {
        None => loader.missing(section, "minSize", Verdict::Refuse),
        Some(field) if min > max => {
            let message = format!("`minSize` is {min} and `maxSize` is {max}");
            loader.refuse(&field, codes::CONFLICT, message);
        },
        Some(_) => {},
    }
}

fn bounds(loader: &mut Loader<'_>, section: Option<&Section<'_>>, key: &Key) {
    let field = section.and_then(|section| section.get(key.name));
    let number = field.as_ref().and_then(|field| value::float(field.node()));
    let (Some(field), Some(number)) = (field, number) else {
        return;
    };
    // NaN is neither too small nor too large.
    let (wrong, bound) = match key.name {
        "successThreshold" => {
            let fits = number.is_nan() || (0.0..=1.0).contains(&number);
            (!fits, "from 0 to 1")
        },
        "increaseFactor" => (number < 1.0, "at least 1"),
        "decreaseFactor" => (
            number <= 0.0 || number >= 1.0,
            "more than 0 and less than 1",
        ),
        _ => return,
    };
    if wrong {
        loader.out_of_bounds(&field, &number.to_string(), bound);
    }
}

/// Without the section, the defaults of the limiter are not filled in.
fn record_disabled_limiter(loader: &mut Loader<'_>) {
    for key in RATE_LIMITER {
        let value = match key.name {
            "enabled" => json!(false),
            "timeout" => json!("0s"),
            _ => json!(0),
        };
        loader
            .effective
            .set_default(&format!("ctrl.rateLimiter.{}", key.name), value);
    }
}

fn listeners(loader: &mut Loader<'_>, field: Option<&Field<'_>>) {
    let Some(field) = field else { return };
    let items = loader.list(field).unwrap_or_default();
    for (index, item) in items.iter().enumerate() {
        if let Some(section) = loader.section(item, OnMistake::Refuse) {
            listener(loader, &section, &format!("ctrl.listeners[{index}]"));
        }
    }
}

fn listener(loader: &mut Loader<'_>, section: &Section<'_>, prefix: &str) {
    let bind = section.get("bind");
    if bind.is_none() {
        loader.missing(section, "bind", Verdict::Refuse);
    }
    let advertise = section.get("advertise");
    let mut read = |field: &Field<'_>| {
        let text = loader.text(field, OnMistake::Refuse)?;
        parse_address(loader, field, text)
    };
    let bind_address = bind.as_ref().and_then(&mut read);
    let advertise_address = match &advertise {
        Some(field) => read(field),
        None => bind_address.clone(),
    };
    for (name, address, field) in [
        ("bind", &bind_address, bind.as_ref()),
        ("advertise", &advertise_address, advertise.as_ref()),
    ] {
        if let Some(address) = address {
            let path = format!("{prefix}.{name}");
            record(loader, path, json!(address.to_string()), field);
        }
    }
    let interface = section.get("bindInterface");
    let name = match &interface {
        Some(field) => loader.text(field, OnMistake::Refuse).map(str::to_owned),
        None => bind_address.map(|bound| interface_of(loader, &bound)),
    };
    if let Some(name) = name {
        record(
            loader,
            format!("{prefix}.bindInterface"),
            json!(name),
            interface.as_ref(),
        );
    }
    groups(loader, section.get("groups").as_ref(), prefix);
    let options = section.get("options").and_then(|field| field.as_section());
    channel::options(
        loader,
        options.as_ref(),
        &format!("{prefix}.options"),
        BoundsCheck::Unchecked,
        4,
    );
}

/// Finds the interface that has the address.
pub(super) fn interface_of(loader: &Loader<'_>, address: &Address) -> String {
    let host = address
        .host_port
        .as_ref()
        .map_or("", |place| place.host.as_str());
    loader
        .machine
        .find_interface(host)
        .unwrap_or_default()
        .to_owned()
}

fn groups(loader: &mut Loader<'_>, field: Option<&Field<'_>>, prefix: &str) {
    let path = format!("{prefix}.groups");
    let Some(field) = field else {
        return loader.effective.set_default(&path, Json::Array(vec![]));
    };
    if let Some(text) = field.node().as_str() {
        return loader.set_from_file(path, json!([text]), field);
    }
    let Some(items) = field.items() else {
        return loader.wrong_type(field, "a string or a list", OnMistake::Refuse);
    };
    let text = |item: &Field<'_>| item.node().text().unwrap_or_default().to_owned();
    let names: Vec<String> = items.iter().map(text).collect();
    loader.set_from_file(path, json!(names), field);
}

pub(super) fn start(loader: &mut Loader<'_>, root: &Section<'_>) {
    let section = section_if_map(root, "ctrl");
    let file = section
        .as_ref()
        .and_then(|section| section.get("endpointsFile"));
    match (&section, file) {
        (None, _) => match root.get_non_null("ctrl") {
            Some(field) => loader.wrong_type(&field, "a map", OnMistake::Refuse),
            None => loader.missing(root, "ctrl", Verdict::Refuse),
        },
        (Some(_), Some(field)) if field.node().as_str() == Some("") => {
            loader.refuse(&field, codes::INVALID_VALUE, "the file has no name");
        },
        _ => {},
    }
    let items = section.and_then(|section| section.get("listeners")?.items());
    for item in items.unwrap_or_default() {
        let Some(section) = item.as_section() else {
            continue;
        };
        if let Some(bind) = section.get("bind")
            && let Some(address) = bind.node().as_str().and_then(Address::parse)
            && queue_memory::check_workers(loader, &section, value::integer)
        {
            loader.listen(&bind, &address, SocketOwner::Ctrl);
        }
    }
}
