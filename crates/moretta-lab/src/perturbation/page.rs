//! A page that shows the table and the drawings that lie beside it.

use super::data_sets::Source;
use moretta_report::Markup;

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
    <title>Random projection: accuracy against breaches</title>\n\
    <style>:root{color-scheme:light dark}body{font-family:sans-serif;max-width:1200px;\
    margin:2em auto;padding:0 1em}pre{overflow-x:auto;font-size:12px}img{max-width:100%}\
    </style>\n</head>\n<body>\n<h1>Random projection: accuracy against breaches</h1>\n";

/// The page; `drawings` are files beside it.
pub(super) fn page(table: &str, sources: &[&Source], drawings: &[(String, String)]) -> String {
    let mut page = Markup::default();
    page.raw(HEAD);
    for (name, _) in drawings {
        page.element("p", &[], |page| {
            page.shape("img", &[("src", name), ("alt", name)]);
        });
        page.raw("\n");
    }
    page.raw("<h2>Figures</h2>\n");
    page.leaf("pre", &[], table);
    page.raw("\n<h2>Data</h2>\n<ul>\n");
    for source in sources {
        page.leaf("li", &[], format_args!("{}: {}", source.name, source.note));
        page.raw("\n");
    }
    page.raw("</ul>\n</body>\n</html>\n");
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::super::data_sets::chosen;
    use super::*;

    #[test]
    fn the_page_shows_all_drawings_and_the_table() {
        let drawings = [("a.svg".to_owned(), String::new())];
        let sources = chosen(&[]).expect("all");
        let page = page("RP <0.2", &sources, &drawings);
        assert!(page.contains("<img src=\"a.svg\""), "{page}");
        assert!(page.contains("RP &lt;0.2"), "{page}");
        assert_eq!(page.matches("<li>").count(), 8);
    }
}
