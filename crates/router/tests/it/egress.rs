//! What the file says of dialers.

use std::time::Duration;

use portcullis_router::egress::DialerSettings;

use crate::world::config;

#[test]
fn dialers_without_an_entry_have_the_defaults() {
    let config = config("dialers: [{binding: edge}]\n");
    let settings = DialerSettings::of_binding("transport", &config.dialers);
    assert_eq!(settings, Ok(DialerSettings::default()));
    let with_entry = DialerSettings::of_binding("edge", &config.dialers);
    assert_eq!(
        with_entry, settings,
        "the same as an entry that says nothing"
    );
}

#[test]
fn the_last_entry_of_a_binding_counts() {
    let config = config(
        "dialers:
  - {binding: transport, options: {connectTimeout: 1s, rxBufferSize: 1}}
  - {binding: transport, options: {connectTimeout: 2s, rxBufferSize: 2}}
  - {binding: edge_transport, options: {rxBufferSize: 3}}
",
    );
    let settings = DialerSettings::of_binding("transport", &config.dialers).unwrap();
    assert_eq!(settings.connect_timeout, Duration::from_secs(2));
    assert_eq!(settings.end.receive_buffer, 2);
    let settings = DialerSettings::of_binding("edge_transport", &config.dialers).unwrap();
    assert_eq!(settings.connect_timeout, Duration::from_secs(5));
    assert_eq!(settings.end.receive_buffer, 3);
}
