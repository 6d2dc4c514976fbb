//! Invalid arguments and input files.

use crate::environment::Environment;
use insta::assert_snapshot;

#[test]
fn arguments_without_sense_are_refused_before_anything_is_done() {
    refuse(&[
        "",
        "frobnicate",
        "identity",
        "identity create",
        "identity create x --type router",
        "identity create x --updb ann --external-id ann",
        "identity create x --updb ann --enrollment none",
        "identity create x --enrollment none --output-jwt x.jwt",
        "identity create x --output json --output-jwt -",
        "identity update x",
        "identity update x --admin maybe",
        "identity delete",
        "identity delete x --filter true",
        "identity delete --filter=",
        "identity delete --filter= --yes",
        "enrollment delete --filter= --yes",
        "enrollment delete --filter= --identity x --yes",
        "identity list --limit many",
        "identity list --offset -1",
        "identity list --offset 100001",
        "identity list --limit 5 --all",
        "identity list --role-semantic any-of",
        "identity list --role a --role-semantic some",
        "identity list --role @x",
        "identity role-attributes --limit 5",
        "enrollment delete",
        "enrollment delete --dry-run",
        "enrollment delete x --identity y",
        "enrollment delete x --filter true",
        "authenticator",
        "authenticator show",
        "session list --limit 5 --all",
        "api",
        "api GET",
        "api FETCH identities",
        "api GET a//b",
        "api GET ../../version",
        "api GET identities --body {}",
        "api DELETE identities true",
        "api GET identities --query limit",
        "api GET identities true --query filter=true",
        "api GET edge/management/v1/identities --client",
        "enrollment refresh x --expires-in soon",
        "enrollment refresh x --expires-in -5m",
        "enrollment show x --force",
        "enroll x.jwt --key-type dsa",
        "login http://localhost:1280 --username admin",
        "login https://admin:s3cret@localhost:1280 --username admin",
        "login https://localhost:1280",
        "login",
        "login https://localhost:1280 --yes --ca x.pem",
        "whoami --output xml",
        "version --timeout 0",
        "version --profile=",
    ]);
}

#[test]
fn arguments_about_credentials_are_refused_where_they_make_no_sense() {
    refuse(&[
        "authenticator create x",
        "authenticator create x --username u --cert f",
        "authenticator create x --cert f --password p",
        "authenticator update",
        "authenticator delete",
        "authenticator reset",
        "authenticator reset x --output json --output-jwt -",
        "enrollment create",
        "enrollment create x --method ottca",
        "enrollment create x --method updb",
        "enrollment create x --ca c --username u",
        "ca create x",
        "ca verify x",
        "ca verify x --cert f --ca-key k",
        "ca verify x --ca-cert f",
        "ca update x",
        "ca update x --no-external-id --external-id-from san-uri",
        "ca update x --external-id-prefix a --external-id-suffix b",
        "ext-jwt-signer create x --issuer i --audience a",
        "ext-jwt-signer create x --issuer i --audience a --cert f --jwks-endpoint u",
        "ext-jwt-signer create x --cert f --audience a",
        "ext-jwt-signer update x",
        "password change --current-password-file - --password-file -",
        "enroll x.jwt --cert f",
        "enroll x.jwt --key f",
        "enroll x.jwt --to token",
        "enroll - --ext-jwt -",
        "enroll x.jwt --ext-jwt f --cert c --key k",
        "login --identity f --username u",
        "login --cert f",
        "login https://localhost:1280 --cert f --key k --username u",
        "login https://localhost:1280 --cert f --key k --password-file p",
        "password change --username=",
        "authenticator update x --username=",
        "authenticator create x --username=",
        "identity create x --updb=",
        "identity create x --external-id=",
        "enrollment create x --username=",
        "login https://localhost:1280 --username=",
        "login --ext-jwt f --cert c --key k",
        "login https://localhost:1280 -u u --second-ext-jwt -",
        "renew",
        "renew --identity f --key-type p384",
        "session show",
        "session delete",
        "session delete x --identity y",
        "auth-policy show",
        "auth-policy create",
        "auth-policy create x --cert maybe",
        "auth-policy create x --require-totp",
        "auth-policy create x --max-attempts -1",
        "auth-policy update",
        "auth-policy delete",
        "auth-policy delete x --filter true",
    ]);
}

/// Expects each line to be refused for its arguments alone.
#[track_caller]
#[test]
fn arguments_about_services_and_routers_are_refused_where_they_make_no_sense() {
    refuse(&[
        "service",
        "service create",
        "service create x --encryption perhaps",
        "service create x --terminator-strategy dice",
        "service create x --max-idle-time 5",
        "service update x",
        "service delete x --filter true",
        "config create x host.v1",
        "config create x host.v1 --json {} --file x.json",
        "config create x --json {}",
        "config update x",
        "config-type create x --target moon",
        "config-type update x",
        "service-policy create x",
        "service-policy create x look",
        "service-policy create x dial --service-roles web",
        "service-policy create x dial --identity-roles #",
        "service-policy create x dial --semantic some-of",
        "service-policy update x",
        "edge-router-policy create x dial",
        "edge-router-policy update x",
        "service-edge-router-policy create x --identity-roles #all",
        "service-edge-router-policy update x",
        "edge-router create x --cost 65536",
        "edge-router create x --output json --output-jwt -",
        "edge-router create x --force",
        "edge-router re-enroll",
        "edge-router update x",
        "edge-router update x --no-traversal",
        "transit-router create x --role-attributes a",
        "transit-router update x",
        "terminator create x y",
        "terminator create x y z --precedence best",
        "terminator update x",
        "terminator delete",
        "policy-advisor",
        "policy-advisor identities a b c",
        "policy-advisor services --limit 0",
    ]);
}

fn refuse(lines: &[&str]) {
    let environment = Environment::new();
    for line in lines {
        let outcome = environment.run(line);
        assert_eq!(outcome.code, 2, "{line}: {}", outcome.stderr);
        assert_eq!(outcome.stdout, "", "{line}");
        assert!(!outcome.stderr.is_empty(), "{line}");
    }
    assert!(!environment.profiles().exists());
}

#[test]
fn files_are_named_when_they_are_not_what_they_should_be() {
    let environment = Environment::new();
    environment.write("empty.jwt", "");
    environment.write("words.json", "words");
    let transcript = environment.transcript(&[
        "enroll missing.jwt",
        "enroll empty.jwt",
        "whoami --identity missing.json",
        "whoami --identity words.json",
        "login https://localhost:1280 -u admin --ca missing.pem",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis enroll missing.jwt
        error: missing.jwt cannot be read: it does not exist
        hint: the first argument is the file with the token, which administrators write with `portcullis enrollment show ID --output-jwt FILE`
        [1]
        $ portcullis enroll empty.jwt
        error: this is not an enrollment token
        hint: an enrollment token is a single line with three parts separated by dots
        [1]
        $ portcullis whoami --identity missing.json
        error: missing.json cannot be read: it does not exist
        [1]
        $ portcullis whoami --identity words.json
        error: words.json is not an identity file (line 1, column 1)
        hint: `portcullis enroll TOKEN` creates one
        [1]
        $ portcullis login https://localhost:1280 -u admin --ca missing.pem
        error: missing.pem cannot be read: it does not exist
        [1]
        ");
}

#[test]
fn username_and_password_come_from_one_place_each() {
    let environment = Environment::new();
    let transcript = environment.transcript(&[
        "login https://localhost:1280",
        "login https://localhost:1280 -u admin --password-file empty --password s3cret",
    ]);
    assert_snapshot!(transcript, @r"
        $ portcullis login https://localhost:1280
        error: the username is missing
        hint: add `--username NAME`, or `--browser` to log in in a browser
        [2]
        $ portcullis login https://localhost:1280 -u admin --password-file empty --password s3cret
        error: the argument '--password-file <FILE>' cannot be used with '--password <PASSWORD>'

        Usage: portcullis login --username <NAME> --password-file <FILE> <URL>

        For more information, try '--help'.
        [2]
        ");
}
