//! Section `events`, as it is used.

use std::path::Path;

use portcullis_controller_config::{
    EventFileConfig, EventOutput, EventsConfig, MIN_WAITING_EVENTS, explain, read,
};
use portcullis_events::{Namespace, Subscription};
use portcullis_key_table::complete_path;
use serde_json::json;

use crate::{SMALLEST, no_variables};

/// The section of a file, and the codes of what is said about the file.
fn events(section: &str) -> (EventsConfig, Vec<&'static str>) {
    let text = SMALLEST.replace("v: 3\n", &format!("v: 3\nevents:\n{section}\n"));
    let outcome = read(&[&text], &no_variables);
    let codes = outcome.diagnostics.iter().map(|one| one.code).collect();
    let config = outcome.config.map(|config| config.events);
    (config.expect("there is no error"), codes)
}

/// A file as operators of OpenZiti have it.
const USUAL: &str = "
  jsonLogger:
    subscriptions:
      - type: entityChange
        include: [services, identities]
      - type: edge.apiSessions
      - type: fabric.usage
        version: 3
      - type: metrics
        sourceFilter: .*
        metricFilter: .*
      - type: edge.entityCounts
        interval: 5s
    handler:
      type: file
      format: json
      path: /tmp/ziti-events.log
      maxsizemb: 20
      maxbackups: 7
  other:
    subscriptions: [{type: authentication, include: fail}]
    handler: {type: stdout, format: json, bufferSize: 200000}
";

#[test]
fn usual_section_is_taken() {
    let (config, codes) = events(USUAL);
    assert_eq!(codes, [""; 0]);
    let [file, stdout] = &*config.sinks else {
        panic!("{config:?}");
    };
    assert_eq!((&*file.name, &*stdout.name), ("jsonLogger", "other"));
    let namespaces: Vec<_> = file
        .subscriptions
        .iter()
        .map(Subscription::namespace)
        .collect();
    let expected = [
        Namespace::EntityChange,
        Namespace::ApiSession,
        Namespace::Usage,
        Namespace::Metrics,
        Namespace::EntityCount,
    ];
    assert_eq!(namespaces, expected);
    let options = json!({ "include": ["services", "identities"] });
    let wanted = Subscription::new("entityChange", &options).expect("the type is known");
    assert_eq!(file.subscriptions[0], wanted);
    let file_config = EventFileConfig {
        path: "/tmp/ziti-events.log".into(),
        max_bytes: 20 << 20,
        max_backups: Some(7),
    };
    assert_eq!(file.output, EventOutput::File(file_config));
    assert_eq!(file.capacity, MIN_WAITING_EVENTS as usize);
    assert_eq!(
        (&stdout.output, stdout.capacity),
        (&EventOutput::Stdout, 200_000)
    );
}

#[test]
fn files_have_defaults_and_paths_of_their_own_folder() {
    let (config, _) = events(
        "  a: {subscriptions: [{type: link}], handler: {type: file, format: json, path: e}}",
    );
    let EventOutput::File(file) = &config.sinks[0].output else {
        panic!("{config:?}");
    };
    assert_eq!(
        (&*file.path, file.max_bytes, file.max_backups),
        (Path::new("e"), 10 << 20, None)
    );
}

#[test]
fn message_brokers_are_passed_over() {
    let (config, codes) = events(
        "  q: {subscriptions: [{type: link}], handler: {type: amqp, format: json}}\n  \
           s: {subscriptions: [{type: link}], handler: {type: stdout, format: json}}",
    );
    assert_eq!(codes, ["ignored-key"]);
    let names: Vec<_> = config.sinks.iter().map(|sink| &*sink.name).collect();
    assert_eq!(names, ["s"]);
}

#[test]
fn keys_of_an_entry_are_explained_whatever_its_name() {
    for path in ["events.NAME.handler.path", "events.jsonLogger.handler.path"] {
        let explained = explain(path).expect("the path names a key");
        assert!(
            explained[0].doc.starts_with("File for `type: file`"),
            "{path}"
        );
    }
    let error = explain("events.x.handlers").expect_err("there is no such key");
    assert_eq!(
        error.to_string(),
        "`events` has no key `handlers`; did you mean `handler`?"
    );
    let completed = complete_path::<portcullis_controller_config::ControllerFile>("eve");
    let paths: Vec<_> = completed.iter().map(|(path, _)| &**path).collect();
    assert_eq!(
        paths,
        ["events", "events.NAME.subscriptions", "events.NAME.handler"]
    );
}
