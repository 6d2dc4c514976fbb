use std::net::IpAddr;
use std::path::{Path, PathBuf};

use portcullis_controller_config::{
    GenerateError, GenerateOptions, HomeLayout, PemSource, SourceText, generate, read_files, schema,
};
use portcullis_key_table::parse_value;
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, RngSeed};

use crate::no_variables;

#[test]
fn a_generated_file_is_read_without_a_word() {
    let mut parameters = GenerateOptions::new("2001:db8::1", 8443);
    parameters.interface = "::";
    parameters.ctrl_port = 8444;
    parameters.trust_domain = Some("network.example");
    parameters.fetch_keys_from_loopback = true;
    let text = generate(&parameters).expect("parameters can be written");
    let comments = text
        .lines()
        .filter(|line| line.trim_start().starts_with('#'))
        .count();
    assert!(comments > 10, "{text}");
    // Sections that are offered in comments can be taken as they stand.
    let text = text
        .replace("# audit:\n#   file", "audit:\n  file")
        .replace("# log:\n#   filter", "log:\n  filter");

    let folder = Path::new("/var/lib/portcullis");
    let file = SourceText {
        text: &text,
        folder,
    };
    let outcome = read_files(&[file], &no_variables);
    assert_eq!(outcome.diagnostics, [], "{text}");
    let config = outcome.config.expect("file is complete");
    assert_eq!(
        config.store.store_path(),
        Path::new("/var/lib/portcullis/ctrl.db.portcullis")
    );
    let audit = config.audit.file.expect("the section is taken");
    assert_eq!(audit, folder.join("audit.jsonl"));
    assert_eq!(config.edge.api.address.to_string(), "[2001:db8::1]:8443");
    assert_eq!(config.ctrl.listener.to_string(), "tls:[::]:8444");
    assert_eq!(
        config
            .ctrl
            .advertise_address
            .map(|a| a.to_string())
            .as_deref(),
        Some("tls:[2001:db8::1]:8444")
    );
    assert_eq!(config.trust_domain.as_deref(), Some("network.example"));
    let allowed = config.edge.external_jwt_signers.jwks_fetch.allowed_ips;
    for (text, expected) in [
        ("127.0.0.9", true),
        ("::1", true),
        ("10.0.0.1", false),
        ("::2", false),
    ] {
        let address: IpAddr = text.parse().expect("address is valid");
        let is_allowed = allowed.iter().any(|network| network.contains(address));
        assert_eq!(is_allowed, expected, "{text}");
    }
}

#[test]
fn what_a_file_cannot_say_is_refused() {
    let dollar = generate(&GenerateOptions::new("host.$USER", 1280));
    assert!(
        matches!(dollar, Err(GenerateError::ContainsDollar { value }) if value.contains("$USER"))
    );
    let empty = generate(&GenerateOptions::new(" ", 1280));
    assert_eq!(empty, Err(GenerateError::InvalidAddress));
    assert_eq!(
        generate(&GenerateOptions::new("localhost", 0)),
        Err(GenerateError::InvalidAddress)
    );
}

proptest! {
    #![proptest_config(Config {
        cases: 100,
        rng_algorithm: RngAlgorithm::ChaCha,
        rng_seed: RngSeed::Fixed(0x0067_656e),
        failure_persistence: None,
        ..Config::default()
    })]

    #[test]
    fn files_stand_in_the_directory_of_the_file_whatever_its_name(name in ".{1,20}") {
        let home = PathBuf::from(format!("/h/{name}"));
        let options = GenerateOptions::new("ctrl.example.test", 1280);
        let text = generate(&options).expect("host can be written");
        let file = SourceText { text: &text, folder: &home };
        let outcome = read_files(&[file], &no_variables);
        prop_assert_eq!(&outcome.diagnostics, &[], "{}", text);
        let config = outcome.config.expect("file is complete");
        let files = HomeLayout::under(&home);
        prop_assert_eq!(config.identity.server_key, PemSource::File(files.server_key));
        prop_assert_eq!(config.edge.enrollment.signing_cert.cert, PemSource::File(files.signing_cert));
    }
}

#[test]
fn the_schema_takes_a_generated_file() {
    let validator = jsonschema::validator_for(&schema()).expect("the schema is one");
    assert!(jsonschema::meta::is_valid(&schema()));
    let text = generate(&GenerateOptions::new("ctrl.example.test", 1280)).expect("it is a file");
    let file = parse_value(&text).expect("it is YAML");
    let errors = validator.iter_errors(&file);
    let complaints: Vec<_> = errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert_eq!(complaints, [""; 0]);
}
