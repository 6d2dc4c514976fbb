//! List responses: built away from the threads that serve connections, and streamed when long.

use crate::compress::accepts_gzip;
use crate::error::ApiError;
use crate::fair_queue::{FairQueue, JobContext};
use crate::peer::HasPeer;
use crate::query::Query;
use crate::response::{ApiResponse, ResponseContent};
use crate::route::{Call, Parameter, Payload, ValueType};
use crate::streaming_body::{BodyWriter, ClientGone, channel};
use bytes::Bytes;
use portcullis_api::decode::DecodeError;
use portcullis_api::envelope::{ListMeta, ListWriter, Pagination};
use portcullis_app::listing::{self, ListRequest, Paging, Parameters, RoleFilter, Schema};
use portcullis_app::{App, AppError};
use serde::Serialize;
use std::ops::ControlFlow;
use std::sync::LazyLock;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio_util::task::AbortOnDropHandle;

const READY_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes up to which a response is buffered, so that an error can still replace it; a longer one is
/// streamed in chunks of this size. A page of 500 identities is shorter.
const CHUNK_BYTES: usize = 1024 * 1024;

/// Queue of lists with a limit: four at a time in this process, and 64 more wait. A page is short,
/// or else its client has to read it at once.
static PAGE_QUEUE: LazyLock<FairQueue> =
    LazyLock::new(|| FairQueue::new(4, 2, 64, Duration::from_secs(1)));

/// Queue of lists without a limit. They keep their slots for as long as their clients read, and so
/// must not stand in the way of pages.
static UNLIMITED_QUEUE: LazyLock<FairQueue> =
    LazyLock::new(|| FairQueue::new(16, 2, 16, Duration::from_secs(5)));

/// The payload of a list request: no body, and a query with numbers.
#[derive(Debug)]
pub(crate) struct ListPayload;

/// The query parameters of every list.
pub(crate) const PARAMETERS: [Parameter; 6] = [
    FILTER,
    Parameter::query(
        "limit",
        "The largest number of entities on the page: 10 by default, at most 500, and -1 for all of them. A limit in the filter takes precedence.",
    )
    .with_type(ValueType::Number),
    Parameter::query(
        "offset",
        "How many entities to skip before the page. A `skip` in the filter takes precedence.",
    )
    .with_type(ValueType::Number),
    Parameter::query(
        "sort",
        "The fields that the list is sorted by, separated by commas, each followed by `asc` or `desc` if needed, for example `name desc, createdAt`. A sort order in the filter takes precedence.",
    ),
    Parameter::query(
        "roleFilter",
        "A selector as in policies that restricts the list: `#attribute`, `#all`, `@id` or `@name`. Only lists of entities with role attributes support it.",
    )
    .with_type(ValueType::List),
    Parameter::query(
        "roleSemantic",
        "Whether an entity has to carry all of the attributes in `roleFilter` (`AllOf`) or any of them (`AnyOf`).",
    )
    .with_type(ValueType::OneOf(&["AllOf", "AnyOf"])),
];

pub(crate) const FILTER: Parameter = Parameter::query(
    "filter",
    "The entities that the list contains, for example `name contains \"lap\" and isAdmin = false sort by name limit 20`. The fields that it may name are listed under `meta.filterableFields` of the response.",
);

impl Payload for ListPayload {
    const READS_BODY: bool = false;

    const PARAMETERS: &'static [Parameter] = &PARAMETERS;

    fn validate_query(query: &Query) -> Result<(), ApiError> {
        Ok(listing::validate_limit_and_offset(&parameters(query))?)
    }

    fn decode(_content_type: Option<&str>, _bytes: &Bytes) -> Result<Self, DecodeError> {
        Ok(Self)
    }
}

/// Reads the parameters of a list from its query.
pub(crate) fn parameters(query: &Query) -> Parameters<'_> {
    Parameters {
        filter: query.get("filter"),
        limit: query.get("limit"),
        offset: query.get("offset"),
        sort: query.get("sort"),
    }
}

/// Emits one entity of a list; the result says whether more are wanted.
pub(crate) type Emit<'s, T> = dyn FnMut(T) -> ControlFlow<()> + 's;

/// Emits the entities of a list one by one.
pub(crate) trait EmitAll<P, B, T>:
    FnOnce(&Call<P, B>, &ListRequest<'_>, &mut Emit<'_, T>) -> Result<Paging, AppError> + Send + 'static
{
}

impl<P, B, T, F> EmitAll<P, B, T> for F where
    F: FnOnce(&Call<P, B>, &ListRequest<'_>, &mut Emit<'_, T>) -> Result<Paging, AppError>
        + Send
        + 'static
{
}

/// Responds with a list described by `schema`, whose entities `list` emits one by one.
pub(crate) async fn respond<P, B, T>(
    call: Call<P, B>,
    schema: &'static Schema,
    list: impl EmitAll<P, B, T>,
) -> Result<ApiResponse, ApiError>
where
    P: HasPeer + Send + 'static,
    B: Send + 'static,
    T: Serialize,
{
    respond_with((call, schema), schema, list).await
}

/// Like [`respond`], without the names of the symbols: that is how clients know the lists of what is
/// kept in memory.
pub(crate) async fn respond_unnamed<P, B, T>(
    call: Call<P, B>,
    schema: &'static Schema,
    list: impl EmitAll<P, B, T>,
) -> Result<ApiResponse, ApiError>
where
    P: HasPeer + Send + 'static,
    B: Send + 'static,
    T: Serialize,
{
    static UNNAMED: Schema = Schema::new(&[]);
    respond_with((call, schema), &UNNAMED, list).await
}

/// Responds with a list described by `schema`, in whose response stand the names of `named`.
async fn respond_with<P, B, T>(
    (call, schema): (Call<P, B>, &'static Schema),
    named: &'static Schema,
    list: impl EmitAll<P, B, T>,
) -> Result<ApiResponse, ApiError>
where
    P: HasPeer + Send + 'static,
    B: Send + 'static,
    T: Serialize,
{
    wait_until_ready(&call.context.state.app).await?;
    let (started, starts) = oneshot::channel();
    let (finished, completion) = oneshot::channel();
    let (writer, body) = channel(accepts_gzip(&call.context.headers));
    let request = listing::parse(schema, &parameters(&call.context.query));
    let is_long = request.is_ok_and(|listing| listing.page.limit.rows().is_none());
    let peer = call.permit.peer(&call.context.origin);
    let queue: &'static FairQueue = if is_long {
        &UNLIMITED_QUEUE
    } else {
        &PAGE_QUEUE
    };
    let task = tokio::spawn(async move {
        let mut sink = ListSink {
            list: ListWriter::default(),
            started: Some(started),
            writer,
            is_broken: false,
        };
        let job = move |context: &JobContext| {
            sink.writer.set_job(context.clone());
            let paging = write_items(&call, context, list, &mut sink)?;
            Ok(sink.finish(paging, named))
        };
        // The receiver is gone if the body was streamed or the client left.
        let _ = finished.send(queue.run(peer, job).await);
    });
    let task = AbortOnDropHandle::new(task);
    tokio::select! {
        Ok(()) = starts => Ok(ApiResponse::from_json(ResponseContent::Parts(body(task)))),
        outcome = completion => match outcome {
            Ok(whole) => Ok(ApiResponse::from_json(ResponseContent::Full(whole?))),
            Err(_panicked) => Err(AppError::internal("a list was not worked out").into()),
        },
    }
}

/// Writes the entities of a list to `sink`.
fn write_items<P, B, T: Serialize>(
    call: &Call<P, B>,
    context: &JobContext,
    list: impl EmitAll<P, B, T>,
    sink: &mut ListSink,
) -> Result<Paging, ApiError> {
    let query = &call.context.query;
    let selectors: Vec<&str> = query.all("roleFilter").collect();
    let request = ListRequest {
        parameters: parameters(query),
        role_filter: RoleFilter {
            selectors: &selectors,
            semantic: query.get("roleSemantic"),
        },
        is_cancelled: &|| context.is_cancelled(),
    };
    Ok(list(call, &request, &mut |item| sink.push(&item))?)
}

/// Output of a list: buffered while it is short, streamed when it is not.
struct ListSink {
    list: ListWriter,
    /// Signals that the response is streamed; taken when that was done.
    started: Option<oneshot::Sender<()>>,
    writer: BodyWriter,
    /// Whether the client has missed a chunk; the list must not be ended then.
    is_broken: bool,
}

impl ListSink {
    fn push(&mut self, item: &impl Serialize) -> ControlFlow<()> {
        self.list.push(item);
        if self.list.pending_bytes() >= CHUNK_BYTES {
            self.is_broken = self.flush().is_err();
        }
        if self.is_broken {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    }

    fn flush(&mut self) -> Result<(), ClientGone> {
        if let Some(started) = self.started.take() {
            started.send(()).map_err(|()| ClientGone)?;
        }
        self.writer.write(self.list.take())
    }

    /// Ends the list; returns all of it if nothing was streamed.
    fn finish(mut self, paging: Paging, schema: &'static Schema) -> Bytes {
        if self.is_broken {
            return Bytes::new();
        }
        let pagination = Pagination::new(paging.limit, paging.offset, paging.total);
        let rest = self.list.finish(&ListMeta::new(pagination, schema.names()));
        if self.started.is_some() {
            return rest.into();
        }
        // If the client does not take the rest, the body lacks its end and so counts as truncated.
        if self.writer.write(rest).is_ok() {
            let _ = self.writer.finish();
        }
        Bytes::new()
    }
}

/// Waits for the read model, which is built in the first moments after a start.
///
/// # Errors
///
/// 503 when that takes longer than [`READY_TIMEOUT`].
async fn wait_until_ready(app: &App) -> Result<(), ApiError> {
    tokio::time::timeout(READY_TIMEOUT, app.wait_for_lists())
        .await
        .map_err(|_elapsed| AppError::NotReady.into())
}
