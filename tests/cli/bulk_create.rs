//! Many identities from a file: all mistakes at once, tokens in files, interrupted and continued.

use crate::Session;
use insta::assert_snapshot;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::process::{Child, Command, Stdio};
use support::{binaries, run, wait};

/// Identities of an import that is interrupted.
pub(crate) const MANY: usize = 300;

fn write(session: &Session, name: &str, content: impl AsRef<[u8]>) {
    fs::write(session.site.file(name), content).unwrap();
}

/// A file with so many names.
pub(crate) fn write_many(session: &Session) {
    let rows = (0..MANY)
        .map(|number| format!("bulk-{number:04}\n"))
        .collect::<Vec<_>>()
        .concat();
    write(session, "many.csv", format!("name\n{rows}"));
    fs::create_dir(session.site.file("tokens")).unwrap();
}

pub(crate) const IMPORT_MANY: [&str; 8] = [
    "identity",
    "import",
    "many.csv",
    "--output-jwt-dir",
    "tokens",
    "--checkpoint",
    "state",
    "--parallel",
];

/// Starts to import many, a few at a time, and waits until some are created.
fn begin(session: &Session) -> Child {
    let mut command = session.command(&binaries::cli());
    command.args(IMPORT_MANY).arg("4");
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let child = child.unwrap();
    let tokens = session.site.file("tokens");
    let before = fs::read_dir(&tokens).unwrap().count();
    wait::until(wait::DEFAULT_TIMEOUT, || {
        let count = fs::read_dir(&tokens).unwrap().count();
        if count >= before + 20 {
            Ok(())
        } else {
            Err(count)
        }
    })
    .expect("some are created");
    child
}

/// Waits for the end of a program: exit code, standard output and error.
fn end(child: Child) -> (i32, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let code = output.status.code().unwrap_or(-1);
    (code, text(output.stdout), text(output.stderr))
}

/// Goes on with the import of many; returns its result.
#[track_caller]
fn go_on(session: &Session) -> Value {
    session.json(&[&IMPORT_MANY[..], &["16"]].concat())
}

/// Every identity exists once, and has a token, which is good.
#[track_caller]
pub(crate) fn assert_complete(session: &Session) {
    let list = [
        "identity",
        "list",
        "--all",
        "--filter",
        "name contains \"bulk-\"",
    ];
    let list = session.json(&list);
    let identities = list.as_array().unwrap();
    let names: BTreeSet<_> = identities
        .iter()
        .map(|identity| identity["name"].as_str().unwrap())
        .collect();
    assert_eq!((identities.len(), names.len()), (MANY, MANY));
    for identity in identities {
        let name = identity["name"].as_str().unwrap();
        let token = fs::read_to_string(session.site.file(&format!("tokens/{name}.jwt"))).unwrap();
        assert_eq!(
            token,
            identity["enrollment"]["ott"]["jwt"].as_str().unwrap()
        );
    }
    assert_eq!(
        fs::read_dir(session.site.file("tokens")).unwrap().count(),
        MANY
    );
    for name in ["bulk-0000", "bulk-0299"] {
        let token = format!("tokens/{name}.jwt");
        session
            .run(&["enroll", &token, "--out", &format!("{name}.json")])
            .success();
    }
}

#[track_caller]
fn refuse(session: &Session, arguments: &[&str], code: i32) -> String {
    let outcome = session.run(&[&["identity", "import"], arguments].concat());
    outcome.expect_code(code).stderr
}

#[test]
fn columns_and_members_become_identities() {
    let session = Session::logged_in();
    session.json(&["auth-policy", "create", "strict"]);
    write(
        &session,
        "staff.csv",
        "\u{feff}name,type,admin,role_attributes,tags,auth_policy,external_id,enrollment\r\n\
         \"Müller, Anna\",user,,sales;berlin,floor=3;room=a b,strict,,updb:anna\r\n\
         printer,device,no,,,,,\r\n\
         robot,service,,,,,robot@x,\r\n\
         boss,,yes,,,,,none\r\n",
    );
    let import = [
        "identity",
        "import",
        "staff.csv",
        "--output-jwt-file",
        "tokens.jsonl",
    ];
    let report = session.json(&import);
    assert_eq!(report["created"].as_array().unwrap().len(), 4);
    let anna = session.json(&["identity", "show", "Müller, Anna"]);
    assert_eq!(
        anna["roleAttributes"],
        serde_json::json!(["berlin", "sales"])
    );
    assert_eq!(
        anna["tags"],
        serde_json::json!({"floor": "3", "room": "a b", "type": "user"})
    );
    assert_eq!(anna["authPolicy"]["name"], "strict");
    assert!(anna["enrollment"]["updb"]["jwt"].is_string());
    assert_eq!(
        session.json(&["identity", "show", "robot"])["externalId"],
        "robot@x"
    );
    assert_eq!(session.json(&["identity", "show", "boss"])["isAdmin"], true);
    let tokens = fs::read_to_string(session.site.file("tokens.jsonl")).unwrap();
    let tokens: Vec<Value> = tokens
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: BTreeSet<_> = tokens
        .iter()
        .map(|token| token["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["Müller, Anna", "printer"].into());

    write(
        &session,
        "more.jsonl",
        "{\"name\":\"scanner\",\"type\":\"Device\",\"appData\":{\"x\":[1]}}\n\n{\"name\":\"printer\"}\n",
    );
    let told = refuse(&session, &["more.jsonl"], 1);
    assert!(
        told.contains("line 3, name: an identity named `printer` exists already"),
        "{told}"
    );
    assert!(told.contains("--skip-existing"), "{told}");
    let transcript = session.transcript(&[
        "identity import more.jsonl --skip-existing --dry-run",
        "identity import more.jsonl --skip-existing --output-jwt-file tokens.csv",
        "identity import more.jsonl --skip-existing",
    ]);
    assert_snapshot!(transcript, @r#"
        $ portcullis identity import more.jsonl --skip-existing --dry-run
        would create  scanner
        1 identity would be created, 1 skipped as existing
        [0]
        $ portcullis identity import more.jsonl --skip-existing --output-jwt-file tokens.csv
        1 identity created, 1 skipped as existing
        [0]
        $ portcullis identity import more.jsonl --skip-existing
        0 identities created, 2 skipped as existing
        [0]
        "#);
    assert_eq!(
        session.json(&["identity", "show", "scanner"])["appData"]["x"][0],
        1
    );
    let csv = fs::read_to_string(session.site.file("tokens.csv")).unwrap();
    assert!(
        csv.starts_with("name,id,jwt\nscanner,") && csv.lines().count() == 2,
        "{csv}"
    );
}

#[test]
fn all_mistakes_are_told_and_nothing_is_created() {
    let session = Session::logged_in();
    write(
        &session,
        "bad.csv",
        "name,type,auth_policy,role_attributes,enrollment\n\
         first,devise,,,\n\
         ,device,,,\n\
         second,device,nosuch,,\n\
         second,device,,#sales,updb:\n\
         third,device\n\
         fourth,,,,ottca:nobody\n\
         admin,,,,none\n",
    );
    write(&session, "half.csv", "name,tags\nfirst,a=b\nsecond,\"a=");
    write(&session, "typo.csv", "nmae,role-attributes\nfirst,x\n");
    write(
        &session,
        "twice.jsonl",
        "{\"name\":\"a\"}\n{\"name\":\"a\"}\n{\"nam\":\"b\"}\n{\"name\":\n",
    );
    let transcript = session.transcript(&[
        "identity import bad.csv",
        "identity import half.csv",
        "identity import typo.csv",
        "identity import twice.jsonl",
    ]);
    assert_snapshot!(transcript, @r#"
        $ portcullis identity import bad.csv
        line 2, type: `devise` is no type; did you mean `device`?
        line 3, name: is empty
        line 4, auth_policy: no authentication policy with id or name `nosuch` exists
        line 5, enrollment: `updb:` is no enrollment; there are ott, updb:USERNAME, ottca:CA and none
        line 5, role_attributes: role attributes must not begin with #; that prefix belongs to selectors in policies
        line 6: there are 2 cells, and 5 columns; cells with a comma are written in quotation marks
        line 7, enrollment: no CA with id or name `nobody` exists
        error: 7 mistakes in the file; nothing was created
        [1]
        $ portcullis identity import half.csv
        line 3: a quotation mark `"` is opened here and never closed
        error: 1 mistake in the file; nothing was created
        [1]
        $ portcullis identity import typo.csv
        line 1: there is no column `nmae`; did you mean `name`?
        line 1: there is no column `role-attributes`; did you mean `role_attributes`?
        error: 2 mistakes in the file; nothing was created
        [1]
        $ portcullis identity import twice.jsonl
        line 2, name: `a` is already in line 1
        line 3, nam: there is no such member; did you mean `name`?
        line 3, name: is missing
        line 4: the JSON object ends early; each has to be on one line
        error: 4 mistakes in the file; nothing was created
        [1]
        "#);
    let count = session
        .json(&["identity", "list"])
        .as_array()
        .unwrap()
        .len();
    assert_eq!(count, 1);
}

#[test]
fn unfit_files_and_places_are_refused() {
    let session = Session::logged_in();
    write(&session, "good.csv", "name\nlaptop\n");
    write(&session, "latin1.csv", b"name\nlaptop\nM\xfcller\n");
    write(&session, "empty.csv", "");
    write(&session, "blank.jsonl", "\n \n");
    write(&session, "header.csv", "name,tags\r\n");
    write(&session, "list.txt", "name\nlaptop\n");
    write(&session, "taken", "x");
    fs::create_dir(session.site.file("full")).unwrap();
    write(&session, "full/laptop.jwt", "theirs");
    let transcript = session.transcript(&[
        "identity import missing.csv",
        "identity import .",
        "identity import latin1.csv",
        "identity import empty.csv",
        "identity import blank.jsonl",
        "identity import header.csv",
        "identity import list.txt",
        "identity import -",
        "identity import good.csv --output-jwt-dir nosuch",
        "identity import good.csv --output-jwt-dir taken",
        "identity import good.csv --output-jwt-dir full",
        "identity import good.csv --output-jwt-file taken",
        "identity import good.csv --output-jwt-file nosuch/x",
        "identity import good.csv --checkpoint good.csv",
        "identity import good.csv --checkpoint nosuch/x",
    ]);
    assert_snapshot!(transcript, @r#"
        $ portcullis identity import missing.csv
        error: missing.csv cannot be read: it does not exist
        [1]
        $ portcullis identity import .
        error: the format does not follow from the name of the file
        hint: pass `--format csv` or `--format jsonl`
        [2]
        $ portcullis identity import latin1.csv
        error: `latin1.csv` is not valid UTF-8: the first invalid byte is in line 3
        hint: save it as UTF-8, for example with `iconv -f latin1 -t utf8`
        [1]
        $ portcullis identity import empty.csv
        line 1: the file is empty; a header row such as `name,role_attributes` is needed
        error: 1 mistake in the file; nothing was created
        [1]
        $ portcullis identity import blank.jsonl
        line 1: the file is empty; a JSON object for each identity is needed
        error: 1 mistake in the file; nothing was created
        [1]
        $ portcullis identity import header.csv
        line 1: there is a header row only, and no identity
        error: 1 mistake in the file; nothing was created
        [1]
        $ portcullis identity import list.txt
        error: the format does not follow from the name of the file
        hint: pass `--format csv` or `--format jsonl`
        [2]
        $ portcullis identity import -
        error: the format does not follow from the name of the file
        hint: pass `--format csv` or `--format jsonl`
        [2]
        $ portcullis identity import good.csv --output-jwt-dir nosuch
        error: the directory `nosuch` does not exist
        hint: create it with `mkdir nosuch`
        [1]
        $ portcullis identity import good.csv --output-jwt-dir taken
        error: `taken` is not a directory
        [1]
        $ portcullis identity import good.csv --output-jwt-dir full
        error: full/laptop.jwt already exists
        hint: choose another directory; token files are never overwritten
        [1]
        $ portcullis identity import good.csv --output-jwt-file taken
        error: taken already exists
        hint: choose another file; token files are never overwritten
        [1]
        $ portcullis identity import good.csv --output-jwt-file nosuch/x
        error: `nosuch/x` cannot be written: the directory nosuch does not exist
        [1]
        $ portcullis identity import good.csv --checkpoint good.csv
        error: good.csv does not fit: it is no checkpoint
        hint: name a new file to begin anew, or run the command with which the import began
        [1]
        $ portcullis identity import good.csv --checkpoint nosuch/x
        error: `nosuch/x` cannot be written: the directory nosuch does not exist
        [1]
        "#);
    assert_eq!(
        fs::read_to_string(session.site.file("full/laptop.jwt")).unwrap(),
        "theirs"
    );
    let count = session
        .json(&["identity", "list"])
        .as_array()
        .unwrap()
        .len();
    assert_eq!(count, 1, "nothing was created");
    let mut line = session.command(&binaries::cli());
    line.args(["identity", "import", "-", "--format", "csv"]);
    support::command::run_with(&mut line, b"name\nlaptop\n", wait::DEFAULT_TIMEOUT).success();
    session.run(&["identity", "show", "laptop"]).success();
}

/// A disk that is full is noticed before anything is created.
#[test]
fn full_disk_is_noticed_first() {
    let session = Session::logged_in();
    write(&session, "good.csv", "name\nlaptop\n");
    fs::create_dir(session.site.file("tokens")).unwrap();
    for place in ["--output-jwt-dir tokens", "--output-jwt-file x"] {
        let script =
            format!("trap '' XFSZ; ulimit -f 0; exec \"$0\" identity import good.csv {place}");
        let mut shell = session.command(std::path::Path::new("sh"));
        let failed = run(shell.args(["-c", &script]).arg(binaries::cli()))
            .expect_code(1)
            .stderr;
        assert!(failed.contains("cannot be written"), "{failed}");
        session.run(&["identity", "show", "laptop"]).expect_code(1);
    }
}

#[test]
fn odd_names_get_files_of_their_own() {
    let session = Session::logged_in();
    write(
        &session,
        "odd.jsonl",
        r#"{"name":"../../up"}
{"name":"a\u001b[2Jb"}
{"name":"gnp\u202etwj"}
{"name":"Same"}
{"name":"same"}
{"name":".."}
"#,
    );
    fs::create_dir(session.site.file("tokens")).unwrap();
    let report = session.json(&[
        "identity",
        "import",
        "odd.jsonl",
        "--output-jwt-dir",
        "tokens",
    ]);
    let created = report["created"].as_array().unwrap();
    let mut files: Vec<_> = created
        .iter()
        .map(|entry| entry["jwtFile"].as_str().unwrap())
        .collect();
    files.sort_unstable();
    let expected = [
        "tokens/Same.jwt",
        "tokens/_._.._up.jwt",
        "tokens/__.jwt",
        "tokens/a_[2Jb.jwt",
        "tokens/gnp_twj.jwt",
        "tokens/same-2.jwt",
    ];
    assert_eq!(files, expected);
    for file in expected {
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(session.site.file(file))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        session
            .run(&["enroll", file, "--out", "x.json", "--force"])
            .success();
    }
}

#[test]
fn import_goes_on_after_ctrl_c() {
    let session = Session::logged_in();
    write_many(&session);
    let child = begin(&session);
    signal(&child, "INT");
    let (code, stdout, stderr) = end(child);
    assert_eq!(code, 130, "{stderr}");
    assert!(stdout.contains(" not begun\n"), "{stdout}");
    assert!(
        stderr.contains("run the same command again to go on"),
        "{stderr}"
    );
    let report = go_on(&session);
    let created = report["created"].as_array().unwrap().len();
    let before = report["createdBefore"].as_array().unwrap().len();
    assert!(
        created > 0 && before > 0 && created + before == MANY,
        "{created}, {before}"
    );
    assert_complete(&session);
    let again = go_on(&session);
    assert_eq!(again["createdBefore"].as_array().unwrap().len(), MANY);
}

#[test]
fn import_goes_on_after_a_kill() {
    let session = Session::logged_in();
    write_many(&session);
    for _ in 0..2 {
        let child = begin(&session);
        signal(&child, "KILL");
        end(child);
    }
    // A token that did not reach the disk.
    let token = fs::read_dir(session.site.file("tokens"))
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    fs::write(token.path(), "half").unwrap();
    go_on(&session);
    assert_complete(&session);
}

#[test]
fn import_goes_on_after_the_session() {
    let session = Session::logged_in();
    write_many(&session);
    let child = begin(&session);
    let own = session.json(&["whoami"])["session"]["id"].clone();
    session
        .run(&["session", "delete", own.as_str().unwrap()])
        .success();
    let (code, _, stderr) = end(child);
    assert_eq!(code, 3, "{stderr}");
    assert!(stderr.contains("the session has expired"), "{stderr}");
    session.log_in();
    go_on(&session);
    assert_complete(&session);
}

#[test]
fn foreign_checkpoints_are_refused() {
    let session = Session::logged_in();
    write(&session, "one.csv", "name\none\n");
    write(&session, "two.csv", "name\ntwo\n");
    session
        .run(&["identity", "import", "one.csv", "--checkpoint", "state"])
        .success();
    let told = refuse(&session, &["two.csv", "--checkpoint", "state"], 1);
    assert!(
        told.contains("state does not fit: it belongs to another file"),
        "{told}"
    );
    let told = refuse(
        &session,
        &["one.csv", "--checkpoint", "state", "--output-jwt-file", "t"],
        1,
    );
    assert!(told.contains("that import writes no tokens"), "{told}");
    session.run(&["identity", "show", "two"]).expect_code(1);
}

#[test]
fn import_goes_on_after_the_controller() {
    let session = Session::logged_in();
    write_many(&session);
    let child = begin(&session);
    let Session { controller, site } = session;
    controller.kill();
    let (code, stdout, stderr) = end(child);
    assert_eq!(code, 4, "{stderr}");
    assert!(
        stdout.contains(" unfinished") && stdout.contains(" not begun"),
        "{stdout}"
    );
    assert!(
        stderr.contains("run the same command again to go on"),
        "{stderr}"
    );
    let controller = site.quickstart().start();
    let session = Session { controller, site };
    go_on(&session);
    assert_complete(&session);
}

fn signal(child: &Child, name: &str) {
    run(Command::new("kill").args(["-s", name, &child.id().to_string()])).success();
}
