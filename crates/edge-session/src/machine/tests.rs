//! Tests of what is found about the machine.

use super::*;
use std::fs;

fn process(report: &Report) -> &ProcessInfo {
    match report {
        Report::Process { process, .. } => process,
        other => panic!("{other:?}"),
    }
}

#[test]
fn this_program_is_running_from_its_binary() {
    let path = std::env::current_exe().unwrap();
    let path = Subject::Process(path.to_str().unwrap().to_owned());
    let missing = Subject::Process("/no/such/binary".to_owned());
    let machine = Machine::default();
    let found = machine.read([path.clone(), missing.clone()].into());
    let (running, missing) = (process(&found[&path]), process(&found[&missing]));
    assert!(running.is_running && running.hash.len() == 128);
    assert_eq!(*missing, ProcessInfo::default());
}

#[test]
fn hash_is_that_of_the_file_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("binary");
    let subject = Subject::Process(path.to_str().unwrap().to_owned());
    let machine = Machine::default();
    let hash = || {
        let found = machine.read([subject.clone()].into());
        assert!(!process(&found[&subject]).is_running);
        process(&found[&subject]).hash.clone()
    };
    fs::write(&path, "abc").unwrap();
    // FIPS 180-2, appendix C.1.
    assert!(hash().starts_with("ddaf35a193617abacc417349ae204131"));
    assert_eq!(hash(), hash());
    fs::write(&path, "abcd").unwrap();
    assert!(!hash().starts_with("ddaf35a193617abacc417349ae204131"));
    fs::remove_file(&path).unwrap();
    assert_eq!(hash(), "");
}

#[test]
fn pipes_have_no_hash_and_are_not_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, rustix::fs::Mode::RWXU).unwrap();
    let subject = Subject::Process(path.to_str().unwrap().to_owned());
    let found = Machine::default().read([subject.clone()].into());
    assert_eq!(*process(&found[&subject]), ProcessInfo::default());
}
