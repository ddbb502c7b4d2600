// The names of the columns of a file that was chosen, read by the browser before anything is sent.

const LOOK = 1 << 16
const DELIMITERS = [',', ';', '\t', '|']
/** Names of columns that often name persons outright. */
const NAMING = /^((first|last|middle|family|given|full|maiden|sur|user|patient|person|customer|employee)?[ _-]*names?|e-?mails?|([a-z]+[ _-])?(e-?mail|phone|telephone|mobile|passport|iban|ssn)([ _-](number|no|address))?|street|address|(home|street|postal)[ _-]address|social[ _-]security.*)$/i

/** The columns, where the file is text with delimiters; nothing else is looked at. */
export async function columnsOf(file: Blob & { name: string }): Promise<string[]> {
  if (!/\.(csv|tsv|txt)$/i.test(file.name)) return []
  const text = (await file.slice(0, LOOK).text()).replace(/^\ufeff/, '')
  const best = DELIMITERS.map((delimiter) => first(text, delimiter)).sort((a, b) => b.length - a.length)[0]
  return best ?? []
}

/** Those that seem to name persons. */
export function naming(columns: string[]): string[] {
  return columns.filter((column) => NAMING.test(column))
}

/** The cells of the first line. */
function first(text: string, delimiter: string): string[] {
  const cells: string[] = []
  let [cell, quoted] = ['', false]
  for (let at = 0; at < text.length; at++) {
    const c = text[at] ?? ''
    if (c === '"' && quoted && text[at + 1] === '"') {
      cell += '"'
      at += 1
    } else if (c === '"') quoted = !quoted
    else if (!quoted && c === delimiter) {
      cells.push(cell)
      cell = ''
    } else if (!quoted && (c === '\n' || c === '\r')) break
    else cell += c
  }
  return [...cells, cell].map((name) => name.trim()).filter(Boolean)
}
