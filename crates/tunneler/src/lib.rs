//! What a tunneler does for the services of its identity, as a state machine without I/O.
//!
//! A tunneler hosts servers that know nothing of the network, and reaches services for programs that know
//! nothing of it. What it has to do follows from the services that its identity may use, from their
//! configurations and from its [`Mode`]: [`Tunneler`] is told of services, and says which terminators to create,
//! which servers to check, at which ports to listen and which connections to intercept. It opens no sockets and
//! reads no clock.
//!
//! ```text
//! set_service, remove_service      ->            -> poll_command: create, check, listen, intercept, end
//! terminator_created, _ended       ->  Tunneler  -> poll_event: what cannot be done for a service, and why
//! checked, listen_ended            ->
//! handle_timeout, poll_timeout    <->
//!
//! a connection that was intercepted, or came to a port    -> dial   -> service, app data, terms
//! a dial of the network for a server that is hosted       -> target -> the server, or a refusal
//! a query for a name                                      -> names  -> the address that stands for it
//! names that nobody uses, when they are short             -> release_idle_names
//! ```
//!
//! # What is done for a service
//!
//! | Right | Mode | Configuration | Done |
//! |---|---|---|---|
//! | bind | all | `host.v2`, `host.v1` or `ziti-tunneler-server.v1` | each server of it has a terminator, and is checked as it says |
//! | dial | intercept | `intercept.v1` or `ziti-tunneler-client.v1` | its connections are intercepted |
//! | dial | intercept | `proxy.v1` | its ports are opened |
//! | dial | intercept | `interfaces.v1` alone | nothing, and that is told: it is for a diverter beside the tunneler |
//! | dial | proxy | `intercept.v1` or none | the ports that the mode names for it are opened; `dialOptions` and `sourceIp` count |
//!
//! # Guarantees
//!
//! - A service that changes disturbs no other one, and as little of itself as can be: a server that is only
//!   reached in another way keeps its terminator, and one whose cost changes stays as healthy as it is.
//! - A terminator that ends is created again, after [5 s at first and 3 min at most](Tunneler::terminator_ended),
//!   and a port that cannot be opened is tried again as late. What ends for many at once comes back little by
//!   little.
//! - What is said late of a terminator or a check that is no more does not count.
//! - What is wrong with a service is told once, not with each change of something else.
//! - What the kernel has to intercept is a set of [rules](InterceptRule) of which no two are for the same
//!   destination, or for the same source and destination, so that it can be kept in any kind of table.
//!   Connections from sources that no service allows pass by. Names have no rules of their own: they have the
//!   addresses of one range.
//! - Of two services for one port, the one that has it keeps it; the other one gets it afterwards. A port at all
//!   addresses of the machine is in the way of the same one at any of them.
//! - The work for a change grows with the number of networks that are intercepted, not with that of services
//!   that are intercepted by names. Changes that are told before [`Tunneler::poll_command`] cost it once.
//! - The same calls lead to the same output.
//!
//! # Examples
//!
//! ```
//! use portcullis_channel::Moment;
//! use portcullis_tunnel_config::{Protocol, TunnelerIdentity};
//! use portcullis_tunneler::{Command, InterceptOptions, Mode, Service, Tunneler};
//! use serde_json::json;
//!
//! let mut tunneler = Tunneler::new(
//!     TunnelerIdentity::default(),
//!     Mode::Intercept(InterceptOptions::default()),
//! );
//! let wiki = Service {
//!     may_dial: true,
//!     configs: [(
//!         "intercept.v1".to_owned(),
//!         json!({
//!             "protocols": ["tcp"],
//!             "addresses": ["10.9.0.0/16"],
//!             "portRanges": [{"low": 443, "high": 443}],
//!         }),
//!     )]
//!     .into(),
//!     ..Service::new("s1", "wiki")
//! };
//! tunneler.set_service(wiki, Moment::ZERO);
//! assert!(matches!(tunneler.poll_command(), Some(Command::Intercept(_))));
//!
//! let dial = tunneler.dial_intercepted(Protocol::Tcp, "192.0.2.7:5000".parse()?, "10.9.1.1:443".parse()?)?;
//! assert_eq!(dial.service_name.as_ref(), "wiki");
//! assert_eq!(dial.app_data.ip.as_deref(), Some("10.9.1.1"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod command;
mod dial;
mod event;
mod hosting;
mod interception;
mod mode;
mod pause;
mod port_set;
mod proxies;
mod rules;
mod service;
mod tunneler;

pub use command::{CheckId, Command, ServerCheck, TerminatorOptions};
pub use dial::{Dial, NoDial};
pub use event::{Event, Fault};
pub use mode::{InterceptOptions, Mode, ProxyPort, ProxyRule, ProxyRuleError};
pub use rules::{InterceptRule, RuleChange};
pub use service::{HostingTerms, Service, ServiceId, TerminatorId, TerminatorKey};
pub use tunneler::Tunneler;
