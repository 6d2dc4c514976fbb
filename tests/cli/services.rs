//! Services, what they say to clients, and the types of that.

use crate::Session;
use crate::lists::names;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::fs;

const HOST: &str = r#"{"protocol": "tcp", "address": "localhost", "port": 8080}"#;

#[test]
fn services_and_configurations_live_from_creation_to_deletion() {
    let session = Session::logged_in();
    config_types(&session);
    let host = configs(&session);
    services(&session, &host);
    role_attributes(&session);
    refusals(&session);
    gone(&session);
}

fn config_types(session: &Session) {
    let schema = r#"{"type": "object", "required": ["rate"]}"#;
    fs::write(session.site.file("schema.json"), schema).unwrap();
    let create = ["config-type", "create", "uplink.v1"];
    let own = ["--target", "router", "--file", "schema.json"];
    let made = session.json(&[&create[..], &own].concat());
    assert_eq!(made["target"], "router");
    assert_eq!(made["schema"]["required"], json!(["rate"]));
    let shown = session.json(&["config-type", "show", made["id"].as_str().unwrap()]);
    assert_eq!(shown, made);
    let update = ["config-type", "update", "uplink.v1", "--name", "uplink.v2"];
    assert_eq!(session.json(&update)["name"], "uplink.v2");
    let list = session.json(&["config-type", "list", "--sort", "name", "--all"]);
    let all = names(&list);
    for name in ["host.v1", "host.v2", "intercept.v1", "uplink.v2"] {
        assert!(all.contains(&name), "{name}: {all:?}");
    }
    let table = session.run(&["config-type", "show", "host.v1"]).success();
    assert!(table.text().contains("\"properties\""), "{}", table.text());
}

/// Answers the id of `wiki-host`.
fn configs(session: &Session) -> String {
    let create = ["config", "create", "wiki-host", "host.v1", "--json", HOST];
    let made = session.json(&create);
    assert_eq!(made["configType"]["name"], "host.v1");
    let id = made["id"].as_str().unwrap();
    assert_eq!(session.json(&["config", "show", id]), made);
    let yaml = "protocol: tcp\naddress: localhost\nport: 9090\n";
    fs::write(session.site.file("host.yml"), yaml).unwrap();
    let update = ["config", "update", id, "--file", "host.yml"];
    assert_eq!(session.json(&update)["data"]["port"], 9090);
    let intercept = json!({"protocols": ["tcp"], "addresses": ["wiki.test"],
        "portRanges": [{"low": 80, "high": 80}]});
    let create = ["config", "create", "wiki-intercept", "intercept.v1"];
    session.json(&[&create[..], &["--json", &intercept.to_string()]].concat());
    let list = session.json(&["config", "list", "--sort", "name"]);
    assert_eq!(names(&list), ["wiki-host", "wiki-intercept"]);
    let table = session.run(&["config", "list"]).success().text();
    assert!(table.ends_with("\n2 configurations\n"), "{table}");
    id.to_owned()
}

fn services(session: &Session, host: &str) {
    let create = ["service", "create", "wiki", "-a", "intranet,berlin"];
    let made = session.json(&[&create[..], &["--configs", "wiki-host,wiki-intercept"]].concat());
    assert_eq!(made["roleAttributes"], json!(["berlin", "intranet"]));
    assert_eq!(made["encryptionRequired"], true);
    assert_eq!(made["terminatorStrategy"], "smartrouting");
    assert_eq!(made["configs"].as_array().unwrap().len(), 2);
    let id = made["id"].as_str().unwrap();
    // Details alone say nothing about what was not asked for.
    let mut shown = session.json(&["service", "show", id]);
    shown["config"] = Value::Null;
    assert_eq!(shown, made);
    let update = ["service", "update", "wiki", "--name", "handbook"];
    let more = ["--configs", host, "--max-idle-time", "5m", "-e", "false"];
    let changed = session.json(&[&update[..], &more].concat());
    let expected = json!([
        id,
        "handbook",
        ["berlin", "intranet"],
        false,
        [host],
        300_000,
        "smartrouting"
    ]);
    let members = [
        "id",
        "name",
        "roleAttributes",
        "encryptionRequired",
        "configs",
        "maxIdleTimeMillis",
        "terminatorStrategy",
    ];
    assert_eq!(
        Value::from_iter(members.map(|member| changed[member].clone())),
        expected
    );
    session.json(&[
        "service",
        "create",
        "cache",
        "--terminator-strategy",
        "random",
    ]);
    let by_role = session.json(&["service", "list", "--role", "intranet"]);
    assert_eq!(names(&by_role), ["handbook"]);
    let filter = [
        "service",
        "list",
        "--filter",
        "terminatorStrategy = \"random\"",
    ];
    assert_eq!(names(&session.json(&filter)), ["cache"]);
    let table = session
        .run(&["service", "show", "handbook"])
        .success()
        .text();
    assert!(table.contains("after 5m"), "{table}");
}

fn role_attributes(session: &Session) {
    let all = session.json(&["service", "role-attributes"]);
    assert_eq!(all, json!(["berlin", "intranet"]));
    let filter = [
        "service",
        "role-attributes",
        "--filter",
        "id contains \"ber\"",
    ];
    assert_eq!(session.json(&filter), json!(["berlin"]));
    let clear = ["service", "update", "handbook", "-a", ""];
    assert!(
        session.json(&clear)["roleAttributes"]
            .as_array()
            .is_none_or(Vec::is_empty)
    );
    assert_eq!(session.json(&["service", "role-attributes"]), json!([]));
}

/// Each is told with the place that is at fault, and changes nothing.
fn refusals(session: &Session) {
    session.json(&["config", "create", "second-host", "host.v1", "--json", HOST]);
    let no_port = r#"{"protocol": "tcp", "address": "localhost", "port": "many"}"#;
    let schema = r#"{"type": "object", "properties": {"a": {"type": "nonsense"}}}"#;
    let transcript = session.transcript(&[
        "config create x nope.v1 --json {}",
        "config create x host.v1",
        "config create x host.v1 --json []",
        &format!("config create x host.v1 --json '{no_port}'"),
        &format!("config update wiki-host --json '{no_port}'"),
        "config update wiki-host",
        &format!("config create wiki-host host.v1 --json '{HOST}'"),
        "config update wiki-intercept --name wiki-host",
        "config show nobody",
        "config-type create host.v1",
        &format!("config-type create x --json '{schema}'"),
        "config-type update host.v1",
        "config-type delete host.v1",
        "service create handbook",
        "service create ' '",
        "service create x --configs nope",
        "service create x --configs wiki-host,second-host",
        "service create x -a #a",
        "service create x --terminator-strategy best",
        "service create x --max-idle-time -5m",
        "service update handbook",
        "service update nobody -a x",
        "service delete nobody",
    ]);
    // Which of the two is named depends on their ids.
    let transcript = ["wiki-host", "second-host"]
        .into_iter()
        .fold(transcript, |text, name| {
            let id = session.json(&["config", "show", name])["id"].clone();
            text.replace(id.as_str().unwrap(), "HOST")
        });
    assert_snapshot!(transcript, @r#"
        $ portcullis config create x nope.v1 --json {}
        error: no configuration type with id or name `nope.v1` exists
        hint: run `portcullis config-type list` to list them
        [1]
        $ portcullis config create x host.v1
        error: the data of the configuration is missing
        hint: pass it with `--json TEXT` or `--file FILE`
        [2]
        $ portcullis config create x host.v1 --json []
        error: --json must be a JSON object
        hint: objects have braces: `{"hostname": "localhost"}`
        [2]
        $ portcullis config create x host.v1 --json '{"protocol": "tcp", "address": "localhost", "port": "many"}'
        error: `port`: must be an integer, not a string
        request id: REQUEST
        [1]
        $ portcullis config update wiki-host --json '{"protocol": "tcp", "address": "localhost", "port": "many"}'
        error: `port`: must be an integer, not a string
        request id: REQUEST
        [1]
        $ portcullis config update wiki-host
        error: nothing to change: no options were given
        hint: see `portcullis config update --help`
        [2]
        $ portcullis config create wiki-host host.v1 --json '{"protocol": "tcp", "address": "localhost", "port": 8080}'
        error: a configuration named `wiki-host` exists already
        hint: see it with `portcullis config show wiki-host`
        request id: REQUEST
        [1]
        $ portcullis config update wiki-intercept --name wiki-host
        error: a configuration named `wiki-host` exists already
        hint: see it with `portcullis config show wiki-host`
        request id: REQUEST
        [1]
        $ portcullis config show nobody
        error: no configuration with id or name `nobody` exists
        hint: run `portcullis config list` to list them
        [1]
        $ portcullis config-type create host.v1
        error: a configuration type named `host.v1` exists already
        hint: see it with `portcullis config-type show host.v1`
        request id: REQUEST
        [1]
        $ portcullis config-type create x --json '{"type": "object", "properties": {"a": {"type": "nonsense"}}}'
        error: `schema`: `/properties/a/type` matches none of the allowed schemas
        request id: REQUEST
        [1]
        $ portcullis config-type update host.v1
        error: nothing to change: no options were given
        hint: see `portcullis config-type update --help`
        [2]
        $ portcullis config-type delete host.v1
        error: the config type is still used by the config `wiki-host` (HOST); change or delete that one first
        request id: REQUEST
        [1]
        $ portcullis service create handbook
        error: a service named `handbook` exists already
        hint: see it with `portcullis service show handbook`
        request id: REQUEST
        [1]
        $ portcullis service create ' '
        error: `name`: must not be blank
        request id: REQUEST
        [1]
        $ portcullis service create x --configs nope
        error: no configuration with id or name `nope` exists
        hint: run `portcullis config list` to list them
        [1]
        $ portcullis service create x --configs wiki-host,second-host
        error: `configs`: only one config of type host.v1 is allowed, and HOST already is one
        request id: REQUEST
        [1]
        $ portcullis service create x -a #a
        error: --role-attributes: invalid role attributes: roleAttributes: role attributes must not begin with #; that prefix belongs to selectors in policies
        [2]
        $ portcullis service create x --terminator-strategy best
        error: invalid value 'best' for '--terminator-strategy <STRATEGY>'
          [possible values: smartrouting, weighted, random, sticky]

        For more information, try '--help'.
        [2]
        $ portcullis service create x --max-idle-time -5m
        error: invalid value '-5m' for '--max-idle-time <DURATION>': must not be negative, or longer than about 292 million years

        For more information, try '--help'.
        [2]
        $ portcullis service update handbook
        error: nothing to change: no options were given
        hint: see `portcullis service update --help`
        [2]
        $ portcullis service update nobody -a x
        error: no service with id or name `nobody` exists
        hint: run `portcullis service list` to list them
        [1]
        $ portcullis service delete nobody
        error: no service with id or name `nobody` exists
        hint: run `portcullis service list` to list them
        [1]
        "#);
    assert_eq!(
        session.json(&["config", "show", "wiki-host"])["data"]["port"],
        9090
    );
    assert_eq!(
        names(&session.json(&["service", "list", "--sort", "name"])),
        ["cache", "handbook"]
    );
    // What a name means is never guessed.
    let id = session.json(&["service", "show", "cache"])["id"].clone();
    let id = id.as_str().unwrap();
    session.json(&["service", "create", id]);
    let refused = session.run(&["service", "show", id]).expect_code(1).stderr;
    assert!(refused.contains(&format!("`id:{id}`")), "{refused}");
    session
        .run(&["service", "delete", &format!("name:{id}")])
        .success();
}

fn gone(session: &Session) {
    session.run(&["config", "delete", "wiki-host"]).success();
    let left = session.json(&["service", "show", "handbook"]);
    assert!(
        left["configs"].as_array().is_none_or(Vec::is_empty),
        "{left}"
    );
    let delete = ["service", "delete", "--yes", "--filter", "true"];
    assert_eq!(
        session.json(&delete)["deleted"].as_array().unwrap().len(),
        2
    );
    session
        .run(&["config-type", "delete", "uplink.v2"])
        .success();
    let table = session.run(&["service", "list"]).success().text();
    assert_eq!(table, "no services\n");
}

#[test]
fn users_without_permissions_list_their_own_services() {
    let session = Session::logged_in();
    for line in [
        &[
            "identity",
            "create",
            "carl",
            "--updb",
            "carl",
            "--output-jwt",
            "carl.jwt",
        ][..],
        &["service", "create", "wiki"],
        &["service", "create", "payroll"],
        &[
            "service-policy",
            "create",
            "readers",
            "dial",
            "--service-roles",
            "@wiki",
            "--identity-roles",
            "@carl",
        ],
        &["--profile", "carl", "enroll", "carl.jwt"],
        &["--profile", "carl", "login"],
    ] {
        session.run(line).success();
    }
    let list = ["--profile", "carl", "service", "list"];
    let own = session.run(&list).success();
    assert_eq!(own.text(), "wiki:  dial\n1 service of your own\n");
    assert!(own.stderr.contains("These are yours"), "{}", own.stderr);
    let own = session.json(&list);
    assert_eq!(own[0]["name"], "wiki");

    session.run(&["--profile", "carl", "logout"]).success();
    session.run(&list).expect_code(3);
}
