//! What a handler gives back.

use crate::app::App;
use crate::problem::Result;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use tokio::sync::watch;

/// A response.
pub enum Given {
    /// Whole.
    Ready(Ready),
    /// Piece by piece.
    Download(Download),
    /// Events, until somebody ends it.
    Live(Live),
}

/// A whole response.
#[derive(Debug, Default)]
pub struct Ready {
    /// The status.
    pub status: u16,
    /// Headers besides those that all responses have.
    pub headers: Vec<(&'static str, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// The pieces of a file.
pub type Chunks = Box<dyn Iterator<Item = Result<Vec<u8>>> + Send>;

/// A file on its way. Whether the caller may still have it is asked again and again.
pub struct Download {
    /// What it is called; made by the server.
    pub name: String,
    /// What it is, as the answer says that holds it.
    pub media_type: &'static str,
    /// How many bytes it has.
    pub length: u64,
    /// How browsers must treat it besides.
    pub headers: Vec<(&'static str, String)>,
    /// Its pieces.
    pub chunks: Chunks,
    /// Whether the caller may still have it.
    pub still: Box<dyn Fn() -> bool + Send>,
}

/// A file of plain text on its way.
pub struct PlainText(pub Download);

/// A file of comma-separated values on its way.
pub struct Csv(pub Download);

/// What tells the next events of a [`Live`] answer.
pub type Next = Box<dyn FnMut(&App) -> Option<Vec<u8>> + Send>;

/// Events as they happen. Nobody's thread waits for them.
pub struct Live {
    /// The events that there are now, written as the browser reads them; none at the end.
    pub next: Next,
    /// Changes when there may be more.
    pub news: watch::Receiver<u64>,
}

/// How the documentation describes an answer.
pub struct Described {
    /// The status.
    pub status: u16,
    /// What it is.
    pub media_type: &'static str,
    /// Its schema.
    pub schema: Option<Schema>,
}

/// What a handler can give back.
pub trait Answer: 'static {
    /// The response.
    ///
    /// # Errors
    /// When it cannot be written.
    fn give(self) -> Result<Given>;

    /// How the documentation describes it.
    fn describe(generator: &mut SchemaGenerator) -> Described;
}

/// A value as JSON.
#[derive(Clone, Debug)]
pub struct Json<T>(pub T);

/// The same of something that is new.
#[derive(Clone, Debug)]
pub struct Created<T>(pub T);

/// The same of something that will be done.
#[derive(Clone, Debug)]
pub struct Accepted<T>(pub T);

/// It was done; there is nothing to say.
#[derive(Clone, Copy, Debug)]
pub struct Done;

/// An answer with its version, which an edit must name.
#[derive(Clone, Debug)]
pub struct Tagged<A>(pub i64, pub A);

/// An answer that sets cookies.
#[derive(Clone, Debug)]
pub struct WithCookies<A>(pub Vec<String>, pub A);

fn json<T: Serialize>(status: u16, value: &T) -> Result<Given> {
    let body = serde_json::to_vec(value)
        .map_err(|_| crate::problem::Problem::bug("an answer cannot be written"))?;
    Ok(Given::Ready(Ready {
        status,
        headers: vec![("content-type", "application/json".to_owned())],
        body,
    }))
}

macro_rules! json_answer {
    ($($kind:ident $status:literal;)+) => {
        $(impl<T: Serialize + JsonSchema + 'static> Answer for $kind<T> {
            fn give(self) -> Result<Given> {
                json($status, &self.0)
            }

            fn describe(generator: &mut SchemaGenerator) -> Described {
                Described {
                    status: $status,
                    media_type: "application/json",
                    schema: Some(generator.subschema_for::<T>()),
                }
            }
        })+
    };
}

json_answer! {
    Json 200;
    Created 201;
    Accepted 202;
}

impl Answer for Done {
    fn give(self) -> Result<Given> {
        Ok(Given::Ready(Ready {
            status: 204,
            ..Ready::default()
        }))
    }

    fn describe(_: &mut SchemaGenerator) -> Described {
        Described {
            status: 204,
            media_type: "",
            schema: None,
        }
    }
}

impl<A: Answer> Answer for Tagged<A> {
    fn give(self) -> Result<Given> {
        let tag = format!("\"{}\"", self.0);
        Ok(with(self.1.give()?, [("etag", tag)]))
    }

    fn describe(generator: &mut SchemaGenerator) -> Described {
        A::describe(generator)
    }
}

impl<A: Answer> Answer for WithCookies<A> {
    fn give(self) -> Result<Given> {
        let cookies = self.0.into_iter().map(|cookie| ("set-cookie", cookie));
        Ok(with(self.1.give()?, cookies))
    }

    fn describe(generator: &mut SchemaGenerator) -> Described {
        A::describe(generator)
    }
}

fn with(given: Given, headers: impl IntoIterator<Item = (&'static str, String)>) -> Given {
    match given {
        Given::Ready(mut ready) => {
            ready.headers.extend(headers);
            Given::Ready(ready)
        }
        other => other,
    }
}

macro_rules! file_answer {
    ($($kind:ident $media:literal;)+) => {
        $(impl Answer for $kind {
            fn give(self) -> Result<Given> {
                Ok(Given::Download(Download {
                    media_type: $media,
                    ..self.0
                }))
            }

            fn describe(_: &mut SchemaGenerator) -> Described {
                Described {
                    status: 200,
                    media_type: $media,
                    schema: None,
                }
            }
        })+
    };
}

file_answer! {
    PlainText "text/plain; charset=utf-8";
    Csv "text/csv; charset=utf-8";
}

impl Answer for Live {
    fn give(self) -> Result<Given> {
        Ok(Given::Live(self))
    }

    fn describe(_: &mut SchemaGenerator) -> Described {
        Described {
            status: 200,
            media_type: "text/event-stream",
            schema: None,
        }
    }
}
