use super::*;

fn point(labels: &[(&str, &str)], value: PointValue) -> Point {
    Point {
        labels: labels
            .iter()
            .fold(Labels::default(), |labels, (name, value)| {
                labels.with(name, value)
            }),
        value,
        time: None,
    }
}

#[test]
fn families_of_several_sources_are_described_once() {
    let mut page = Page::new(Exposition::Prometheus);
    assert!(page.add("b", "B", &point(&[("source", "2")], PointValue::Counter(1))));
    assert!(page.add("a", "A", &point(&[], PointValue::Gauge(0.5))));
    assert!(page.add(
        "b",
        "B again",
        &point(&[("source", "1")], PointValue::Counter(2))
    ));
    assert_eq!(page.len(), 3);
    assert_eq!(
        page.finish(),
        "# TYPE a gauge\n# HELP a A\na 0.5\n\
         # TYPE b_total counter\n# HELP b_total B\nb_total{source=\"1\"} 2\nb_total{source=\"2\"} 1\n"
    );
}

#[test]
fn what_would_be_there_twice_is_left_out() {
    let mut page = Page::new(Exposition::OpenMetrics);
    let summary = PointValue::Summary {
        unit: None,
        count: 0,
        total: None,
        quantiles: [0.0; QUANTILES.len()],
    };
    assert!(page.add("a.b", "", &point(&[], PointValue::Gauge(1.0))));
    // The same name once it is written.
    assert!(!page.add("a_b", "", &point(&[], PointValue::Gauge(2.0))));
    assert!(!page.add("a_b", "", &point(&[("x", "y")], PointValue::Counter(2))));
    assert!(page.add("s", "", &point(&[], summary)));
    assert!(!page.add("s_sum", "", &point(&[], PointValue::Gauge(1.0))));
    // Ends as the sample of a counter would, and is a gauge with another name.
    assert!(page.add("t_total", "", &point(&[], PointValue::Gauge(1.0))));
    assert!(page.add("workers.count", "", &point(&[], PointValue::Integer(7))));
    let text = page.finish();
    assert!(text.contains("\na_b 1\n"), "{text}");
    assert!(text.contains("\nt 1\n"), "{text}");
    assert!(text.contains("\nworkers_c 7\n"), "{text}");
}

#[test]
fn sizes_have_their_unit_in_their_name() {
    let mut page = Page::new(Exposition::OpenMetrics);
    assert!(page.add("a.size", "A", &point(&[], PointValue::Bytes(u64::MAX))));
    assert_eq!(
        page.finish(),
        "# TYPE a_size_bytes gauge\n# UNIT a_size_bytes bytes\n# HELP a_size_bytes A\n\
         a_size_bytes 18446744073709551615\n# EOF\n"
    );
}

#[test]
fn histograms_have_all_that_their_kind_demands() {
    let mut page = Page::new(Exposition::OpenMetrics);
    let buckets = Buckets {
        cumulative: vec![(0.005, 1), (1.0, 1), (f64::INFINITY, 2)],
        total: 3.25,
    };
    let timed = Point {
        time: Some(Timestamp::from_millisecond(1_795_389_100_086).unwrap()),
        ..point(&[("z", "1"), ("b", "2")], PointValue::Buckets(buckets))
    };
    assert!(page.add(
        "http.server.request.duration",
        "Time\nof \"requests\"",
        &timed
    ));
    assert_eq!(
        page.finish(),
        "# TYPE http_server_request_duration_seconds histogram\n\
         # UNIT http_server_request_duration_seconds seconds\n\
         # HELP http_server_request_duration_seconds Time_of _requests_\n\
         http_server_request_duration_seconds_bucket{b=\"2\",z=\"1\",le=\"0.005\"} 1 1795389100.086\n\
         http_server_request_duration_seconds_bucket{b=\"2\",z=\"1\",le=\"1.0\"} 1 1795389100.086\n\
         http_server_request_duration_seconds_bucket{b=\"2\",z=\"1\",le=\"+Inf\"} 2 1795389100.086\n\
         http_server_request_duration_seconds_sum{b=\"2\",z=\"1\"} 3.25 1795389100.086\n\
         http_server_request_duration_seconds_count{b=\"2\",z=\"1\"} 2 1795389100.086\n\
         # EOF\n"
    );
}

#[test]
fn format_is_what_the_scraper_accepts() {
    for (accept, format) in [
        ("", Exposition::Prometheus),
        ("*/*", Exposition::Prometheus),
        ("text/plain", Exposition::Prometheus),
        (
            "application/openmetrics-text;version=1.0.0,text/plain;q=0.5",
            Exposition::OpenMetrics,
        ),
        (
            "text/plain;q=0.5, Application/OpenMetrics-Text; q=0.8",
            Exposition::OpenMetrics,
        ),
        ("application/openmetrics-text;q=0", Exposition::Prometheus),
        ("application/openmetrics-textual", Exposition::Prometheus),
    ] {
        assert_eq!(Exposition::from_accept(accept), format, "{accept}");
    }
}

#[test]
fn families_have_the_names_of_opentelemetry() {
    let mut page = Page::new(Exposition::OpenMetrics);
    let labelled = point(&[("http.route", "/a")], PointValue::Counter(3));
    assert!(page.add("portcullis.logins", "Logins.", &labelled));
    assert!(!page.add("portcullis_logins", "Again.", &labelled));
    let families: Vec<_> = page.into_families().collect();
    let expected = PointFamily {
        name: "portcullis.logins".to_owned(),
        help: "Logins.".to_owned(),
        points: vec![labelled],
    };
    assert_eq!(families, [expected]);
}
