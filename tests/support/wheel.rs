//! The C SDK of 2022, as the Python package `openziti` of that year carries it. Packages from later years come
//! without binaries for Linux.

use crate::command::{self, run};
use crate::{binaries, tools};
use std::env;
use std::path::PathBuf;
use std::process::Command;
use std::sync::OnceLock;
use std::time::Duration;

const PACKAGES: [&str; 2] = ["openziti==0.6.0", "requests"];

/// What a Python that has them can import.
const MODULES: &str = "openziti, requests";

/// Time to fetch the packages.
const FETCHING: Duration = Duration::from_mins(5);

/// A Python that has the package, and `requests`: one that is there already or, if `PORTCULLIS_TEST_WHEEL` is
/// `1`, one of our own, for which they are fetched from the network. `None` if there is none, which is printed.
pub fn python() -> Option<PathBuf> {
    static PYTHON: OnceLock<Option<PathBuf>> = OnceLock::new();
    let python = PYTHON.get_or_init(|| {
        tools::python_with(MODULES)
            .map(PathBuf::from)
            .or_else(fetch)
    });
    if python.is_none() {
        assert!(!tools::are_required(), "no Python has {MODULES}");
        println!("skipped: no Python has {MODULES}; PORTCULLIS_TEST_WHEEL=1 fetches them");
    }
    python.clone()
}

/// Puts the packages into an environment of its own, which is kept for the next run.
fn fetch() -> Option<PathBuf> {
    if env::var("PORTCULLIS_TEST_WHEEL").as_deref() != Ok("1") {
        return None;
    }
    let folder = binaries::profile_folder().join("openziti");
    let python = folder.join("bin/python");
    if python.exists() && tools::can_import(&python, MODULES) {
        return Some(python);
    }
    let venv = ["-m", "venv", "--clear"];
    let made = run(Command::new("python3").args(venv).arg(&folder));
    if !made.status.success() {
        return None;
    }
    let mut pip = Command::new(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--only-binary=:all:"]);
    let installed = command::run_with(pip.args(PACKAGES), &[], FETCHING);
    installed.status.success().then_some(python)
}
