// How figures of a release are read.

/** `exact_bounds` as `exact bounds`. */
export const readable = (name: string): string => name.replaceAll('_', ' ')

/** Names of columns stand between backticks in what the library says. */
export const plain = (text: string): string => text.replace(/`([^`]+)`/g, '“$1”')
