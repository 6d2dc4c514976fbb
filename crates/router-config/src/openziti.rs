//! The verdict of OpenZiti: what `ziti router run` of OpenZiti 2.1 does with a file.
//!
//! OpenZiti reads the file in three stages. It loads the sections one after the other and stops at
//! the first mistake; it starts health checks, links, listeners and web servers; and once a controller
//! is reached, it starts the tunnel. A value of a wrong type is refused by some keys, ignored by others,
//! and ends the process with a stack trace at the rest. The verdict is that of the first mistake it
//! would meet; the findings name all of them.

mod address;
mod background;
mod channel;
mod ctrl;
mod edge;
mod identity;
mod link;
mod link_entries;
mod listeners;
mod loader;
mod machine;
mod network;
mod pool;
mod sections;
mod sharing;
mod silent;
mod tunnel;
mod value;
mod web;
mod wss;

use portcullis_yaml::{Diagnostic, Diagnostics, KeyPath, Section, Severity};

use crate::codes;
use crate::effective::Effective;
use crate::finding::{Effect, Finding, Stage, Verdict};
use crate::openziti::loader::Loader;
use crate::source::{self, Text};

pub(crate) use crate::openziti::identity::{Material, place_of};
pub use crate::openziti::machine::Machine;
pub(crate) use crate::openziti::machine::could_be_interface;
pub(crate) use crate::openziti::network::{Owner, Socket, Sockets};
pub(crate) use crate::openziti::tunnel::is_range;

/// What OpenZiti does with a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// What becomes of the file.
    pub verdict: Verdict,
    /// When; `None` when it is accepted.
    pub stage: Option<Stage>,
    /// All reasons in the order in which OpenZiti would meet them, then warnings.
    pub findings: Vec<Finding>,
}

/// Says what OpenZiti does with `text` on `machine`. `lookup` gives environment variables.
pub fn judge(
    text: &Text<'_>,
    machine: &Machine<'_>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> Judgement {
    read(Loader::new(machine), text, lookup).0
}

/// As [`judge`], with the values that OpenZiti goes on with, as far as it gets.
pub fn load(
    text: &Text<'_>,
    machine: &Machine<'_>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> (Judgement, Effective) {
    read(Loader::new(machine).with_defaults(), text, lookup)
}

fn read(
    mut loader: Loader<'_>,
    text: &Text<'_>,
    lookup: &dyn Fn(&str) -> Option<String>,
) -> (Judgement, Effective) {
    let mut diagnostics = Diagnostics::default();
    match source::read(text, lookup, &mut diagnostics) {
        Err(unreadable) => {
            // An empty document is no error to OpenZiti's parser, but it then writes into nothing.
            loader.push(unreadable.diagnostic, Verdict::Refuse);
        },
        Ok(root) if root.is_null() => {
            let message = "the document is empty";
            let diagnostic = Diagnostic::new(
                Severity::Error,
                codes::EMPTY_DOCUMENT,
                KeyPath::root(),
                root.place,
                message,
            );
            loader.push(diagnostic, Verdict::Crash);
        },
        Ok(root) => {
            if let Some(section) = Section::root(&root, &mut Diagnostics::default()) {
                run(&mut loader, &section, text);
                let silent = silent::warnings(&mut loader, &section).into_iter();
                diagnostics
                    .extend(silent.filter(|key| !edge::reads_in_any_case(&section, &key.path)));
            } else {
                let message = format!("the file must be a map of keys, not {}", root.kind());
                let diagnostic = Diagnostic::new(
                    Severity::Error,
                    codes::WRONG_TYPE,
                    KeyPath::root(),
                    root.place,
                    message,
                );
                loader.push(diagnostic, Verdict::Refuse);
            }
        },
    }
    loader.finish(diagnostics.into_sorted())
}

fn run(loader: &mut Loader<'_>, root: &Section<'_>, text: &Text<'_>) {
    read_sections(loader, root, text);
    loader.stage = Stage::Start;
    start(loader, root);
}

/// Everything that is read before anything is opened, in the order of OpenZiti.
fn read_sections(loader: &mut Loader<'_>, root: &Section<'_>, text: &Text<'_>) {
    sections::version(loader, root);
    identity::load(loader, root);
    sections::debug_operations(loader, root);
    sections::forwarder(loader, root);
    sections::trace(loader, root);
    sections::profile(loader, root);
    ctrl::load(loader, root, text.name);
    link::load(loader, root);
    listeners::load_dialers(loader, root);
    listeners::load(loader, root);
    sections::metrics(loader, root);
    sections::health_checks(loader, root);
    sections::plugins(loader, root);
    sections::proxy(loader, root);
    sections::tls(loader, root);
    sections::connect_events(loader, root);
    edge::load(loader, root, text.name);
    listeners::check_advertised(loader, root);
    sections::interface_discovery(loader, root);
    sections::managed_config(loader, root);
}

/// Everything that is opened, in the order of OpenZiti, and what happens in the background.
fn start(loader: &mut Loader<'_>, root: &Section<'_>) {
    background::queues(loader, root);
    background::health_checks(loader, root);
    background::transport(loader, root);
    edge::start(loader, root);
    let points = web::start(loader, root);
    background::plugins(loader, root);
    link::start(loader, root);
    listeners::start(loader, root);
    web::run(loader, &points);
    ctrl::start(loader, root);
    background::reports(loader, root);
    identity::run(loader, root);
    background::run(loader, root);
    tunnel::run(loader, root);
}

impl Loader<'_> {
    fn finish(self, warnings: Vec<Diagnostic>) -> (Judgement, Effective) {
        let Self {
            mut findings,
            effective,
            ..
        } = self;
        findings.sort_by_key(|finding| finding.effect.map(|effect| effect.stage));
        let first = findings.first().and_then(|finding| finding.effect);
        let remarks = warnings.into_iter().map(|mut diagnostic| {
            diagnostic.severity = diagnostic.severity.max(Severity::Warning);
            Finding {
                diagnostic,
                effect: None,
            }
        });
        findings.extend(remarks);
        let judgement = Judgement {
            verdict: first.map_or(Verdict::Accept, |effect| effect.verdict),
            stage: first.map(|Effect { stage, .. }| stage),
            findings,
        };
        (judgement, effective)
    }
}
