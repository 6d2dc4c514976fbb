//! What an SDK says to one edge router, as a state machine without I/O.
//!
//! An SDK dials services, and hosts them, through the edge routers of a network. It has a channel to each
//! router that it uses: an [`EdgeChannel`]. This crate opens no sockets, reads no clock and draws no random
//! numbers: the caller passes messages, instants, keys and random bytes, and polls for messages, events and one
//! deadline.
//!
//! ```text
//! ApiSession::hello -> hello -> router -> answer -> RouterTerms -> EdgeChannel
//!
//! frames of the router -> handle_frame     poll_transmit -> messages for the router
//! dial, bind, accept   ->     EdgeChannel  poll_event    -> what has become of it
//! write, finish, close -> handle_timeout   poll_timeout  -> when
//! ```
//!
//! # Life of a connection
//!
//! ```text
//!             dial                                              Offered
//!              |                                                   |
//!              v          StateClosed, time                        v        refuse, time, StateClosed
//!           dialing ------------------------> DialFailed        offered ---------------> OfferEnded
//!              |                                                   |
//!              | StateConnected                                    | accept
//!              v                                                   v
//!         +- open --------------------------------------------------------+
//!         |  out: write* ... finish            in: read* ... Finished     |
//!         +---------------------------------------------------------------+
//!              |                                   |
//!              | close, abort                      | both directions ended, the other end, the router,
//!              v                                   v what cannot be decrypted
//!          delivering what was written          Closed: what has arrived can be read
//!              |                                   |
//!              v                                   v close, abort
//!           nothing                             nothing
//! ```
//!
//! [`close`](EdgeChannel::close) takes a dial back, and refuses an offer.
//!
//! # Life of a bind
//!
//! ```text
//! bind -> asked -- StateConnected --> answered -- BindSuccess --> bound: Offered*
//!           | time, StateClosed          | StateClosed              | StateClosed   unbind
//!           v                            v                          v                  v
//!         BindEnded                    BindEnded                  BindEnded         nothing
//! ```
//!
//! Routers that do not confirm binds are taken at their answer.
//!
//! # Where circuits end
//!
//! | | here | in the router (legacy) |
//! |---|---|---|
//! | chosen | if preferred, and the router can leave them to SDKs | else |
//! | carried by | payloads and acknowledgements, an [`Endpoint`](portcullis_xgress::Endpoint) each | `Data` |
//! | what is lost, doubled or out of order | is repaired | would be an error; needs one ordered connection |
//! | a reader that is slow | stops the writer at the other end | stops the whole channel ([`EdgeChannel::wants_input`]) |
//! | half close | the end of the stream, and the flag of SDKs before it | the flag of SDKs |
//!
//! # Guarantees
//!
//! - What is written at one end is read at the other, in order and once, until the connection is over. A
//!   connection that is not [complete](CloseReason::is_complete) says so after what could be read.
//! - With keys, nothing but what the other end has sealed is read, and nothing but sealed bytes is sent. That the
//!   last bytes are missing is not noticed by encryption, only by what
//!   [`Read::Finished`] says.
//! - Memory is bounded whatever the router sends: [`EdgeOptions`] says by what. Nothing blocks.
//! - A message that is malformed, unknown, or about something that does not exist ends nothing but what it
//!   is about; [`Counters`] counts them.
//! - Each dial, bind and offer ends once, and each is told of, also when the channel ends.
//! - The same calls lead to the same output.
//!
//! # Where it differs from OpenZiti's SDKs
//!
//! - A dial that takes too long is taken back, and a connection that comes later is closed, so that the other end
//!   does not wait for nobody.
//! - Half close is told in both ways that peers understand, so that servers behind routers of OpenZiti see it,
//!   too.
//! - Data of several messages in one is understood, but not asked for; none is sent.
//!
//! # Examples
//!
//! A dial, with the router's part by hand:
//!
//! ```
//! use portcullis_channel::{Frame, FrameLimits, Now, Sequence};
//! use portcullis_sdk_proto::{
//!     ApiSession, DialRequest, EdgeChannel, EdgeEvent, EdgeOptions, RouterTerms, ServiceReference,
//! };
//! use portcullis_wire::Token;
//! use portcullis_wire::capability::{Capabilities, RouterCapability};
//! use portcullis_wire::edge::{EdgeMessage, StateConnected};
//!
//! let now = Now::default();
//! let session = ApiSession {
//!     token: Token::new("eyJhbGciOi...".to_owned()),
//!     expires_at: None,
//! };
//! let terms = RouterTerms {
//!     router_id: Some("router-1".to_owned()),
//!     version: None,
//!     capabilities: Capabilities::of([RouterCapability::ConnectV2]),
//! };
//! let mut channel = EdgeChannel::new(&session, terms, EdgeOptions::default(), now);
//!
//! let service = ServiceReference::Name("printers".to_owned());
//! let connection = channel.dial(DialRequest::new(service), now)?;
//! let request = channel.poll_transmit(now).expect("the router is asked");
//! assert!(matches!(EdgeMessage::decode(&request.message)?, EdgeMessage::ConnectV2(_)));
//!
//! let answer = EdgeMessage::StateConnected(StateConnected {
//!     connection,
//!     ..StateConnected::default()
//! });
//! let answer = Frame::new(answer.encode()?, Sequence(1), &FrameLimits::LARGE)?;
//! channel.handle_frame(answer, now);
//! assert!(matches!(channel.poll_event(), Some(EdgeEvent::Connected(_))));
//!
//! channel.write(connection, &mut "hello".into(), now)?;
//! let data = channel.poll_transmit(now).expect("something was written");
//! assert_eq!(data.message.body, "hello");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bind;
mod channel;
mod connection;
mod counters;
mod encryption;
mod event;
mod hello;
mod options;
mod refusal;
mod router_order;
mod stream;
mod timers;

pub use bind::BindRequest;
pub use channel::{
    AnswerError, BindError, DialError, DialRequest, EdgeChannel, NotSupported, Outgoing,
    ServiceReference, TokenError, TraceError,
};
pub use counters::Counters;
pub use encryption::DialKeys;
pub use event::{
    BindEnd, BindId, ChannelEnd, CloseReason, Connected, DialFailure, EdgeEvent, Offer, Read,
    ReadError, TraceAnswer, WriteError,
};
pub use hello::{ApiSession, RouterTerms};
pub use options::EdgeOptions;
pub use refusal::{Refusal, Retry};
pub use router_order::fastest_first;
