//! What all requests have in common.

use crate::support::Server;
use http::Method;

#[test]
fn the_server_is_well_and_documents_itself() {
    let server = Server::new();
    let health = server.ask(Method::GET, "/health", &[], b"").expect(200);
    assert_eq!(health["state"], "well");
    let openapi = server
        .ask(Method::GET, "/openapi.json", &[], b"")
        .expect(200);
    assert_eq!(openapi["openapi"], "3.1.0");
    for route in server.app.router().routes() {
        let path = format!("/api/v1{}", route.path);
        let method = route.method.as_str().to_ascii_lowercase();
        assert_eq!(
            openapi["paths"][path][method]["x-right"]["name"],
            route.right.name
        );
    }
}

#[test]
fn what_is_not_there_is_told_apart_from_what_has_no_such_method() {
    let server = Server::new();
    server
        .ask(Method::GET, "/nothing", &[], b"")
        .refused(404, "no-such-route");
    server
        .ask(Method::DELETE, "/health", &[], b"")
        .refused(405, "method");
    server
        .ask(Method::GET, "/health?x=1", &[], b"")
        .refused(422, "unusable");
}
