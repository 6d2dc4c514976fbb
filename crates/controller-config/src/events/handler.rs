//! `events.NAME.handler`: where events are written.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use portcullis_events::BURST_EVENTS;
use portcullis_yaml::{Diagnostics, Field, Section, codes};

use crate::keys::{Key, KeyGroup, StringFormat, ValueType};
use crate::relative_paths::BaseFolders;

/// Where events are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventOutput {
    File(EventFileConfig),
    /// Standard output.
    Stdout,
}

/// A file with events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventFileConfig {
    pub path: PathBuf,
    /// Size in bytes beyond which a new file is begun.
    pub max_bytes: u64,
    /// Number of former files that are kept; `None` for all.
    pub max_backups: Option<usize>,
}

/// A handler.
pub(super) struct Handler {
    pub(super) capacity: usize,
    /// `None` for one without effect.
    pub(super) output: Option<EventOutput>,
}

/// Minimum number of events that may wait for an output, whatever `bufferSize` says: there, a full buffer
/// delays who tells of events, and here it costs events. One report of a router fits in.
pub const MIN_WAITING_EVENTS: u32 = BURST_EVENTS;

const WAITING_RANGE: RangeInclusive<u32> = 0..=1_000_000;
const MEGABYTES_RANGE: RangeInclusive<u32> = 1..=1_048_576;
const BACKUPS_RANGE: RangeInclusive<u32> = 0..=1_000_000;
const DEFAULT_MEGABYTES: u32 = 10;
const DEFAULT_BACKUPS: u32 = 0;
const BYTES_PER_MEGABYTE: u64 = 1 << 20;

const NO_BROKERS: &str = "Portcullis does not send events to message brokers";

#[derive(Clone, Copy)]
enum HandlerType {
    File,
    Stdout,
    Broker,
}

const TYPES: [(&str, HandlerType); 4] = [
    ("file", HandlerType::File),
    ("stdout", HandlerType::Stdout),
    ("amqp", HandlerType::Broker),
    ("servicebus", HandlerType::Broker),
];

/// Keys of files alone.
const FILE_KEYS: [&str; 3] = ["path", "maxsizemb", "maxbackups"];

pub(super) const KEYS: KeyGroup = &[
    Key::new(
        "type",
        ValueType::Enum(&["file", "stdout", "amqp", "servicebus"]),
        "What takes the events. `amqp` and `servicebus` have no effect: write events to a file, and have a \
         program that ships logs send its lines on.",
    )
    .required()
    .example("file"),
    Key::new(
        "format",
        ValueType::EnumIgnoreCase(&["json"]),
        "How events are written. There is one way.",
    )
    .required()
    .example("json"),
    Key::new(
        "path",
        ValueType::String(StringFormat::Path),
        "File for `type: file`, which needs one. It is created if it does not exist, and created again when it \
         was moved or removed.",
    )
    .example("/var/log/ziti/events.json"),
    Key::count(
        "bufferSize",
        *WAITING_RANGE.start() as i64,
        *WAITING_RANGE.end() as i64,
        "How many events may wait to be written. What comes while so many wait is dropped and counted; with \
         OpenZiti it waits, and everything else with it. Less than 65536 counts as 65536, \
         since as many can come at once. All together have 64 MiB at most.",
    )
    .default("65536")
    .example("100000"),
    Key::count(
        "maxsizemb",
        *MEGABYTES_RANGE.start() as i64,
        *MEGABYTES_RANGE.end() as i64,
        "Size of a file, in MiB. Before it grows beyond that, it is renamed to its name with the time, as in \
         `events-2026-11-22T23-11-09.500.json`, and a new one is begun.",
    )
    .default("10")
    .example("100"),
    Key::count(
        "maxbackups",
        *BACKUPS_RANGE.start() as i64,
        *BACKUPS_RANGE.end() as i64,
        "How many renamed files are kept; 0 keeps all.",
    )
    .default("0")
    .example("5"),
    Key::dead("url", NO_BROKERS),
    Key::dead("queue", NO_BROKERS),
    Key::dead("durable", NO_BROKERS),
    Key::dead("autoDelete", NO_BROKERS),
    Key::dead("exclusive", NO_BROKERS),
    Key::dead("noWait", NO_BROKERS),
    Key::dead("connectionString", NO_BROKERS),
    Key::dead("topic", NO_BROKERS),
];

/// Whether a handler of this type has no effect.
pub(crate) fn is_ignored(name: &str) -> bool {
    let mut known = TYPES.iter();
    known.any(|(known, kind)| *known == name && matches!(kind, HandlerType::Broker))
}

/// Keys that have no effect with a type of handler.
pub(super) fn unused_keys(name: &str) -> &'static [&'static str] {
    let known = TYPES.iter().find(|(known, _)| *known == name);
    match known {
        Some((_, HandlerType::Stdout)) => &FILE_KEYS,
        _ => &[],
    }
}

pub(super) fn read(
    field: &Field<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<Handler> {
    let section = field.section(diagnostics)?;
    section.check_keys(KEYS, diagnostics);
    let kind = section.require("type", "file", diagnostics);
    let kind = kind.and_then(|field| {
        let kind = field.one_of(&TYPES, diagnostics)?;
        Some((field, kind))
    });
    let format = section
        .require("format", "json", diagnostics)
        .and_then(|field| check_format(&field, diagnostics));
    let capacity = number(
        &section,
        "bufferSize",
        WAITING_RANGE,
        MIN_WAITING_EVENTS,
        diagnostics,
    );
    let file = read_file_keys(&section, folders, diagnostics);
    let (field, kind) = kind?;
    let output = match kind {
        HandlerType::File => Some(EventOutput::File(
            file?.require_path(&section, diagnostics)?,
        )),
        HandlerType::Stdout => {
            warn_of_file_keys(&section, diagnostics);
            file?;
            Some(EventOutput::Stdout)
        },
        HandlerType::Broker => {
            field
                .warning(
                    codes::IGNORED_KEY,
                    format!("`{}` has no effect: {NO_BROKERS}", section.path()),
                    diagnostics,
                )
                .help(
                    "write `type: file`, and have a program that ships logs send the lines of the file on",
                );
            None
        },
    };
    format?;
    let capacity = capacity?.max(MIN_WAITING_EVENTS);
    Some(Handler {
        capacity: usize::try_from(capacity).unwrap_or(usize::MAX),
        output,
    })
}

/// Keys of a file, as far as they are there.
struct FileKeys {
    path: Option<PathBuf>,
    megabytes: u32,
    backups: u32,
}

impl FileKeys {
    fn require_path(
        self,
        section: &Section<'_>,
        diagnostics: &mut Diagnostics,
    ) -> Option<EventFileConfig> {
        let Some(path) = self.path else {
            section.report_missing("path", "events.json", diagnostics);
            return None;
        };
        let backups = usize::try_from(self.backups).unwrap_or(usize::MAX);
        Some(EventFileConfig {
            path,
            max_bytes: u64::from(self.megabytes) * BYTES_PER_MEGABYTE,
            max_backups: (backups > 0).then_some(backups),
        })
    }
}

fn read_file_keys(
    section: &Section<'_>,
    folders: &BaseFolders,
    diagnostics: &mut Diagnostics,
) -> Option<FileKeys> {
    let path = match section.get_non_null("path") {
        None => Some(None),
        Some(field) => {
            let path = field.non_empty(diagnostics);
            path.map(|path| Some(folders.resolve(&field, path)))
        },
    };
    let megabytes = number(
        section,
        "maxsizemb",
        MEGABYTES_RANGE,
        DEFAULT_MEGABYTES,
        diagnostics,
    );
    let backups = number(
        section,
        "maxbackups",
        BACKUPS_RANGE,
        DEFAULT_BACKUPS,
        diagnostics,
    );
    Some(FileKeys {
        path: path?,
        megabytes: megabytes?,
        backups: backups?,
    })
}

fn warn_of_file_keys(section: &Section<'_>, diagnostics: &mut Diagnostics) {
    for field in FILE_KEYS
        .iter()
        .filter_map(|name| section.get_non_null(name))
    {
        let message = format!(
            "`{}` has no effect: what goes to standard output is in no file",
            field.path()
        );
        let place = field.key_location();
        diagnostics.warning(codes::IGNORED_KEY, field.path(), place, message);
    }
}

fn check_format(field: &Field<'_>, diagnostics: &mut Diagnostics) -> Option<()> {
    let format = field.string(diagnostics)?;
    if format.eq_ignore_ascii_case("json") {
        return Some(());
    }
    let message = format!("`{}` must not be `{format}`", field.path());
    let error = field.error(codes::INVALID_VALUE, message, diagnostics);
    error.help("write `json`; there is no other format");
    None
}

/// Reads a number that may be absent.
fn number(
    section: &Section<'_>,
    name: &str,
    range: RangeInclusive<u32>,
    default: u32,
    diagnostics: &mut Diagnostics,
) -> Option<u32> {
    match section.get_non_null(name) {
        Some(field) => field.integer(range, diagnostics),
        None => Some(default),
    }
}
