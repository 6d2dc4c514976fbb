//! Prediction of what `ziti router run` of OpenZiti 2.1 does with a file.
//!
//! OpenZiti uses the file in three stages. It loads the sections one after the other and stops at the
//! first mistake; it starts health checks, links, listeners and web servers; and once a controller is
//! reached, it starts the tunnel. A value of the wrong type is refused by some keys, ignored by others,
//! and crashes the process for the rest. The verdict is that of the first mistake; the findings name
//! all of them.

mod address;
mod background;
mod channel;
mod ctrl;
mod edge;
mod identity;
mod ignored_keys;
mod link;
mod link_entries;
mod listen;
mod listeners;
mod loader;
mod machine;
mod queue_memory;
mod sections;
mod tunnel;
mod value;
mod web;
mod wss;

use portcullis_yaml::{Diagnostic, Diagnostics, KeyPath, Program, Section, Severity};

use crate::codes;
use crate::finding::{Effect, Finding, Stage, Verdict};
use crate::openziti::loader::Loader;
use crate::source::{self, SourceFile};
use portcullis_key_table::EffectiveConfig;

pub use crate::openziti::machine::Machine;

/// Predicted behavior of OpenZiti with a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluation {
    pub verdict: Verdict,
    /// Stage of the first mistake; `None` if the file is accepted.
    pub stage: Option<Stage>,
    /// All mistakes in the order in which OpenZiti would meet them, then warnings.
    pub findings: Vec<Finding>,
}

/// Predicts what OpenZiti does with `text` on `machine`.
pub fn evaluate(text: &SourceFile<'_>, machine: &Machine<'_>) -> Evaluation {
    analyze(Loader::new(machine), text).0
}

/// As [`evaluate`], with the effective values of OpenZiti, as far as it gets.
pub fn load(text: &SourceFile<'_>, machine: &Machine<'_>) -> (Evaluation, EffectiveConfig) {
    analyze(Loader::new(machine).with_defaults(), text)
}

fn analyze(mut loader: Loader<'_>, text: &SourceFile<'_>) -> (Evaluation, EffectiveConfig) {
    let mut diagnostics = Diagnostics::default();
    match source::parse_source(text, loader.machine.environment, &mut diagnostics) {
        Err(unreadable) => {
            // An empty document is no error to OpenZiti's parser, which then writes into a nil map.
            loader.push(unreadable.diagnostic, Verdict::Refuse);
        },
        Ok(root) if root.is_null() => {
            let message = "the document is empty";
            let diagnostic = Diagnostic::new(
                Severity::Error,
                codes::EMPTY_DOCUMENT,
                KeyPath::root(),
                root.location,
                message,
            );
            loader.push(diagnostic, Verdict::Crash);
        },
        Ok(root) => {
            if let Some(section) = Section::root(&root, &mut Diagnostics::default()) {
                load_and_start(&mut loader, &section, text);
                let silent = ignored_keys::warnings(&mut loader, &section).into_iter();
                if let Some(other) = Program::Router.report_other(&section) {
                    diagnostics = Diagnostics::default();
                    diagnostics.push(other);
                } else {
                    diagnostics.extend(
                        silent.filter(|key| !edge::is_read_in_other_case(&section, &key.path)),
                    );
                }
            } else {
                let message = format!("the file must be a map of keys, not {}", root.node_type());
                let diagnostic = Diagnostic::new(
                    Severity::Error,
                    codes::WRONG_TYPE,
                    KeyPath::root(),
                    root.location,
                    message,
                );
                loader.push(diagnostic, Verdict::Refuse);
            }
        },
    }
    loader.finish(diagnostics.into_sorted())
}

fn load_and_start(loader: &mut Loader<'_>, root: &Section<'_>, text: &SourceFile<'_>) {
    load_sections(loader, root, text);
    loader.stage = Stage::Start;
    start(loader, root);
}

/// Loads the sections in the order of OpenZiti, before anything is opened.
fn load_sections(loader: &mut Loader<'_>, root: &Section<'_>, text: &SourceFile<'_>) {
    sections::version(loader, root);
    identity::load(loader, root);
    sections::of_table(loader, root, &["enableDebugOps", "forwarder"]);
    sections::trace(loader, root);
    sections::profile(loader, root);
    ctrl::load(loader, root, text.name);
    link::load(loader, root);
    listeners::load_dialers(loader, root);
    listeners::load(loader, root);
    sections::of_table(loader, root, &["metrics", "healthChecks"]);
    sections::plugins(loader, root);
    sections::proxy(loader, root);
    sections::tls(loader, root);
    sections::of_table(loader, root, &["connectEvents"]);
    edge::load(loader, root, text.name);
    listeners::check_advertised(loader, root);
    sections::of_table(loader, root, &["interfaceDiscovery"]);
    sections::managed_config(loader, root);
}

/// Starts all components in the order of OpenZiti, including background tasks.
fn start(loader: &mut Loader<'_>, root: &Section<'_>) {
    background::check_event_queue(loader, root);
    background::health_checks(loader, root);
    background::transport(loader, root);
    edge::start(loader, root);
    let points = web::start(loader, root);
    background::plugins(loader, root);
    link::start(loader, root);
    listeners::start(loader, root);
    web::run(loader, &points);
    ctrl::start(loader, root);
    background::check_report_queue(loader, root);
    identity::run(loader, root);
    background::run(loader, root);
    tunnel::run(loader, root);
}

impl Loader<'_> {
    fn finish(self, warnings: Vec<Diagnostic>) -> (Evaluation, EffectiveConfig) {
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
        let judgment = Evaluation {
            verdict: first.map_or(Verdict::Accept, |effect| effect.verdict),
            stage: first.map(|Effect { stage, .. }| stage),
            findings,
        };
        (judgment, effective)
    }
}
