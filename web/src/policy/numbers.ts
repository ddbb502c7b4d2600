/** Values of k in a text. */
export const ksOf = (text: string) => [...new Set(text.split(/[\s,;]+/).map(Number).filter((k) => Number.isInteger(k) && k >= 2))]
