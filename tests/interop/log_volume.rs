//! What strangers can make a controller write into its log.

use serde_json::Value;
use support::tools::are_there;
use support::wait::{PATIENCE, until};
use support::{Curl, Site, Tool};

/// The lines of the log about requests of one kind.
fn lines(site: &Site, message: &str) -> Vec<Value> {
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
fn refusals_of_one_client_are_summed_up_and_their_paths_are_cut() {
    if !are_there(&[Tool::Curl]) {
        return;
    }
    let site = Site::new();
    let controller = site.quickstart().start();
    let long = format!("{}/{}", controller.url(), "x".repeat(20_000));
    let rounds = 10;
    for _ in 0..rounds {
        // Five on one connection; the first is the one that is asked for, the others are added.
        let more = vec![long.as_str(); 4];
        let curl = Curl::new(&long, &controller.ca()).arguments(more);
        curl.send().expect(404);
    }
    let counted = until(PATIENCE, || {
        let whole = lines(&site, "request refused");
        let summed = lines(&site, "requests were refused");
        let suppressed: u64 = summed
            .iter()
            .filter_map(|line| line["suppressed"].as_u64())
            .sum();
        match whole.len() as u64 + suppressed {
            50 => Ok((whole, summed)),
            other => Err(other),
        }
    });
    let (whole, summed) = counted.unwrap();
    for line in &whole {
        assert_eq!(line["span"]["path"].as_str().unwrap().len(), 200, "{line}");
    }
    for line in &summed {
        assert_eq!(line["peer"], "127.0.0.1", "{line}");
    }
    assert!(site.logged().lines().all(|line| line.len() <= 8 * 1024));

    // A path that is known is shown as what it is.
    let url = format!(
        "{}/edge/management/v1/identities/a-long-id?token=secret",
        controller.url()
    );
    Curl::new(&url, &controller.ca()).send().expect(401);
    let shown = until(PATIENCE, || {
        let lines = lines(&site, "request refused");
        let last = lines.last().unwrap();
        if last["status"] == 401 {
            Ok(last.clone())
        } else {
            Err(last.clone())
        }
    });
    let span = &shown.unwrap()["span"];
    assert_eq!(
        (&span["api"], &span["path"]),
        (&"edge-management".into(), &"/identities/{id}".into())
    );
}
