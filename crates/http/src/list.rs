//! Lists: worked out away from the threads that serve connections, and sent while they are written
//! when they are long.

use crate::acting::Acting;
use crate::answer::{Answer, Content};
use crate::compress::takes_gzip;
use crate::desk::{Desk, Requester};
use crate::error::ApiError;
use crate::parts::{Gone, PartsWriter, parts};
use crate::query::Query;
use crate::route::{Call, Parameter, Payload, Values};
use bytes::Bytes;
use portcullis_api::decode::DecodeError;
use portcullis_api::envelope::{ListMeta, ListWriter, Pagination};
use portcullis_app::listing::{self, Asked, Paging, Parameters, Roles, Schema};
use portcullis_app::{App, AppError};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

/// The longest that a list waits for the read model.
const PATIENCE: Duration = Duration::from_secs(5);

/// Bytes up to which an answer is kept until it is whole, and so can still become a refusal; what
/// is longer is sent in parts of this size. A page of 500 identities is shorter.
const PART: usize = 1024 * 1024;

/// Where pages are worked out: four at a time in this process, and 64 more wait. A page is short, or
/// else its client has to read it at once.
static DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(4, 2, 64, Duration::from_secs(1)));

/// Where lists without a limit are worked out. They keep their places as long as their clients read,
/// so they stand in the way of each other alone.
static LONG_DESK: LazyLock<Desk> = LazyLock::new(|| Desk::new(16, 2, 16, Duration::from_secs(5)));

/// The request of a list: no body, and a query with numbers in it.
#[derive(Debug)]
pub(crate) struct Paged;

/// What every list hears of.
pub(crate) const PARAMETERS: [Parameter; 6] = [
    FILTER,
    Parameter::query(
        "limit",
        "The most entities that the page has: 10 unless something else is asked for, 500 at most, and -1 for all of them. A limit in the filter wins over it.",
    )
    .with(Values::Number),
    Parameter::query(
        "offset",
        "How many entities come before the page. A `skip` in the filter wins over it.",
    )
    .with(Values::Number),
    Parameter::query(
        "sort",
        "By which fields the list is ordered, with commas between them and `asc` or `desc` behind each, for example `name desc, createdAt`. An order in the filter wins over it.",
    ),
    Parameter::query(
        "roleFilter",
        "A selector, as policies have them, of the entities that the list is restricted to: `#attribute`, `#all`, `@id` or `@name`. Only lists of what has role attributes hear it.",
    )
    .with(Values::Several),
    Parameter::query(
        "roleSemantic",
        "Whether all of the attributes in `roleFilter` have to be carried, or any.",
    )
    .with(Values::OneOf(&["AllOf", "AnyOf"])),
];

/// The filter of a list.
pub(crate) const FILTER: Parameter = Parameter::query(
    "filter",
    "Which entities the list has, for example `name contains \"lap\" and isAdmin = false sort by name limit 20`. The fields that it may name stand under `meta.filterableFields` of the answer.",
);

impl Payload for Paged {
    const IS_READ: bool = false;

    const PARAMETERS: &'static [Parameter] = &PARAMETERS;

    fn check(query: &Query) -> Result<(), ApiError> {
        Ok(listing::check_numbers(&parameters(query))?)
    }

    fn read(_content_type: Option<&str>, _bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

/// The parameters of a list, as they stand in the query.
pub(crate) fn parameters(query: &Query) -> Parameters<'_> {
    Parameters {
        filter: query.get("filter"),
        limit: query.get("limit"),
        offset: query.get("offset"),
        sort: query.get("sort"),
    }
}

/// Takes one entity of a list and says whether more are wanted.
pub(crate) type Show<'s, T> = dyn FnMut(T) -> ControlFlow<()> + 's;

/// Answers a list of the kind `schema`, whose entities `list` shows one after the other.
pub(crate) async fn answer<P, B, T, L>(
    call: Call<P, B>,
    schema: &'static Schema,
    list: L,
) -> Result<Answer, ApiError>
where
    P: Acting + Send + 'static,
    B: Send + 'static,
    T: Serialize,
    L: FnOnce(&Call<P, B>, &Asked<'_>, &mut Show<'_, T>) -> Result<Paging, AppError>
        + Send
        + 'static,
{
    ready(&call.context.state.app).await?;
    let (begun, begins) = oneshot::channel();
    let (ended, ends) = oneshot::channel();
    let (writer, body) = parts(takes_gzip(&call.context.headers));
    let asked = listing::read(schema, &parameters(&call.context.query));
    let is_long = asked.is_ok_and(|listing| listing.page.limit.rows().is_none());
    let peer = call.permit.peer(&call.context.origin);
    let desk: &'static Desk = if is_long { &LONG_DESK } else { &DESK };
    let writing = tokio::spawn(async move {
        let mut outlet = Outlet {
            list: ListWriter::default(),
            begun: Some(begun),
            writer,
            is_broken: false,
        };
        let work = move |requester: &Requester| {
            outlet.writer.written_for(requester.clone());
            let paging = written(&call, requester, list, &mut outlet)?;
            Ok(outlet.finish(paging, schema))
        };
        // Whoever waited has the body already, or has gone away.
        let _ = ended.send(desk.work(peer, work).await);
    });
    let writing = AbortOnDropHandle::new(writing);
    tokio::select! {
        Ok(()) = begins => Ok(Answer::written(Content::Parts(body(writing)))),
        outcome = ends => match outcome {
            Ok(whole) => Ok(Answer::written(Content::Whole(whole?))),
            Err(_panicked) => Err(AppError::internal("a list was not worked out").into()),
        },
    }
}

/// Has the entities of a list written.
fn written<P, B, T: Serialize>(
    call: &Call<P, B>,
    requester: &Requester,
    list: impl FnOnce(&Call<P, B>, &Asked<'_>, &mut Show<'_, T>) -> Result<Paging, AppError>,
    outlet: &mut Outlet,
) -> Result<Paging, ApiError> {
    let query = &call.context.query;
    let selectors: Vec<&str> = query.all("roleFilter").collect();
    let asked = Asked {
        parameters: parameters(query),
        roles: Roles {
            selectors: &selectors,
            semantic: query.get("roleSemantic"),
        },
        is_over: &|| requester.is_gone(),
    };
    Ok(list(call, &asked, &mut |item| outlet.item(&item))?)
}

/// Where a list is written to: kept while it is short, handed on in parts when it is not.
struct Outlet {
    list: ListWriter,
    /// Tells that there are parts; taken when that was told.
    begun: Option<oneshot::Sender<()>>,
    writer: PartsWriter,
    /// Whether the client has missed a part; the list must not be ended then.
    is_broken: bool,
}

impl Outlet {
    fn item(&mut self, item: &impl Serialize) -> ControlFlow<()> {
        self.list.item(item);
        if self.list.pending() >= PART {
            self.is_broken = self.hand_on().is_err();
        }
        if self.is_broken {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn hand_on(&mut self) -> Result<(), Gone> {
        if let Some(begun) = self.begun.take() {
            begun.send(()).map_err(|()| Gone)?;
        }
        self.writer.more(self.list.take())
    }

    /// Ends the list; answers the whole of it if nothing was handed on.
    fn finish(mut self, paging: Paging, schema: &'static Schema) -> Bytes {
        if self.is_broken {
            return Bytes::new();
        }
        let pagination = Pagination::new(paging.limit, paging.offset, paging.total);
        let rest = self.list.finish(&ListMeta::new(pagination, schema.names()));
        if self.begun.is_some() {
            return rest.into();
        }
        // What the client does not take is missing at the end, and breaks the answer off.
        if self.writer.more(rest).is_ok() {
            let _ = self.writer.end();
        }
        Bytes::new()
    }
}

/// Waits a while for the read model, which is built in the first moments after a start.
///
/// # Errors
///
/// 503 when that takes longer than a client is to wait.
async fn ready(app: &App) -> Result<(), ApiError> {
    tokio::time::timeout(PATIENCE, app.lists_ready())
        .await
        .map_err(|_elapsed| AppError::NotReady.into())
}
