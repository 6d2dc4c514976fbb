//! Tables, their columns, and what stands in their place for programs.

use crate::Session;
use insta::assert_snapshot;
use serde_json::{Value, json};
use support::{binaries, run};

/// What a command shows at a terminal of some width.
fn shown(session: &Session, width: usize, arguments: &[&str]) -> String {
    let mut command = session.command(&binaries::cli());
    command.env("COLUMNS", width.to_string()).args(arguments);
    run(&mut command).success().text()
}

/// Columns that a line takes: Chinese characters take two.
fn columns(line: &str) -> usize {
    let columns = |character| if character >= '\u{2e80}' { 2 } else { 1 };
    line.chars().map(columns).sum()
}

/// A session with names and attributes that are longer than any terminal is wide.
fn crowded() -> Session {
    let session = Session::logged_in();
    let long = "long-".repeat(30);
    let attributes: Vec<_> = (0..30).map(|number| format!("attribute{number}")).collect();
    let attributes = attributes.join(",");
    let wide = "漢字".repeat(40);
    for name in [&long, &wide, "short"] {
        let create = ["identity", "create", name, "--role-attributes", &attributes];
        session.run(&create).success();
        let create = ["service", "create", name, "--role-attributes", &attributes];
        session.run(&create).success();
    }
    session.run(&["edge-router", "create", &long]).success();
    let roles = ["--identity-roles", "#all", "--service-roles"];
    let create = ["service-policy", "create", &long, "dial"];
    let roles = [&roles[..], &["@short"]].concat();
    session.run(&[&create[..], &roles].concat()).success();
    session
}

#[test]
fn rows_are_one_line_that_fits() {
    let session = crowded();
    for arguments in [
        &["identity", "list"][..],
        &["service", "list"],
        &["service-policy", "list"],
        &["edge-router", "list"],
        &["edge-router-policy", "list"],
        &["enrollment", "list"],
        &["authenticator", "list"],
        &["session", "list"],
        &["auth-policy", "list"],
        &["config-type", "list"],
        &["policy-advisor", "identities"],
        &["identity", "role-attributes"],
    ] {
        let list = session.json(arguments);
        let rows = list.as_array().unwrap();
        for width in [80, 120] {
            let table = shown(&session, width, arguments);
            let others = if rows.is_empty() { 1 } else { 2 };
            assert_eq!(table.lines().count(), rows.len() + others, "{table}");
            for line in table.lines() {
                assert!(columns(line) <= width, "{width}: {line}");
            }
            for id in rows.iter().filter_map(|row| row["id"].as_str()) {
                assert!(table.contains(id), "{id}: {table}");
            }
        }
    }
    // What is not read at a terminal is not cut.
    let piped = session.run(&["identity", "list"]).success().text();
    assert!(piped.contains(&"漢字".repeat(40)), "{piped}");
    let wide = shown(&session, 80, &["identity", "list", "--output", "wide"]);
    assert!(wide.contains(&"long-".repeat(30)) && wide.contains("CREATED"));
}

#[test]
fn values_are_wrapped_and_not_cut() {
    let session = crowded();
    let text = shown(&session, 80, &["identity", "show", "short"]);
    for number in 0..30 {
        assert!(text.contains(&format!("attribute{number}")), "{text}");
    }
    assert!(text.lines().all(|line| line.len() <= 80), "{text}");
    let indented = text.lines().filter(|line| line.starts_with("        "));
    assert!(indented.count() > 2, "{text}");
    assert!(text.contains("Z (in 3h)"), "{text}");
}

#[test]
fn columns_are_chosen() {
    let session = Session::logged_in();
    let create = ["identity", "create", "laptop", "--type", "device"];
    session.run(&create).success();
    let transcript = session.transcript(&[
        "identity list --columns TYPE,name",
        "identity list --columns name --no-headers",
        "identity list --columns name,nmae",
        "ext-jwt-signer list --public --columns issuer",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis identity list --columns TYPE,name
        TYPE     NAME
        Default  admin
        device   laptop
        2 identities
        [0]
        $ portcullis identity list --columns name --no-headers
        admin
        laptop
        [0]
        $ portcullis identity list --columns name,nmae
        error: invalid value 'nmae' for '--columns <COLUMN>'
          [possible values: name, type, state, isAdmin, isMfaEnabled, roleAttributes, authPolicy, externalId, createdAt, updatedAt, tags, id]

          tip: a similar value exists: 'name'

        For more information, try '--help'.
        [2]
        $ portcullis ext-jwt-signer list --public --columns issuer
        error: this list has no column `issuer`
        hint: its columns are name, audience, clientId, targetToken, externalAuthUrl, id
        [2]
        ");
}

#[test]
fn names_go_into_other_commands() {
    let session = Session::logged_in();
    let name = |arguments: &[&str]| {
        let output = session.run(&[arguments, &["--output", "name"]].concat());
        output.success().text()
    };
    assert_eq!(name(&["identity", "create", "laptop"]), "laptop\n");
    assert_eq!(name(&["identity", "create", "two words"]), "two words\n");
    let created = session.json(&["identity", "create", "evil\u{1b}[2J\nname"]);
    let id = created["id"].as_str().unwrap();
    let expected = format!("admin\n{id}\nlaptop\ntwo words\n");
    assert_eq!(name(&["identity", "list"]), expected);
    assert_eq!(name(&["identity", "show", "laptop"]), "laptop\n");
    let update = ["identity", "update", "laptop", "--name", "desk"];
    assert_eq!(name(&update), "desk\n");
    let delete = ["identity", "delete", "desk", "two words", "--yes"];
    assert_eq!(name(&delete), "desk\ntwo words\n");
    assert_eq!(name(&["whoami"]), "admin\n");
    let enrollments = session.json(&["enrollment", "list"]);
    let id = enrollments[0]["id"].as_str().unwrap();
    assert_eq!(name(&["enrollment", "list"]), format!("{id}\n"));
}

#[test]
fn entities_have_no_links() {
    let session = Session::logged_in();
    let data = r#"{"_links": "mine", "hostname": "localhost", "port": 80, "protocol": "tcp"}"#;
    let create = ["config-type", "create", "any"];
    session.run(&create).success();
    let create = ["config", "create", "wiki", "any", "--json", data];
    let config = session.json(&create);
    assert_eq!(config["data"]["_links"], "mine");
    assert!(config.get("_links").is_none(), "{config}");
    let identity = session.json(&["identity", "show", "admin"]);
    assert!(!identity.to_string().contains("_links"), "{identity}");
    assert_eq!(identity["authPolicy"]["name"], "Default");
    let list = session.run(&["identity", "list", "--output", "yaml"]);
    let list = list.success().text();
    assert!(list.starts_with("- ") && !list.contains("_links"), "{list}");
    let none = ["enrollment", "list", "--output", "yaml"];
    assert_eq!(session.run(&none).success().text(), "[]\n");
}

#[test]
fn lists_are_searched() {
    let session = Session::logged_in();
    for name in ["Laptop-1", "laptop \"2\"", "printer"] {
        session.run(&["identity", "create", name]).success();
    }
    for (term, found) in [
        ("lap", &["Laptop-1", "laptop \"2\""][..]),
        ("\"2", &["laptop \"2\""]),
        ("\" or true or name = \"", &[]),
    ] {
        let list = session.json(&["identity", "list", term]);
        assert_eq!(crate::lists::names(&list), found, "{term}");
    }
    let both = ["identity", "list", "lap", "--filter", "name contains \"1\""];
    assert_eq!(crate::lists::names(&session.json(&both)), ["Laptop-1"]);
    for (arguments, count) in [
        (["enrollment", "list", "PRINT"], 1),
        (["enrollment", "list", "nobody"], 0),
        (["authenticator", "list", "adm"], 1),
        (["session", "list", "127.0"], 1),
        (["session", "list", "print"], 0),
    ] {
        let list = session.json(&arguments);
        assert_eq!(list.as_array().unwrap().len(), count, "{arguments:?}");
    }
}

/// The fields in the help are those of the controller.
#[test]
fn fields_in_the_help_are_those_of_filters() {
    let session = Session::logged_in();
    for (command, path) in [
        ("identity", "identities"),
        ("enrollment", "enrollments"),
        ("authenticator", "authenticators"),
        ("session", "api-sessions"),
        ("revocation", "revocations"),
        ("auth-policy", "auth-policies"),
        ("ca", "cas"),
        ("ext-jwt-signer", "external-jwt-signers"),
        ("service", "services"),
        ("config", "configs"),
        ("config-type", "config-types"),
        ("service-policy", "service-policies"),
        ("edge-router-policy", "edge-router-policies"),
        ("service-edge-router-policy", "service-edge-router-policies"),
        ("posture-check", "posture-checks"),
        ("edge-router", "edge-routers"),
        ("transit-router", "transit-routers"),
        ("terminator", "terminators"),
    ] {
        let answer = session.run(&["api", "GET", path]).success();
        let answer: Value = serde_json::from_slice(&answer.stdout).unwrap();
        let help = session.run(&[command, "list", "--help"]).success().text();
        let fields = help.split("Fields for --filter and --sort").nth(1);
        let fields = fields
            .expect("there are fields")
            .split_once(":\n")
            .unwrap()
            .1;
        let fields = fields.split("\n\n").next().unwrap();
        let fields: Vec<_> = fields.split(',').map(str::trim).collect();
        assert_eq!(
            json!(fields),
            answer["meta"]["filterableFields"],
            "{command}"
        );
    }
}

/// What a filter with a limit shows is what it deletes.
#[test]
fn limits_mean_the_same_everywhere() {
    let session = Session::logged_in();
    for name in ["c", "b", "a"] {
        session.run(&["identity", "create", name]).success();
    }
    for (kind, filter) in [
        ("identity", "isAdmin = false limit 1"),
        ("enrollment", "true limit 1"),
    ] {
        let id = |list: &Value| list[0]["id"].clone();
        let list = [kind, "list", "--filter", filter];
        let shown = session.json(&list);
        let all = session.json(&[&list[..], &["--all"]].concat());
        assert_eq!(id(&all), id(&shown), "{kind}");
        let delete = [kind, "delete", "--dry-run", "--filter", filter];
        let forecast = session.json(&delete);
        assert_eq!(id(&forecast["wouldDelete"]), id(&shown), "{kind}");
    }
}

#[test]
fn others_are_called_by_their_names() {
    let session = Session::logged_in();
    session
        .run(&["config-type", "create", "printer.v1"])
        .success();
    let create = ["config", "create", "upstairs", "printer.v1", "--json", "{}"];
    session.run(&create).success();
    let create = ["service", "create", "print", "--configs", "upstairs"];
    let created = session.run(&create).success().text();
    let shown = session.run(&["service", "show", "print"]).success().text();
    assert_eq!(created, shown);
    assert!(
        shown.contains("configurations:       upstairs\n"),
        "{shown}"
    );
    session.run(&["edge-router", "create", "r1"]).success();
    let columns = ["enrollment", "list", "--columns", "method,router"];
    let enrollments = session.run(&columns).success().text();
    assert!(enrollments.contains("erott   r1\n"), "{enrollments}");
}
