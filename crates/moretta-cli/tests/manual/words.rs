//! The words of a command line, as a shell takes them apart: quotes keep spaces together.

/// The words of a line; `None` where a quote is not closed.
pub(crate) fn words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in line.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '\'' || c == '"' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

#[test]
fn quotes_keep_words_together() {
    let taken = |line| words(line).map(|words| words.join("|"));
    assert_eq!(taken("a  b").as_deref(), Some("a|b"));
    assert_eq!(
        taken("--from 'sea -x' \"c d\"e ''").as_deref(),
        Some("--from|sea -x|c de|")
    );
    assert_eq!(taken("a 'b"), None);
}
