//! Routes: method, path, right and handler, from which router, documentation and tests are made.

use super::answer::{Answer, Described, Given};
use super::call::{Body, Call, read_query, unescape};
use super::head::{Head, Request};
use crate::app::App;
use crate::problem::{Problem, Result};
use crate::repeat::Repeat;
use crate::rights::{Permit, Refused, Right, RightInfo, To, permit};
use http::Method;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;

/// A route of the interface.
pub struct Route {
    /// The method.
    pub method: Method,
    /// The path below `/api/v1`, with its named parts in braces.
    pub path: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Who may use it.
    pub right: RightInfo,
    /// How many bytes a body may have.
    pub limit: usize,
    /// The types that a body may have.
    pub types: &'static [&'static str],
    /// Whether it changes what has versions, and must name the one that it changes.
    pub names_version: bool,
    pub(super) documented: fn(&mut SchemaGenerator) -> Documented,
    run: Run,
}

/// What answers: its permit and what it was sent have types.
type Handler<R, Q, B, A> = fn(&App, Permit<R>, Call<Q, B>) -> Result<A>;

/// The same, whatever the types.
type Run = Box<dyn Fn(&App, Request) -> Result<Given> + Send + Sync>;

/// What the documentation says of a route.
pub(super) struct Documented {
    pub(super) query: Schema,
    pub(super) body: Option<Schema>,
    pub(super) answer: Described,
}

impl Route {
    fn new<R: Right, Q: DeserializeOwned + JsonSchema + 'static, B: Body, A: Answer>(
        method: Method,
        path: &'static str,
        summary: &'static str,
        handler: Handler<R, Q, B, A>,
    ) -> Self {
        Route {
            method,
            path,
            summary,
            right: R::INFO,
            limit: B::LIMIT,
            types: B::TYPES,
            names_version: false,
            documented: |generator| Documented {
                query: generator.root_schema_for::<Q>(),
                body: B::schema(generator),
                answer: A::describe(generator),
            },
            run: Box::new(move |app, request| {
                let Request { head, body } = request;
                let permit = permit::<R>(app, &head)?;
                let repeat = Repeat::of(app, &permit, &head, &body)?;
                let refused = Refused::of(&permit);
                let given = Repeat::once(repeat, || {
                    let query = read_query(&head.query)?;
                    let body = B::read(body)?;
                    handler(app, permit, Call { head, query, body })?.give()
                });
                if let Err(problem) = &given
                    && problem.is_refusal()
                {
                    refused.log(app, &R::INFO, problem)?;
                }
                given
            }),
        }
    }

    /// The same of a route that changes what has versions: its handler asks for
    /// [`Call::seen_version`].
    pub fn of_version(mut self) -> Self {
        self.names_version = true;
        self
    }

    /// Whether requests can have keys under which they are done once.
    pub(super) fn has_keys(&self) -> bool {
        let own = !self.right.to.contains(&To::Anyone) && !self.right.to.contains(&To::Half);
        own && self.method != Method::GET && !self.right.to.contains(&To::Ingest)
    }

    /// The parts of the path.
    fn segments(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').skip(1)
    }

    /// The named parts of `path`, if it is of this route.
    fn parts(&self, path: &str) -> Option<Vec<(&'static str, String)>> {
        let mut given = path.strip_prefix('/')?.split('/');
        let mut parts = Vec::new();
        for segment in self.segments() {
            let part = given.next()?;
            match segment
                .strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'))
            {
                Some(name) => parts.push((name, unescape(part)?)),
                None if segment == part => {}
                None => return None,
            }
        }
        given.next().is_none().then_some(parts)
    }
}

macro_rules! methods {
    ($($name:ident $method:ident;)+) => {
        $(
            /// A route with this method.
            pub fn $name<R: Right, Q: DeserializeOwned + JsonSchema + 'static, B: Body, A: Answer>(
                path: &'static str,
                summary: &'static str,
                handler: Handler<R, Q, B, A>,
            ) -> Route {
                Route::new(Method::$method, path, summary, handler)
            }
        )+
    };
}

methods! {
    get GET;
    post POST;
    put PUT;
    patch PATCH;
    delete DELETE;
}

/// Finds the route of a request.
pub struct Router {
    routes: Vec<Route>,
}

impl Router {
    /// With these routes.
    pub fn new(routes: Vec<Route>) -> Self {
        Router { routes }
    }

    /// All of them.
    pub fn routes(&self) -> &[Route] {
        &self.routes
    }

    /// The route of a request, whose named parts are put into it.
    ///
    /// # Errors
    /// 404 of another path, 405 of another method.
    pub fn find(&self, head: &mut Head) -> Result<&Route> {
        let mut other = false;
        let mut best: Option<(&Route, Vec<(&'static str, String)>)> = None;
        for route in &self.routes {
            let Some(parts) = route.parts(&head.path) else {
                continue;
            };
            if route.method != head.method {
                other = true;
            } else if best
                .as_ref()
                .is_none_or(|(_, named)| parts.len() < named.len())
            {
                best = Some((route, parts));
            }
        }
        match best {
            Some((route, parts)) => {
                head.parts = parts;
                Ok(route)
            }
            None if other => Err(Problem::new(
                405,
                "method",
                "this address has no such method",
            )),
            None => Err(Problem::not_found("route")),
        }
    }

    /// Answers a request.
    ///
    /// # Errors
    /// Whatever is in the way.
    pub fn answer(&self, app: &App, mut request: Request) -> Result<Given> {
        let route = self.find(&mut request.head)?;
        (route.run)(app, request)
    }
}
