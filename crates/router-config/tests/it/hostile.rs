//! Files that nobody should write.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use portcullis_router_config::openziti::{self, Machine};
use portcullis_router_config::{
    CheckOptions, MAX_FILE_SIZE, SourceFile, Verdict, check, file_too_large, load, report_json,
};
use proptest::prelude::*;

use crate::recorded::{bytes, cases};

/// Reads a file in every way there is.
pub(crate) fn read(file: &[u8]) -> (Verdict, Verdict) {
    let text = SourceFile::new("router.yml", file);
    let lookup = |name: &str| (name.len() < 3).then(|| name.repeat(50));
    let report = check(&text, &CheckOptions::new().environment(&lookup));
    let loaded = load(
        &text,
        &CheckOptions::new().allow_unknown(true).environment(&lookup),
    );
    let judgment = openziti::evaluate(&text, &Machine::new().environment(&lookup));
    let (again, effective) = openziti::load(&text, &Machine::new().environment(&lookup));
    assert_eq!(judgment, again, "defaults do not change the verdict");
    assert_eq!(
        judgment.verdict == Verdict::Accept,
        judgment.stage.is_none()
    );
    let errors = report
        .findings
        .iter()
        .any(|f| f.diagnostic.severity == portcullis_router_config::Severity::Error);
    assert_eq!(report.verdict == Verdict::Refuse, errors);
    for finding in report.findings.iter().chain(&judgment.findings) {
        assert!(
            finding.diagnostic.line > 0 && finding.diagnostic.column > 0,
            "{finding:?}"
        );
        assert!(finding.reference().starts_with("docs/router-config.md#"));
    }
    let _ = (loaded.effective.to_yaml(), effective.to_json());
    let _ = report_json("router.yml", report.verdict, &report.findings).to_string();
    (report.verdict, judgment.verdict)
}

#[test]
fn hostile_files_are_refused_in_bounded_time() {
    let bomb = (0..30).fold("a: &a0 [x, x]\n".to_owned(), |mut text, n| {
        // Writing into a string cannot fail.
        let _ = writeln!(text, "b{n}: &a{} [*a{n}, *a{n}]", n + 1);
        text
    });
    let files: Vec<(&str, Vec<u8>)> = vec![
        ("empty", vec![]),
        ("blank", b"  \n\n# nothing\n".to_vec()),
        ("bomb", bomb.into_bytes()),
        ("levels", "[".repeat(10_000).into_bytes()),
        ("maps", "{a: ".repeat(10_000).into_bytes()),
        (
            "indented",
            (0..1_000)
                .fold(String::new(), |mut text, n| {
                    let _ = writeln!(text, "{}a:", " ".repeat(n));
                    text
                })
                .into_bytes(),
        ),
        ("no text", vec![0xFF; 1_000]),
        ("NUL", b"v: 3\nx: \0\n".to_vec()),
        ("too large", vec![b'a'; MAX_FILE_SIZE + 1]),
        (
            "keys",
            (0..20_000)
                .fold(String::new(), |mut text, n| {
                    let _ = writeln!(text, "k{n}: $x{n}");
                    text
                })
                .into_bytes(),
        ),
        ("tabs", b"v: 3\n\tctrl: x\n".to_vec()),
    ];
    for (name, file) in files {
        let start = Instant::now();
        let (ours, theirs) = read(&file);
        // The file can be read, but has no version.
        let crashes = matches!(name, "keys" | "indented");
        assert_eq!(ours, Verdict::Refuse, "{name}");
        assert_eq!(
            theirs,
            if crashes {
                Verdict::Crash
            } else {
                Verdict::Refuse
            },
            "{name}"
        );
        // Each file is read five times, by a program without optimization on a busy machine. How long it
        // really takes is measured by `cargo xtask bench --only router-config`.
        assert!(
            start.elapsed() < Duration::from_mins(1),
            "{name}: {:?}",
            start.elapsed()
        );
    }
    assert_eq!(file_too_large().code, "too-large");
}

#[test]
fn byte_order_marks_and_line_ends_do_not_matter() {
    let file = "v: 3\nidentity: {cert: /a, key: /b, server_cert: /c, ca: /d}\nctrl: {endpoint: tls:a:1}\ncsr: {sans: {dns: [a]}}\n";
    let utf16: Vec<u8> = std::iter::once(0xFEFF)
        .chain(file.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for bytes in [
        file.as_bytes().to_vec(),
        format!("\u{FEFF}{file}").into_bytes(),
        file.replace('\n', "\r\n").into_bytes(),
        file.replace('\n', "\r").into_bytes(),
        utf16,
    ] {
        assert_eq!(
            read(&bytes),
            (Verdict::Accept, Verdict::Accept),
            "{bytes:?}"
        );
        assert!(
            SourceFile::new("router.yml", &bytes)
                .decoded()
                .starts_with("v: 3")
        );
    }
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("~".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("[~, 1, a]".to_owned()),
        Just("{binding: 5, options: [x]}".to_owned()),
        Just("9223372036854775807".to_owned()),
        Just("-9223372036854775808".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just(".nan".to_owned()),
        Just("-.inf".to_owned()),
        Just("1e300".to_owned()),
        Just("-292y".to_owned()),
        Just("2562047h47m16.854775807s".to_owned()),
        Just("\"tls:[::1%\\u00e9]:1\"".to_owned()),
        Just("\"file:%\"".to_owned()),
        Just("${A}".to_owned()),
        "[a-z0-9:/.%$\\[\\]-]{0,12}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(300) })]

    #[test]
    fn no_bytes_make_it_panic(file in proptest::collection::vec(any::<u8>(), 0..200)) {
        read(&file);
    }

    #[test]
    fn no_value_of_any_key_makes_it_panic(
        keys in proptest::collection::vec((any::<proptest::sample::Index>(), scalar()), 1..6)
    ) {
        let mut paths = Vec::new();
        portcullis_router_config::table::visit_keys(&mut |path, _| paths.push(path.to_owned()));
        let mut file = String::from("v: 3\n");
        for (index, value) in keys {
            write(&mut file, &paths[index.index(paths.len())], &value);
        }
        read(file.as_bytes());
    }

    #[test]
    fn no_changed_line_of_a_case_makes_it_panic(
        which in any::<proptest::sample::Index>(),
        line in any::<proptest::sample::Index>(),
        value in scalar(),
    ) {
        static CASES: std::sync::OnceLock<Vec<Vec<u8>>> = std::sync::OnceLock::new();
        let cases = CASES.get_or_init(|| cases().iter().map(bytes).collect());
        if !cases.is_empty() {
            let text = String::from_utf8_lossy(&cases[which.index(cases.len())]).into_owned();
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            if !lines.is_empty() {
                let chosen = line.index(lines.len());
                if let Some((key, _)) = lines[chosen].clone().split_once(": ") {
                    lines[chosen] = format!("{key}: {value}");
                }
            }
            read(lines.join("\n").as_bytes());
        }
    }
}

/// Writes one key by its path, each step on a line of its own.
fn write(file: &mut String, path: &str, value: &str) {
    let mut indent = 0;
    let steps: Vec<&str> = path.split('.').collect();
    for (position, step) in steps.iter().enumerate() {
        let (name, binding) = step.split_once('[').unwrap_or((step, ""));
        let last = position + 1 == steps.len();
        let end = if last {
            format!(" {value}")
        } else {
            String::new()
        };
        let _ = writeln!(file, "{}{name}:{end}", " ".repeat(indent));
        indent += 2;
        if !last && step.contains('[') {
            let binding = binding.trim_end_matches(']');
            let first = if binding.is_empty() { "x" } else { binding };
            let _ = writeln!(file, "{}- binding: {first}", " ".repeat(indent));
            indent += 2;
        }
    }
}
