use std::path::{Path, PathBuf};

use portcullis_controller_config::{
    CertKeyReference, PemReference, PemSource, ReadOutcome, SourceText, read, read_files,
};

use crate::{SMALLEST, no_variables};

/// Key, line and path of everything that is named.
fn shown(outcome: &ReadOutcome) -> Vec<(String, u32, PathBuf)> {
    let named = &outcome.references;
    let of_pair = |pair: &CertKeyReference| [pair.cert.clone(), pair.key.clone()];
    let of_identities = named.identities.iter().flat_map(|identity| {
        let pairs = identity.pairs().flat_map(of_pair);
        pairs.chain([identity.ca.clone()]).collect::<Vec<_>>()
    });
    let mut shown: Vec<_> = of_identities
        .chain(of_pair(&named.signing))
        .chain([named.signing_ca.clone()])
        .flatten()
        .map(|named| (named.path.to_string(), named.place.line, file(&named)))
        .collect();
    if let Some(store) = &named.store {
        let path = store.location.store_path();
        shown.push((store.path.to_string(), store.place.line, path));
    }
    shown
}

fn file(named: &PemReference) -> PathBuf {
    match &named.source {
        PemSource::File(path) => path.clone(),
        PemSource::Inline(_) => "inline".into(),
    }
}

fn expected(list: &[(&str, u32, &str)]) -> Vec<(String, u32, PathBuf)> {
    let row = |(key, line, path): &(&str, u32, &str)| ((*key).to_owned(), *line, path.into());
    list.iter().map(row).collect()
}

#[test]
fn everything_is_found_once_and_at_its_place() {
    let outcome = read(&[SMALLEST], &no_variables);
    assert_eq!(
        shown(&outcome),
        expected(&[
            ("identity.cert", 3, "a.pem"),
            ("identity.key", 3, "a.key"),
            ("identity.ca", 3, "cas.pem"),
            ("edge.enrollment.signingCert.cert", 10, "s.pem"),
            ("edge.enrollment.signingCert.key", 10, "s.key"),
            ("db", 2, "ctrl.db.portcullis"),
        ])
    );
}

#[test]
fn it_is_found_in_a_file_with_mistakes_too() {
    let text = "\
dbs: x
cluster: {dataDir: data}
identity:
  key: a.key
  server_cert: b.pem
  alt_server_certs: [{server_cert: 'pem:c'}, {server_key: 5}]
web:
  - identity: {ca: d.pem}
  - {}
";
    let outcome = read(&[text], &no_variables);
    assert_eq!(outcome.config, None);
    assert_eq!(
        shown(&outcome),
        expected(&[
            ("identity.key", 4, "a.key"),
            ("identity.server_cert", 5, "b.pem"),
            ("identity.key", 4, "a.key"),
            ("identity.alt_server_certs[0].server_cert", 6, "inline"),
            ("identity.key", 4, "a.key"),
            ("web[0].identity.ca", 8, "d.pem"),
            ("cluster.dataDir", 2, "data/portcullis.redb"),
        ])
    );
}

#[test]
fn each_file_says_where_its_own_relative_paths_start() {
    let home = SMALLEST.replace("v: 3", "v: 3\nrelativePaths: file");
    let over = "identity: {cert: own.pem, key: /abs/own.key}\ndb: ${HERE}/ctrl.db\n";
    let files = [(home.as_str(), "/net"), (over, "/elsewhere")].map(|(text, folder)| SourceText {
        text,
        folder: Path::new(folder),
    });
    let here = |name: &str| (name == "HERE").then(|| "here".to_owned());
    let outcome = read_files(&files, &here);
    let paths: Vec<_> = shown(&outcome).into_iter().map(|row| row.2).collect();
    let expected = [
        "own.pem",
        "/abs/own.key",
        "/net/cas.pem",
        "/net/s.pem",
        "/net/s.key",
        "here/ctrl.db.portcullis",
    ];
    assert_eq!(paths, expected.map(PathBuf::from));

    let config = outcome.config.expect("file is complete");
    assert_eq!(config.identity.ca, PemSource::File("/net/cas.pem".into()));
    assert_eq!(
        config.store.store_path(),
        Path::new("here/ctrl.db.portcullis")
    );
}
