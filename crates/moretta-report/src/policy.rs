//! How to make the same release again, and how to know that it is the same.

use super::markup::Markup;
use super::promises::is_masked;
use super::suppression::Suppressed;
use super::{number, toml};
use moretta::pipeline::report::{FileFacts, Report};

pub(super) fn write(report: &Report, page: &mut Markup) {
    page.raw("<section id=\"policy\"><h2>How to reproduce</h2>");
    // What chance has made is made once.
    let again = match is_masked(report) {
        true => "such a release",
        false => "the same release",
    };
    page.element("p", &[("class", &"note")], |page| {
        page.text(format!("The command that makes {again} again, in the folder where it was made."));
        if report.command.contains(" --force") {
            page.raw(" The files it writes exist already; <code>--force</code> replaces them, and is not needed where they do not.");
        }
        if report.source.path == "-" {
            page.raw(" Rows came from standard input and must come again.");
        }
    });
    page.element("pre", &[("class", &"command")], |page| {
        page.leaf("code", &[], &report.command);
    });
    page.raw("<h3>Policy</h3>");
    page.element("pre", &[("class", &"policy")], |page| {
        page.element("code", &[], |page| toml::highlight(&report.policy, page));
    });
    checksums(report, page);
    page.raw("</section>");
}

fn checksums(report: &Report, page: &mut Markup) {
    page.raw(
        "<h3>Files and checksums</h3><div class=\"scroll\"><table class=\"files\"><thead><tr>",
    );
    page.raw("<th scope=\"col\">File</th><th scope=\"col\">Format</th>");
    page.raw("<th scope=\"col\" class=\"figure\">Rows</th>");
    page.raw("<th scope=\"col\" class=\"figure\">Size</th>");
    page.raw("<th scope=\"col\">SHA-256</th></tr></thead><tbody>");
    file("Read", &report.source, rows_of_source(report), page);
    if let Some(sink) = &report.sink {
        file("Written", sink, number::count(sink.rows), page);
    }
    page.raw("<tr><th scope=\"row\">Policy</th><td>toml</td>");
    page.raw("<td class=\"figure\">–</td><td class=\"figure\">");
    page.text(number::bytes(report.policy.len() as u64));
    page.raw("</td><td class=\"checksum\">");
    page.text(&report.policy_sha256);
    page.raw("</td></tr></tbody></table></div>");
}

/// Told no more exactly than rows read are elsewhere.
fn rows_of_source(report: &Report) -> String {
    Suppressed::of(&report.rows).read(report.rows.released)
}

fn file(what: &'static str, file: &FileFacts, rows: String, page: &mut Markup) {
    page.element("tr", &[], |page| {
        page.element("th", &[("scope", &"row")], |page| {
            page.raw(what);
            page.raw(" ");
            page.leaf("code", &[], &file.path);
        });
        page.leaf("td", &[], &file.format);
        page.leaf("td", &[("class", &"figure")], rows);
        let bytes = file.bytes.map_or(number::NONE.to_owned(), number::bytes);
        page.leaf("td", &[("class", &"figure")], bytes);
        let checksum = match (&file.sha256, &file.hmac_sha256) {
            (Some(sum), _) => sum.clone(),
            (None, Some(sum)) => format!("{sum} (HMAC, by the key of the policy)"),
            (None, None) => "not told".to_owned(),
        };
        page.leaf("td", &[("class", &"checksum")], checksum);
    });
}
