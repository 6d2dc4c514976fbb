//! Determines the commit that is built and its date, which are the same for everybody who builds it.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    let repository = format!(
        "{}/../..",
        env::var("CARGO_MANIFEST_DIR").unwrap_or_default()
    );
    for name in ["PORTCULLIS_REVISION", "PORTCULLIS_BUILD_DATE"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    // Source unpacked inside another repository does not belong to that repository.
    if !is_root(Path::new(&repository)) {
        return;
    }
    // Changes with every commit and every change of branch.
    if let Some(log) = git(&repository, &["rev-parse", "--git-path", "logs/HEAD"]) {
        println!(
            "cargo::rerun-if-changed={}",
            Path::new(&repository).join(log).display()
        );
    }
    set_env_default(
        "PORTCULLIS_REVISION",
        git(&repository, &["rev-parse", "--short=12", "HEAD"]),
    );
    let date = [
        "show",
        "--no-patch",
        "--format=%cd",
        "--date=format-local:%Y-%m-%dT%H:%M:%SZ",
    ];
    set_env_default("PORTCULLIS_BUILD_DATE", git(&repository, &date));
}

/// Sets a variable for the compiler, unless the environment has it already.
fn set_env_default(name: &str, value: Option<String>) {
    if let (Err(_), Some(value)) = (env::var(name), value) {
        println!("cargo::rustc-env={name}={value}");
    }
}

fn is_root(repository: &Path) -> bool {
    let shown = repository.to_string_lossy();
    let found = git(&shown, &["rev-parse", "--show-toplevel"]);
    let found = found.and_then(|path| Path::new(&path).canonicalize().ok());
    found.is_some() && found == repository.canonicalize().ok()
}

/// Output of git, if git is installed and prints anything.
fn git(repository: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .args(["-C", repository])
        .args(arguments)
        .env("TZ", "UTC")
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}
