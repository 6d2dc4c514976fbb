//! `config check`.

use crate::support::{finish, made, program};
use std::fs;

const MISTAKEN: &str = "\
v: 3
dbs: ctrl.db
web:
  - name: all
    bindPoints: []
";

#[test]
fn every_mistake_is_shown_with_its_place_and_help() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.yml"), MISTAKEN).unwrap();
    let finished = finish(
        program()
            .current_dir(&folder)
            .args(["config", "check", "bad.yml"]),
    );
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let shown = &finished.stdout;
    for part in [
        "error[unknown-key]",
        "bad.yml:2:1",
        "dbs: ctrl.db",
        "help: did you mean `db`?",
        "bad.yml:5:17",
        "error[missing-key]",
    ] {
        assert!(shown.contains(part), "{part:?} is not in\n{shown}");
    }
    let last = shown.lines().last().unwrap();
    assert!(
        last.starts_with("bad.yml: ") && last.contains(" mistakes, "),
        "{last}"
    );
}

#[test]
fn json_names_the_same_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.yml"), MISTAKEN).unwrap();
    let finished = finish(
        program()
            .current_dir(&folder)
            .args(["config", "check", "-o", "json", "bad.yml"]),
    );
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let list: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let unknown = list
        .as_array()
        .unwrap()
        .iter()
        .find(|each| each["code"] == "unknown-key");
    let unknown = unknown.unwrap_or_else(|| panic!("{list}"));
    assert_eq!(unknown["file"], "bad.yml");
    assert_eq!(
        (&unknown["line"], &unknown["column"]),
        (&2.into(), &1.into())
    );
    assert_eq!(unknown["severity"], "error");
    assert_eq!(unknown["help"], "did you mean `db`?");
}

#[test]
fn file_that_is_not_yaml_is_a_mistake_not_a_failure() {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("text.yml", &b"a: [b\n"[..]),
        ("binary.yml", &b"a: \xff\xfe\n"[..]),
        // The parser underneath panics on it.
        ("tag.yml", &b"[!a,b]"[..]),
    ] {
        fs::write(folder.path().join(name), content).unwrap();
        let finished = finish(
            program()
                .current_dir(&folder)
                .args(["config", "check", name]),
        );
        assert_eq!(finished.code, Some(1), "{finished:?}");
        assert!(
            finished
                .stdout
                .contains(&format!("{name}: 1 mistake, no warnings")),
            "{finished:?}"
        );
        assert_eq!(finished.stderr, "", "{name}");
    }
}

#[test]
fn no_secret_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = "v: 3\nidentity: {cert: a, key: 'pkcs11:/p.so?pin=sEcReT', ca: b, c: pem:sEcReT}\n\
        \"-----BEGIN PRIVATE KEY-----\\nsEcReT\": {a: 1, a: 2}\n\
        ctrl: -----BEGIN EC PRIVATE KEY----- sEcReT\n";
    fs::write(folder.path().join("r.yml"), file).unwrap();
    for format in ["human", "json"] {
        let checked = finish(
            program()
                .current_dir(&folder)
                .args(["config", "check", "--format", format, "r.yml"]),
        );
        let told = checked.stdout + &checked.stderr;
        assert!(told.contains("unknown-key"), "{told}");
        assert!(!told.contains("sEcReT"), "{told}");
    }
}

#[test]
fn missing_file_is_one_finding_and_the_others_are_checked() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("bad.yml"), MISTAKEN).unwrap();
    let check = |format: &str| {
        finish(
            program()
                .current_dir(&folder)
                .args(["config", "check", "--format", format])
                .args(["/nonexistent/ctrl.yml", "bad.yml"]),
        )
    };
    let finished = check("human");
    assert_eq!(finished.code, Some(1), "{finished:?}");
    for part in [
        "the configuration file /nonexistent/ctrl.yml does not exist",
        "--> /nonexistent/ctrl.yml",
        "/nonexistent/ctrl.yml: 1 mistake, no warnings",
        "error[unknown-key]",
        "bad.yml:2:1",
    ] {
        assert!(finished.stdout.contains(part), "{part:?}: {finished:?}");
    }

    let finished = check("json");
    assert_eq!(finished.code, Some(1), "{finished:?}");
    let list: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!(list[0]["file"], "/nonexistent/ctrl.yml");
    assert_eq!(list[0]["line"], serde_json::Value::Null);
    assert_eq!(list[1]["file"], "bad.yml");
}

#[test]
fn everything_that_is_wrong_around_the_file_is_found_in_one_go() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let config = home.join("controller.yml");
    let pki = |name: &str| home.join("pki").join(name);
    fs::remove_file(pki("client.key")).unwrap();
    fs::copy(pki("root.key"), pki("server.key")).unwrap();
    fs::write(pki("cas.pem"), "no PEM").unwrap();
    // A certificate with its key, but not of an authority.
    let text = fs::read_to_string(&config).unwrap();
    let text = text
        .replace("cert: \"pki/signing.cert\"", "cert: \"pki/leaf.cert\"")
        .replace("key: \"pki/signing.key\"", "key: \"pki/leaf.key\"")
        .replace("db: \"ctrl.db\"", "db: \"missing/ctrl.db\"")
        .replace("sessionTimeout", "sessionTimeuot");
    fs::write(&config, &text).unwrap();
    let spare = folder.path().join("spare");
    made(&spare);
    fs::copy(spare.join("pki/server.chain.pem"), pki("leaf.cert")).unwrap();
    fs::copy(spare.join("pki/server.key"), pki("leaf.key")).unwrap();

    // Line and column of the value of the first such member.
    let place = |member: &str| {
        let mut lines = (1..).zip(text.lines());
        let (number, line) = lines
            .find(|(_, line)| line.trim_start().starts_with(member))
            .unwrap();
        let column = line.find(member).unwrap() + member.len() + 1;
        format!("controller.yml:{number}:{column}")
    };
    let expected = [
        ("missing-folder", place("db: ")),
        ("missing-file", place("key: ")),
        ("key-mismatch", place("server_key: ")),
        ("no-certificate", place("ca: ")),
        ("unknown-key", "controller.yml:".to_owned()),
    ];
    let checked = finish(program().args(["config", "check"]).arg(&config));
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let run = finish(program().arg("run").arg(&config));
    run.failed_with(&["cannot be used: 5 mistakes"]);
    for (code, place) in expected {
        for shown in [&checked.stdout, &run.stderr] {
            assert!(shown.contains(&format!("error[{code}]")), "{code}: {shown}");
            assert!(shown.contains(&place), "{place}: {shown}");
        }
    }

    fs::copy(spare.join("pki/cas.pem"), pki("cas.pem")).unwrap();
    let checked = finish(program().args(["config", "check"]).arg(&config));
    assert!(
        checked.stdout.contains("error[no-authority]")
            && checked
                .stdout
                .contains("signingCert.cert cannot issue certificates"),
        "{checked:?}"
    );
}

#[test]
fn generated_file_has_no_mistakes() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let finished = finish(
        program()
            .args(["config", "check"])
            .arg(home.join("controller.yml")),
    );
    assert_eq!(finished.code, Some(0), "{finished:?}");
    assert!(
        finished
            .stdout
            .trim_end()
            .ends_with("no mistakes, no warnings"),
        "{finished:?}"
    );
}

/// Checks a home, and answers the exit code and the severity and message of each `exposed-file`.
fn exposed(home: &std::path::Path) -> (Option<i32>, Vec<(String, String)>) {
    exposed_by(&home.join("controller.yml"))
}

fn exposed_by(config: &std::path::Path) -> (Option<i32>, Vec<(String, String)>) {
    let finished = finish(
        program()
            .args(["config", "check", "--format", "json"])
            .arg(config),
    );
    let list: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let found = list.as_array().unwrap().iter();
    let found = found
        .filter(|each| each["code"] == "exposed-file")
        .map(|each| {
            assert!(
                each["help"].as_str().unwrap().contains("chmod 600"),
                "{each}"
            );
            let text = |member: &str| each[member].as_str().unwrap().to_owned();
            (text("severity"), text("message"))
        });
    (finished.code, found.collect())
}

#[test]
fn files_with_secrets_are_refused_when_they_are_open_to_others() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    assert_eq!(
        exposed(&home),
        (Some(0), Vec::new()),
        "what is made is closed"
    );
    let set = |file: &str, mode| {
        let mode = std::os::unix::fs::PermissionsExt::from_mode(mode);
        fs::set_permissions(home.join(file), mode).unwrap();
    };
    for (file, what) in [
        ("pki/signing.key", "the private key"),
        ("pki/server.key", "the private key"),
        // No file names it.
        ("pki/root.key", "the private key"),
        ("ctrl.db.portcullis", "the store"),
        ("ctrl.db.portcullis.key", "the sealing key"),
    ] {
        for mode in [0o644, 0o660, 0o602] {
            set(file, mode);
            let (code, found) = exposed(&home);
            assert_eq!(code, Some(1), "{file} {mode:o}");
            let [(severity, message)] = &*found else {
                panic!("{file}: {found:?}");
            };
            assert_eq!(severity, "error");
            assert!(
                message.starts_with(what) && message.contains(file),
                "{message}"
            );
            assert!(
                message.ends_with(&format!("(mode {mode:03o})")),
                "{message}"
            );
        }
        set(file, 0o640);
        let (code, found) = exposed(&home);
        let is_sealing_key = what == "the sealing key";
        assert_eq!(code, Some(i32::from(is_sealing_key)), "{file}");
        assert_eq!(found[0].0, if is_sealing_key { "error" } else { "warning" });
        set(file, 0o600);
    }

    // Where the file is not that of a home, keys may come from tools that leave them open.
    let other = home.join("ziti-controller.yml");
    fs::copy(home.join("controller.yml"), &other).unwrap();
    for (mode, code, severity) in [
        (0o644, 0, "warning"),
        (0o660, 0, "warning"),
        (0o602, 1, "error"),
    ] {
        set("pki/server.key", mode);
        let (found_code, found) = exposed_by(&other);
        assert_eq!((found_code, found.len()), (Some(code), 1), "{mode:o}");
        assert_eq!(found[0].0, severity, "{mode:o}");
    }
    set("pki/server.key", 0o600);
    set("pki/root.key", 0o644);
    assert_eq!(exposed_by(&other), (Some(0), Vec::new()));
    set("pki/root.key", 0o600);
    fs::remove_file(home.join("pki/root.key")).unwrap();
    assert_eq!(exposed(&home), (Some(0), Vec::new()), "kept elsewhere");

    // A configuration counts among them when it holds a key itself.
    set("controller.yml", 0o644);
    assert_eq!(exposed(&home), (Some(0), Vec::new()));
    let key = fs::read_to_string(home.join("pki/server.key")).unwrap();
    let text = fs::read_to_string(home.join("controller.yml")).unwrap();
    let commented = format!("# {}", key.trim().replace('\n', "\n# "));
    fs::write(
        home.join("controller.yml"),
        format!("{text}\n{commented}\n"),
    )
    .unwrap();
    let (code, found) = exposed(&home);
    assert_eq!((code, found.len()), (Some(0), 1), "{found:?}");
    assert_eq!(found[0].0, "warning");
    assert!(found[0].1.ends_with("it holds a private key"), "{found:?}");
}

/// Only root can give files away.
#[test]
fn root_may_look_at_the_home_of_another_user() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let names = [
        "",
        "pki",
        "pki/server.key",
        "pki/root.key",
        "ctrl.db.portcullis",
    ];
    let give = |name: &&str| std::os::unix::fs::chown(home.join(name), Some(65_534), None).is_ok();
    if !names.iter().all(give) {
        return;
    }
    let check = || {
        finish(
            program()
                .args(["config", "check"])
                .arg(home.join("controller.yml")),
        )
    };
    let checked = check();
    assert!(
        checked.stdout.ends_with("no mistakes, no warnings\n"),
        "{checked:?}"
    );
    std::os::unix::fs::chown(home.join("pki"), Some(0), None).unwrap();
    let checked = check();
    assert!(
        checked
            .stdout
            .contains("server.key belongs to another user"),
        "{checked:?}"
    );
}

/// Checks a home whose file says `overlay` besides, and answers the warnings about shared hosts, by code.
fn warned(home: &std::path::Path, overlay: &str) -> Vec<(String, String)> {
    let text = fs::read_to_string(home.join("controller.yml")).unwrap();
    let with = home.join("with.yml");
    fs::write(
        &with,
        text.replace("    edgeIdentity:", &format!("{overlay}    edgeIdentity:")),
    )
    .unwrap();
    let check = ["config", "check", "--format", "json"];
    let finished = finish(program().args(check).arg(&with));
    assert_eq!(finished.code, Some(0), "{finished:?}");
    let list: serde_json::Value = serde_json::from_str(&finished.stdout).unwrap();
    let found = list.as_array().unwrap().iter();
    let found = found
        .filter(|each| each["code"] == "idle-shared-host")
        .map(|each| {
            let text = |member: &str| each[member].as_str().unwrap().to_owned();
            (text("code"), text("message"))
        });
    found.collect()
}

#[test]
fn shared_hosts_that_are_none_of_the_controller_s_are_pointed_out() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let config = home.join("controller.yml");
    let text = fs::read_to_string(&config).unwrap();
    let told = "advertiseAddress: \"tls:ctrl.example.test:6262\"";
    let place = text
        .lines()
        .find(|line| line.contains("advertiseAddress:"))
        .unwrap();
    fs::write(&config, text.replace(place.trim(), told)).unwrap();
    for shared in ["CTRL.example.test.", "'*.example.test'"] {
        assert_eq!(warned(&home, &format!("    sharedHosts: [{shared}]\n")), []);
    }
    let found = warned(
        &home,
        "    sharedHosts: [ctrl.example.test, ctrl.example.tset, localhost]\n",
    );
    let codes: Vec<_> = found.iter().map(|(code, _)| &**code).collect();
    assert_eq!(codes, ["idle-shared-host", "idle-shared-host"], "{found:?}");
    assert!(found[0].1.contains("`ctrl.example.tset`"), "{found:?}");
    assert!(found[1].1.contains("`localhost`"), "{found:?}");
}

#[test]
fn places_where_no_login_may_lead_keep_a_controller_from_starting() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let config = home.join("controller.yml");
    let text = fs::read_to_string(&config).unwrap();
    let with = |redirect: &str, logout: &str| {
        let options =
            format!("options: {{redirectURIs: [{redirect}], postLogoutURIs: [{logout}]}}");
        let api = format!("      - binding: edge-oidc\n        {options}\n");
        let text = text.replace("    apis:\n", &format!("    apis:\n{api}"));
        fs::write(&config, &text).unwrap();
        text
    };
    with(
        "'http://localhost:*/callback', 'https://app.example.test/callback', 'openziti://auth/callback'",
        "'com.example.app:/logout', 'https://ctrl.example.test/'",
    );
    let finished = finish(program().args(["config", "check"]).arg(&config));
    assert_eq!(finished.code, Some(0), "{finished:?}");

    let text = with(
        "'http://app.example.test/', 'https://*.example.test/', 'https://good.example.test/'",
        "'https://EXAMPLE.test/#', 'myapp:/x', 'nowhere'",
    );
    let line = text
        .lines()
        .position(|line| line.contains("redirectURIs"))
        .unwrap()
        + 1;
    let place = |part: &str| {
        let columns = text.lines().nth(line - 1).unwrap();
        format!("controller.yml:{line}:{}", columns.find(part).unwrap())
    };
    let expected = [
        ("http://app", "`http://app.example.test/`: must be https"),
        ("https://*", "only allowed as the port"),
        ("https://EXAMPLE", "must not have a fragment"),
        ("myapp", "contains a dot"),
        ("nowhere", "must be an absolute URI"),
    ];
    let checked = finish(program().args(["config", "check"]).arg(&config));
    assert_eq!(checked.code, Some(1), "{checked:?}");
    let run = finish(program().arg("run").arg(&config));
    run.failed_with(&["cannot be used: 5 mistakes"]);
    for (part, message) in expected {
        for shown in [&checked.stdout, &run.stderr] {
            assert!(shown.contains(&place(part)), "{}: {shown}", place(part));
            assert!(shown.contains(message), "{message}: {shown}");
        }
    }
}

#[test]
fn directory_without_a_console_is_a_warning_at_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let config = home.join("controller.yml");
    let text = fs::read_to_string(&config).unwrap();
    let console = folder.path().join("console");
    fs::create_dir(&console).unwrap();
    let options = format!("options: {{path: zac, location: {}}}", console.display());
    let api = format!("    apis:\n      - binding: spa\n        {options}\n");
    fs::write(&config, text.replace("    apis:\n", &api)).unwrap();
    let check = || finish(program().args(["config", "check"]).arg(&config));
    let warned = check();
    assert_eq!(warned.code, Some(0), "{warned:?}");
    assert!(
        warned.stdout.contains("warning[missing-index]"),
        "{warned:?}"
    );
    assert!(warned.stdout.contains("no file `index.html`"), "{warned:?}");
    fs::write(console.join("index.html"), "<!doctype html>").unwrap();
    let checked = check();
    assert!(!checked.stdout.contains("missing-index"), "{checked:?}");
}

#[test]
fn certificate_of_the_scraper_has_to_be_there_and_without_one_there_is_a_warning() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("home");
    made(&home);
    let config = home.join("controller.yml");
    let text = fs::read_to_string(&config).unwrap();
    let check = |options: &str| {
        let api = format!("    apis:\n      - {{binding: metrics, options: {{{options}}}}}\n");
        fs::write(&config, text.replace("    apis:\n", &api)).unwrap();
        finish(program().args(["config", "check"]).arg(&config))
    };
    let open = check("");
    assert_eq!(open.code, Some(0), "{open:?}");
    assert!(open.stdout.contains("warning[weakened]"), "{open:?}");
    let missing = check("scrapeCert: scraper.pem");
    assert_eq!(missing.code, Some(1), "{missing:?}");
    assert!(
        missing.stdout.contains("error[missing-file]"),
        "{missing:?}"
    );
    let scraper = folder.path().join("scraper.pem");
    fs::write(&scraper, "no certificate").unwrap();
    let option = format!("scrapeCert: {}", scraper.display());
    let unusable = check(&option);
    assert!(
        unusable.stdout.contains("error[no-certificate]"),
        "{unusable:?}"
    );
    fs::copy(home.join("pki/server.chain.pem"), &scraper).unwrap();
    let good = check(&option);
    assert_eq!(good.code, Some(0), "{good:?}");
    assert!(!good.stdout.contains("weakened"), "{good:?}");
}
