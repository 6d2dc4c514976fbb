//! What strangers can make a controller write into its log.

use serde_json::Value;
use support::tools::are_available;
use support::wait::{DEFAULT_TIMEOUT, until};
use support::{Curl, TestDirectory, Tool};

/// The lines of the log about requests of one kind.
fn lines(site: &TestDirectory, message: &str) -> Vec<Value> {
    let lines = site.logged();
    let lines = lines.lines().map(serde_json::from_str::<Value>);
    let lines = lines.filter_map(Result::ok);
    lines
        .filter(|line| {
            line["message"]
                .as_str()
                .is_some_and(|text| text.starts_with(message))
        })
        .collect()
}

#[test]
fn refusals_of_one_client_are_summed_up_and_what_it_says_is_cut() {
    if !are_available(&[Tool::Curl]) {
        return;
    }
    let site = TestDirectory::new();
    let controller = site.quickstart().start();
    // A path that is known is shown as what it is.
    let url = format!(
        "{}/edge/management/v1/identities/a-long-id?token=secret",
        controller.url()
    );
    let unusual = "M".repeat(30_000);
    let version = format!("{}/edge/management/v1/version", controller.url());
    let request = Curl::new(&version, &controller.ca());
    let refused = request.arguments(["-X", &unusual]).send();
    assert!(refused.status == 405 && refused.body.len() < 1024);
    Curl::new(&url, &controller.ca()).send().expect_status(401);
    let shown = until(DEFAULT_TIMEOUT, || {
        match lines(&site, "request refused").last() {
            Some(last) if last["status"] == 401 => Ok(last.clone()),
            other => Err(other.cloned()),
        }
    });
    let methods = lines(&site, "request refused");
    let methods = methods.iter().map(|line| &line["span"]["method"]);
    assert_eq!(methods.collect::<Vec<_>>(), [&unusual[..32], "GET"]);
    let span = &shown.unwrap()["span"];
    assert_eq!(
        (&span["api"], &span["path"]),
        (&"edge-management".into(), &"/identities/{id}".into())
    );

    let long = format!("{}/{}", controller.url(), "x".repeat(20_000));
    // The first is the one that is asked for, the others are added to its connection.
    let curl = Curl::new(&long, &controller.ca());
    curl.arguments(vec![long.as_str(); 49])
        .send()
        .expect_status(404);
    // Most are told of after a second, and those that came later within a minute.
    let counted = until(2 * DEFAULT_TIMEOUT, || {
        let whole = lines(&site, "request refused");
        let summed = lines(&site, "requests were refused");
        let suppressed: u64 = summed
            .iter()
            .filter_map(|line| line["suppressed"].as_u64())
            .sum();
        match whole.len() as u64 + suppressed {
            52 => Ok((whole, summed)),
            other => Err(other),
        }
    });
    let (whole, summed) = counted.unwrap();
    assert!(whole.len() < 10, "{}", whole.len());
    for line in &whole[2..] {
        assert_eq!(line["span"]["path"].as_str().unwrap().len(), 200, "{line}");
    }
    for line in &summed {
        assert_eq!(line["peer"], "127.0.0.1", "{line}");
    }
    assert!(site.logged().lines().all(|line| line.len() <= 8 * 1024));
}
