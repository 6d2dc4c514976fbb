//! A controller that runs as a service: SIGHUP, and what its manager is told.

use crate::support::{Finished, Serving, finish, made, mode, program};
use std::fs;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::time::Duration;

struct Site {
    _folder: tempfile::TempDir,
    home: PathBuf,
    audit: PathBuf,
}

impl Site {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().join("home");
        made(&home);
        let audit = folder.path().join("audit.jsonl");
        Self {
            _folder: folder,
            home,
            audit,
        }
    }

    fn serving(&self, options: &[&str]) -> Serving {
        let mut command = program();
        command.arg("run").arg(self.config()).args(options);
        let mut serving = Serving::start(command.arg("--audit-file").arg(&self.audit));
        serving.logged("\"message\":\"serving\"");
        serving
    }

    fn config(&self) -> PathBuf {
        self.home.join("controller.yml")
    }

    /// Replaces the file in one step, so that a controller that still answers an earlier signal
    /// never reads half of it.
    fn set_filter(&self, filter: &str) {
        let text = fs::read_to_string(self.config()).unwrap();
        let others = text.split_inclusive('\n');
        let text: String = others.filter(|line| !line.starts_with("log:")).collect();
        let next = self.home.join("controller.yml.next");
        fs::write(&next, format!("{text}log: {{filter: '{filter}'}}\n")).unwrap();
        fs::rename(&next, self.config()).unwrap();
    }
}

#[test]
fn service_manager_is_told_once_clients_are_served() {
    let site = Site::new();
    let address = site.audit.with_file_name("notify");
    let manager = UnixDatagram::bind(&address).unwrap();
    manager
        .set_read_timeout(Some(Duration::from_mins(1)))
        .unwrap();
    let mut command = program();
    command.env("NOTIFY_SOCKET", &address);
    let serving = Serving::start(command.arg("run").arg(site.config()));
    let mut message = [0; 32];
    let length = manager.recv(&mut message).unwrap();
    assert_eq!(&message[..length], b"READY=1");
    assert_eq!(serving.stop("TERM").code, Some(0));
}

fn verified(files: &[&Path]) -> Finished {
    finish(program().args(["audit", "verify"]).args(files))
}

#[test]
fn audit_file_that_was_moved_is_begun_anew_at_once() {
    let site = Site::new();
    let mut serving = site.serving(&[]);
    serving.signal("HUP");
    serving.logged("the audit file was not moved, and is continued");
    let rotated = site.audit.with_extension("jsonl.1");
    fs::rename(&site.audit, &rotated).unwrap();
    serving.signal("HUP");
    serving.logged("the trail continues in a new one");
    assert_eq!(serving.stop("TERM").code, Some(0));
    assert_eq!(mode(&site.audit), 0o600);
    let begun = fs::read_to_string(&site.audit).unwrap();
    assert!(begun.contains("\"previous\":"), "{begun}");

    let both = verified(&[&rotated, &site.audit]);
    assert_eq!(both.code, Some(0), "{both:?}");
    assert!(
        both.stdout.contains("audit.jsonl: it continues "),
        "{both:?}"
    );
    verified(&[&site.audit, &rotated]).failed_with(&["does not continue", "from old to new"]);
    let lines = fs::read_to_string(&rotated).unwrap();
    let (kept, _last) = lines.trim_end().rsplit_once('\n').unwrap();
    fs::write(&rotated, format!("{kept}\n")).unwrap();
    verified(&[&rotated, &site.audit]).failed_with(&["does not continue", "missing"]);
    assert_eq!(verified(&[&site.audit]).code, Some(0));
}

#[test]
fn place_that_takes_no_audit_file_is_told_with_its_cause_and_so_is_its_end() {
    let site = Site::new();
    let mut serving = site.serving(&[]);
    fs::remove_file(&site.audit).unwrap();
    fs::create_dir(&site.audit).unwrap();
    serving.signal("HUP");
    let failure = serving.logged("the audit trail cannot be written");
    let cause = "audit.jsonl cannot be created: it is a directory";
    assert!(failure.contains(cause), "{failure}");
    fs::remove_dir(&site.audit).unwrap();
    serving.signal("HUP");
    serving.logged("the audit trail is written again");
    assert_eq!(serving.stop("TERM").code, Some(0));
    assert_eq!(verified(&[&site.audit]).code, Some(0));
}

#[test]
fn certificates_that_cannot_be_used_leave_the_old_ones() {
    let site = Site::new();
    let mut serving = site.serving(&[]);
    serving.signal("HUP");
    serving.logged("the server certificates are unchanged");
    let chain = site.home.join("pki/server.chain.pem");
    let kept = fs::read(&chain).unwrap();
    fs::write(&chain, "no certificate").unwrap();
    serving.signal("HUP");
    serving.logged("the old server certificates are kept: ");
    fs::write(&chain, kept).unwrap();
    let ended = serving.stop("TERM");
    assert_eq!(ended.code, Some(0), "{ended:?}");
}

#[test]
fn filter_of_the_log_is_read_again_and_a_wrong_one_changes_nothing() {
    let site = Site::new();
    site.set_filter("info");
    let mut serving = site.serving(&[]);
    site.set_filter("info,audit=off");
    serving.signal("HUP");
    let replaced = serving.logged("the filter of the log was replaced");
    assert!(replaced.contains("info,audit=off"), "{replaced}");
    site.set_filter("warn");
    serving.signal("HUP");
    site.set_filter("loud");
    serving.signal("HUP");
    let kept = serving.logged("the filter of the log is kept: ");
    assert!(kept.contains("`loud` is not a level"), "{kept}");

    let config = site.config();
    let checked = finish(program().args(["config", "check"]).arg(&config));
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let told = checked.stdout + &checked.stderr;
    assert!(told.contains("`loud` is not a level"), "{told}");
}

#[test]
fn filter_of_the_command_line_stays() {
    let site = Site::new();
    site.set_filter("debug");
    let mut serving = site.serving(&["--log", "info"]);
    serving.signal("HUP");
    serving.logged("the one of --log or PORTCULLIS_LOG, which is kept");
    let ended = serving.stop("INT");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.stderr.contains("\"level\":\"DEBUG\""), "{ended:?}");
}

#[test]
fn closed_terminal_ends_a_network_to_try_things_out() {
    let folder = tempfile::tempdir().unwrap();
    let serving = crate::support::quickstart(&folder.path().join("home"));
    assert_eq!(serving.stop("HUP").code, Some(0));
}
