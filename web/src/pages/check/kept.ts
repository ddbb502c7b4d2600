/** The jobs of one check, and what was checked. */
export interface Checked {
  preview: string
  plan: string
  attack: string
  learn: string
  /** What it was a check of, and when. */
  name: string
  at: number
  text: string
}

export const nothing = (): Checked => ({ preview: '', plan: '', attack: '', learn: '', name: '', at: 0, text: '' })

/** What is kept between visits: the last check, and one that is held beside it. */
export interface Kept {
  last: Checked
  pinned: Checked
  /** The column that learners predict. */
  target: string
}
