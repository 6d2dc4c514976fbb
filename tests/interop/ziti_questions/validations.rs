//! `ziti fabric validate …` in a network whose parts agree.

use super::stage;

const ONE_ROUTER: &str = r#"name = "r1""#;

/// Validates all routers, with one flag after the other, and those that a filter selects.
fn validate(kind: &str, of_all: &str, of_one: &str, flags: &[&str]) {
    let Some(stage) = stage() else {
        return;
    };
    let told = stage.ziti.agrees(&[kind]);
    assert!(told.contains(of_all), "{told}");
    for flag in flags {
        stage.ziti.agrees(&[kind, flag]);
    }
    let told = stage.ziti.agrees(&[kind, ONE_ROUTER]);
    assert!(told.contains(of_one), "{told}");
    let (outcome, said) = stage.ziti.fabric(&["validate", kind, "bogus("]);
    assert_ne!(outcome.code(), 0, "{said}");
    assert!(!said.contains("started validation"), "{said}");
}

macro_rules! commands {
    ($($test:ident($kind:literal) says $of_all:literal, $of_one:literal with $flags:expr;)*) => {$(
        #[test]
        fn $test() {
            validate($kind, $of_all, $of_one, &$flags);
        }
    )*};
}

commands! {
    circuits("circuits")
        says "validation of 2 ", "validation of 1 "
        with ["--include-valid", "--include-valid-routers"];
    identity_connections("identity-connection-statuses")
        says "validation of 2 ", "validation of 1 "
        with ["--include-successes"];
    // The controller's own is one of them.
    router_data_model("router-data-model")
        says "validation of 3 ", "validation of 2 "
        with ["--include-successes"];
    router_ert_terminators("router-ert-terminators")
        says "validation of 2 ", "validation of 1 "
        with ["--include-valid-routers", "--include-valid-terminators"];
    router_links("router-links")
        says "validation of 2 ", "validation of 1 "
        with ["--include-valid-links", "--include-valid-routers"];
    router_sdk_terminators("router-sdk-terminators")
        says "validation of 2 ", "validation of 1 "
        with ["--include-valid-routers", "--include-valid-terminators"];
}

#[test]
fn router_data_model_without_that_of_the_controller() {
    if let Some(stage) = stage() {
        let flag = "--validate-controller=false";
        let told = stage.ziti.agrees(&["router-data-model", flag]);
        assert!(told.contains("validation of 2 "), "{told}");
    }
}

#[test]
fn terminators() {
    let Some(stage) = stage() else {
        return;
    };
    let ziti = &stage.ziti;
    ziti.agrees(&["terminators"]);
    let of_service = r#"service.name = "echo""#;
    let told = ziti.agrees(&["terminators", "--filter", of_service, "--include-valid"]);
    assert!(told.contains("state: Valid"), "{told}");
    let nothing = ["terminators", "--filter", r#"service.name = "another""#];
    let told = ziti.agrees(&nothing);
    assert!(told.contains("validation of 0 "), "{told}");
}

#[test]
fn terminators_of_hosts_are_counted() {
    let Some(stage) = stage() else {
        return;
    };
    for flag in ["--expected-per-host", "--expected-per-host-and-svc"] {
        let line = ["validate", "terminators", flag, "77"];
        let only = ["--identity-filter", r#"name = "host""#];
        let said = stage.ziti.asked(&[&line[..], &only].concat());
        assert!(said.contains("expected 77 terminators, but had"), "{said}");
    }
}

/// There are none.
#[test]
fn controller_dialers() {
    if let Some(stage) = stage() {
        let (outcome, said) = stage.ziti.fabric(&["validate", "controller-dialers"]);
        assert_ne!(outcome.code(), 0, "{said}");
        assert!(said.contains("controller dialer is not enabled"), "{said}");
    }
}
