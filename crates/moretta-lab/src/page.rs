//! A page that shows the drawings that lie beside it, and tables.

use moretta_report::Markup;

const STYLE: &str = ":root{color-scheme:light dark}body{font-family:sans-serif;max-width:1200px;\
    margin:2em auto;padding:0 1em}pre{overflow-x:auto;font-size:12px}img{max-width:100%}";

/// The page; `drawings` are files beside it.
pub(crate) fn page(title: &str, text: &str, drawings: &[(String, String)]) -> String {
    let mut page = Markup::default();
    page.raw("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
    page.leaf("title", &[], title);
    page.leaf("style", &[], STYLE);
    page.raw("\n</head>\n<body>\n");
    page.leaf("h1", &[], title);
    page.raw("\n");
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
