//! Files that are no configuration at all: a clear answer, at once, and the other files are judged.

use crate::router_config_support::{RouterConfigFiles, VALID, codes, lines, text};
use std::fs::{self, File};
use std::time::{Duration, Instant};

/// Many times what it takes on a machine that does a lot besides; reading the whole of some of these
/// files would take longer.
const SOON: Duration = Duration::from_mins(1);

fn billion_laughs() -> String {
    let first = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
    ('a'..='i').zip('b'..).fold(first, |file, (before, name)| {
        let uses = vec![format!("*{before}"); 9].join(", ");
        file + &format!("{name}: &{name} [{uses}]\n")
    })
}

fn steps() -> String {
    let mut file = String::new();
    for depth in 0..2_000 {
        file.push_str(&" ".repeat(depth));
        file.push_str("a:\n");
    }
    file
}

#[test]
fn malformed_files_are_refused_with_a_code() {
    let files = RouterConfigFiles::new();
    for (name, content, code) in [
        ("empty.yml", vec![], "yaml-empty"),
        ("bytes.yml", b"v: 3\nctrl: \x80\n".to_vec(), "yaml-encoding"),
        ("nul.yml", b"v: 3\0\n".to_vec(), "yaml-control-character"),
        ("tab.yml", b"v: 3\n\tctrl: 1\n".to_vec(), "yaml-syntax"),
        ("tag.yml", b"[!a,b]".to_vec(), "yaml-syntax"),
        ("open.yml", b"v: [1,\n".to_vec(), "yaml-syntax"),
        ("text.yml", b"only words\n".to_vec(), "wrong-type"),
        ("laughs.yml", billion_laughs().into_bytes(), "yaml-limit"),
        ("deep.yml", "[".repeat(10_001).into_bytes(), "yaml-limit"),
        ("large.yml", vec![b'#'; (4 << 20) + 1], "too-large"),
    ] {
        files.write(name, content);
        for norm in ["portcullis", "openziti"] {
            let judged = files.check_json(&["--as", norm, name], 1);
            assert_eq!(judged["verdict"], "refuse", "{name}");
            assert_eq!(codes(&judged), [code], "{name}");
            assert!(judged["findings"][0]["line"].as_u64().unwrap() > 0);
        }
        let outcome = files.run(&["check", name]).expect_code(1);
        assert_eq!(outcome.stderr, "", "{name}");
        let told = outcome.text();
        assert!(told.starts_with(&format!("error[{code}]: ")), "{told}");
        assert!(
            told.ends_with(&format!("{name}: refused, 1 error\n")),
            "{told}"
        );
    }
}

/// What lies deeper than anybody looks is passed over, and told.
#[test]
fn many_levels_of_an_unknown_key_are_refused() {
    let files = RouterConfigFiles::new();
    files.write("steps.yml", steps());
    for norm in ["portcullis", "openziti"] {
        let judged = files.check_json(&["--as", norm, "steps.yml"], 1);
        assert_ne!(judged["verdict"], "accept");
        assert!(codes(&judged).contains(&"yaml-limit"), "{judged}");
    }
}

#[test]
fn nothing_that_is_no_file_stops_the_others() {
    let files = RouterConfigFiles::new();
    files.write("good.yml", VALID);
    fs::create_dir(files.site.file("folder")).unwrap();
    let arguments = [
        "check",
        "--format",
        "json",
        "none.yml",
        "folder",
        "/proc/self/mem",
        "/dev/zero",
        "good.yml",
    ];
    let outcome = files.run(&arguments).expect_code(1);
    assert_eq!(outcome.stderr, "");
    let lines = lines(&outcome);
    let codes: Vec<_> = lines.iter().flat_map(codes).collect();
    assert_eq!(
        codes[..4],
        ["unreadable", "unreadable", "unreadable", "too-large"]
    );
    assert_eq!(lines[4]["verdict"], "accept");
}

#[test]
fn file_that_is_too_large_is_not_read() {
    let files = RouterConfigFiles::new();
    let path = files.site.file("sparse.yml");
    File::create(&path).unwrap().set_len(1 << 40).unwrap();
    let started = Instant::now();
    let judged = files.check_json(&[text(&path)], 1);
    assert_eq!(codes(&judged), ["too-large"]);
    // A terabyte.
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

#[test]
fn byte_order_mark_and_line_ends_of_windows_do_not_shift_places() {
    let files = RouterConfigFiles::new();
    let file = format!("\u{feff}{VALID}ctl: 1\n").replace('\n', "\r\n");
    files.write("r.yml", file);
    let judged = files.check_json(&["r.yml"], 1);
    let findings = judged["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|finding| finding["code"] == "unknown-key")
        .unwrap();
    assert_eq!((&found["line"], &found["column"]), (&7.into(), &1.into()));
    let told = files.run(&["check", "r.yml"]).expect_code(1).text();
    assert!(told.contains("\n7 | ctl: 1\n  | ^^^ ctl\n"), "{told}");
}

#[test]
fn files_with_many_mistakes_and_long_lines_are_told_soon() {
    let files = RouterConfigFiles::new();
    let keys =
        |end: &str| (0..30_000).fold(String::new(), |all, key| format!("{all}k{key}: 1{end}"));
    let started = Instant::now();
    files.write("lines.yml", format!("v: 3\n{}", keys("\n")));
    files.write("line.yml", format!("{{{}}}", keys(", ")));
    let outcome = files
        .run(&["check", "lines.yml", "line.yml"])
        .expect_code(1);
    assert!(outcome.text().contains("line.yml:1:"));
    assert!(started.elapsed() < SOON, "{:?}", started.elapsed());
}

/// What others wrote cannot drive a terminal, and a key in a file is for no eye.
#[test]
fn nothing_harmful_is_shown() {
    let files = RouterConfigFiles::new();
    files.write(
        "c1.yml",
        format!("{VALID}\"\u{85}\u{9b}2J\": \"\\e[2J\"\nforwarder: \"\\e[2J\u{202e}\"\n"),
    );
    let told = files.run(&["check", "c1.yml"]).expect_code(1).text();
    assert!(!told.contains(['\u{1b}', '\u{9b}', '\u{202e}']), "{told:?}");

    let key = "pem:-----BEGIN PRIVATE KEY-----\\nc2VjcmV0\\n-----END PRIVATE KEY-----";
    let inline = VALID.replace("key: r.key", &format!("key: \"{key}\""));
    files.write(
        "key.yml",
        inline.replace("r.chain.cert", &format!("[\"{key}\"]")),
    );
    let block = "    -----BEGIN PRIVATE KEY-----\n    c2VjcmV0\n\tc2VjcmV0\n";
    files.write("block.yml", format!("v: 3\nidentity:\n  key: |\n{block}"));
    for arguments in [
        &["check", "key.yml", "block.yml"][..],
        &["check", "--as", "openziti", "key.yml", "block.yml"],
        &["check", "--format", "json", "key.yml", "block.yml"],
        &["show", "key.yml"],
        &["show", "--as", "openziti", "key.yml"],
        &["show", "--format", "json", "key.yml"],
    ] {
        let outcome = files.run(arguments);
        let told = outcome.text() + &outcome.stderr;
        assert!(!told.is_empty());
        assert!(!told.contains("c2VjcmV0"), "{arguments:?}: {told}");
    }
}

/// Secrets at right and wrong places, as keys and as values; each holds `sEcReT` or 777123.
const SECRETS: [&str; 2] = [
    r#"v: 3
identity:
  cert: r.cert
  server_cert: r.chain.cert
  key: "pkcs11:/usr/lib/p11.so?slot=0&pin=sEcReT"
  server_key: pem:sEcReT
  ca: [pem:sEcReT]
  "pem:-----BEGIN PRIVATE KEY-----\nsEcReT": 1
  kye: -----BEGIN EC PRIVATE KEY----- sEcReT
ctrl:
  endpoint: tls:ctrl.example.test:6262
  "pem:sEcReT": x
proxy: {type: http, address: x:1, password: 777123, pasword: sEcReT}
web:
  - name: x
    identity: {cert: a, key: "pem:sEcReT $WORD", server_cert: b, ca: c}
    bindPoints: ["pem:-----BEGIN PRIVATE KEY-----\nsEcReT"]
"-----BEGIN PRIVATE KEY-----\nsEcReT": {a: 1, a: 2}
"#,
    r#"v: 3
identity: {cert: a, server_cert: b, ca: c, key: "$KEY", alt_server_certs: [{server_cert: a, server_key: "pem:sEcReT"}]}
ctrl: {endpoint: tls:ctrl.example.test:6262}
proxy: {type: http, address: x:1, username: a, password: sEcReT}
csr: {sans: {dns: [a]}}
"#,
];

#[test]
fn no_secret_is_shown_wherever_it_stands() {
    let files = RouterConfigFiles::new();
    files.write("env", "KEY=pem:sEcReT\nWORD=x\n");
    for (name, file) in ["one.yml", "two.yml"].into_iter().zip(SECRETS) {
        files.write(name, file);
        for command in ["check", "show"] {
            for norm in ["portcullis", "openziti"] {
                for form in [&["--format", "json"][..], &[]] {
                    let arguments = [command, "--as", norm, "--env-file", "env", name];
                    let outcome = files.run(&[&arguments, form].concat());
                    let told = outcome.text() + &outcome.stderr;
                    assert!(told.len() > 50, "{arguments:?} {form:?}: {told}");
                    let secret = told.contains("sEcReT") || told.contains("777123");
                    assert!(!secret, "{arguments:?} {form:?}: {told}");
                }
            }
        }
    }
    let shown = files.run(&["show", "--env-file", "env", "two.yml"]).text();
    assert!(
        shown.contains(r#"password: "(a password)" # line 4"#),
        "{shown}"
    );
}
