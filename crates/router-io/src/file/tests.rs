use super::*;

mod openziti;

#[test]
fn apis_that_openziti_lacks_are_not_warned_about() {
    let text = "v: 3
web:
  - name: metrics
    bindPoints: [{interface: '127.0.0.1:5', address: 'localhost:5'}]
    apis: [{binding: metrics}]
";
    let judged = RouterFile::judge(Path::new("r1.yml"), text.as_bytes(), |_path| true);
    let warnings = judged
        .findings
        .iter()
        .filter(|finding| !is_mistake(finding));
    let found: Vec<_> = warnings.map(|finding| finding.diagnostic.code).collect();
    assert!(!found.contains(&codes::ONLY_HERE), "{found:?}");
}

/// A file with this section `ctrl`, which is otherwise good.
fn with_controllers(ctrl: &str) -> String {
    format!(
        "v: 3
identity: {{cert: r.cert, server_cert: r.cert, key: r.key, ca: r.cas}}
ctrl: {{{ctrl}}}
csr: {{sans: {{dns: [r1.example.test]}}}}
"
    )
}

#[test]
fn controllers_that_cannot_be_used_matter_where_no_others_are_known() {
    for ctrl in [
        "",
        "endpoints: []",
        "endpoint: 'tls:localhost:0'",
        "endpoint: 'tls:not a host:6262'",
        "endpoint: 'wss:localhost:443'",
        "endpoints: ['tcp:localhost:6262', 'tls:localhost:0']",
    ] {
        let text = with_controllers(ctrl);
        for has_others in [false, true] {
            let judge = RouterFile::judge(Path::new("r1.yml"), text.as_bytes(), |_| has_others);
            let mistakes: Vec<_> = judge.mistakes().collect();
            assert_eq!(mistakes.is_empty(), has_others, "{ctrl}: {mistakes:?}");
        }
    }
    for other in [
        "wss:localhost:443",
        "tls:localhost:0",
        "tls:not a host:6262",
    ] {
        let text = with_controllers(&format!("endpoints: ['{other}', 'tls:localhost:6262']"));
        let judged = RouterFile::judge(Path::new("r1.yml"), text.as_bytes(), |_| false);
        let file = judged.accepted.expect(other);
        assert_eq!(controller_addresses(&file.config.ctrl).len(), 1, "{other}");
    }
}
