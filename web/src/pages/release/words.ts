// How figures of a release are read.

/** `exact_bounds` as `exact bounds`. */
export const readable = (name: string): string => name.replaceAll('_', ' ')

/** What a promise or a measure says, before how exactly it is counted. */
const FIRST: [RegExp, string][] = [
  [/^k-anonymity$/, 'In all that others may know of somebody, each looks like at least k − 1 others.'],
  [/l-diversity/, 'Rows that look the same have at least l different values here, so that finding somebody’s rows does not tell which is theirs.'],
  [/t-closeness/, 'In rows that look the same this column is spread about as in all rows; t is the largest distance.'],
  [/^gcp$/, 'Over all cells: at 0 % they are as they were, at 100 % they say nothing any more.'],
  [/^loss$/, 'Over all columns: at 0 % they are as they were, at 100 % they say nothing any more.'],
]

/** A plain sentence about it before the exact one. */
export function meaningOf(name: string, exact: string): string {
  const first = FIRST.find(([like]) => like.test(name))?.[1]
  return first ? `${first} ${sentence(exact)}` : exact
}

/** With a capital and a full stop. */
export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`.replace(/([^.])$/, '$1.')

/** Names of columns stand between backticks in what the library says. */
export const plain = (text: string): string => text.replace(/`([^`]+)`/g, '“$1”')
