//! The documentation of the interface is committed, so that a change of it is seen and meant.

use std::path::Path;

#[test]
fn the_committed_documentation_is_that_of_the_routes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("openapi.json");
    let made = moretta_server::http::openapi_text();
    if std::env::var_os("MORETTA_REFRESH").is_some() {
        std::fs::write(&path, &made).expect("written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "the interface has changed; MORETTA_REFRESH=1 cargo test --workspace --test server writes {}",
        path.display()
    );
}
