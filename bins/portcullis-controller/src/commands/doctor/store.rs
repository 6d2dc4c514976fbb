//! The store, and who holds it.

use super::machine::size;
use super::report::{Report, Verdict};
use crate::config::CheckedFiles;
use crate::output;
use crate::store::{self, StoreCondition};
use portcullis_controller_config::ControllerConfig;
use portcullis_domain::change::Change;
use portcullis_storage::engine::{Engine as _, StoreError};
use portcullis_storage::tables::inspect;
use portcullis_storage_redb::RedbEngine;
use portcullis_yaml::SourceId;
use std::fs;
use std::path::Path;

/// Maximum number of findings that are counted.
const MAX_FINDINGS: usize = 100;

pub(super) fn check(checked: &CheckedFiles, config: &ControllerConfig, report: &mut Report) {
    let path = config.store.store_path();
    let file = checked.sources.name(SourceId(0));
    let Some(condition) = &checked.store else {
        return;
    };
    match condition {
        StoreCondition::Absent => {
            report.add(
                Verdict::Error,
                "store",
                format!("there is no store {}", path.display()),
                Some("create a new one with `portcullis-controller init`, or restore a backup"),
            );
            return;
        },
        // They stand among the findings about the configuration.
        StoreCondition::Unseen(_) | StoreCondition::Unusable(_) => {},
        StoreCondition::InUse => {
            add_size(&path, report);
            if store::surely_lacks_administrator(&path) {
                add_missing_administrator(file, "stop the controller and run", report);
            }
        },
        StoreCondition::Openable(engine) => check_content(engine, &path, file, report),
    }
    check_holder(condition, &path, report);
}

fn add_size(path: &Path, report: &mut Report) {
    let size = fs::metadata(path).map_or_else(|_gone| "no size".to_owned(), |it| size(it.len()));
    report.ok("store", format!("the store {} has {size}", path.display()));
}

/// Reads all of a store that nobody holds.
fn check_content(engine: &RedbEngine<Change>, path: &Path, file: &str, report: &mut Report) {
    let damage = describe_damage(engine).unwrap_or_else(|error| Some(error.to_string()));
    match damage {
        None => add_size(path, report),
        Some(damage) => report.add(
            Verdict::Error,
            "store",
            format!("the store {} is damaged: {damage}", path.display()),
            Some("restore a backup, or serve what is left with `run --accept-damage`"),
        ),
    }
    match store::has_administrator(engine) {
        Ok(true) => report.ok("administrator", "there is an administrator"),
        Ok(false) => add_missing_administrator(file, "run", report),
        // The store is damaged, which was said.
        Err(_) => {},
    }
}

fn describe_damage(engine: &RedbEngine<Change>) -> Result<Option<String>, StoreError> {
    let inspection = inspect(&*engine.snapshot()?, MAX_FINDINGS, &|| false)?;
    let [first, rest @ ..] = inspection.findings.as_slice() else {
        return Ok(None);
    };
    let more = match rest.len() {
        0 => String::new(),
        count => format!(", and {}", output::counted(count, "more finding")),
    };
    Ok(Some(format!("{first}{more}")))
}

fn add_missing_administrator(file: &str, how: &str, report: &mut Report) {
    let file = output::shell_quoted(file);
    report.add(
        Verdict::Warning,
        "administrator",
        "there is no administrator, so nobody can log in",
        Some(&format!(
            "{how} `portcullis-controller init {file} -u admin`"
        )),
    );
}

fn check_holder(condition: &StoreCondition, path: &Path, report: &mut Report) {
    let is_usable = !matches!(condition, StoreCondition::Unusable(_));
    match store::is_in_use(path) {
        Some(true) => report.ok("running", "a controller is running: it holds the store"),
        Some(false) => report.add(
            Verdict::Error,
            "running",
            "no controller is running on the store",
            is_usable.then_some("start it with `portcullis-controller run`"),
        ),
        None => report.add(
            Verdict::Unseen,
            "running",
            "whether a controller holds the store cannot be seen",
            Some("run this as the user of the controller, or as root"),
        ),
    }
}
