//! A page that shows the drawings that lie beside it, and the tables.

use moretta_report::Markup;

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <title>What methods for tables lose</title>\n\
    <style>:root{color-scheme:light dark}body{font-family:sans-serif;max-width:1200px;\
    margin:2em auto;padding:0 1em}pre{overflow-x:auto;font-size:12px}img{max-width:100%}\
    </style>\n</head>\n<body>\n<h1>What methods for tables lose</h1>\n";

/// The page; `drawings` are files beside it.
pub(super) fn page(text: &str, drawings: &[(String, String)]) -> String {
    let mut page = Markup::default();
    page.raw(HEAD);
    for (name, _) in drawings {
        page.element("p", &[], |page| {
            page.shape("img", &[("src", name), ("alt", name)]);
        });
        page.raw("\n");
    }
    page.raw("<h2>Figures</h2>\n");
    page.leaf("pre", &[], text);
    page.raw("\n</body>\n</html>\n");
    page.into_string()
}
