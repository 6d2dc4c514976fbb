//! What the file says of dialers.

use std::time::Duration;

use portcullis_router::egress::DialerSettings;
use portcullis_router_config::Binding;

use crate::world::config;

#[test]
fn what_has_no_entry_is_not_dialed() {
    let config = config("dialers: [{binding: transport}]\n");
    let settings = |binding| DialerSettings::of_binding(binding, &config.dialers);
    assert_eq!(settings(Binding::TransportUdp), Ok(None));
    assert_eq!(
        settings(Binding::Transport),
        Ok(Some(DialerSettings::default()))
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
    let settings = DialerSettings::of_binding(Binding::Transport, &config.dialers);
    let settings = settings.unwrap().unwrap();
    assert_eq!(settings.connect_timeout, Duration::from_secs(2));
    assert_eq!(settings.end.receive_buffer, 2);
    let settings = DialerSettings::of_binding(Binding::EdgeTransport, &config.dialers);
    let settings = settings.unwrap().unwrap();
    assert_eq!(settings.connect_timeout, Duration::from_secs(5));
    assert_eq!(settings.end.receive_buffer, 3);
}
