// The pictures of pages: each one line. They are compared with what pages look like, and those with a
// sentence are in the manual as `docs/src/images/web-NAME.png`.
import type { Locator } from '@playwright/test'
import type { Page, Person } from '../moretta.ts'
import type { Answers } from './fixed.ts'
import { ADDRESS, STREAM } from './stream.ts'

export interface Picture {
  name: string
  person: Person
  /** The address; `:shop` and `:hospital` stand for the projects of the demonstration. */
  path: string
  /** What has to be there before the picture is taken. */
  ready: (page: Page) => Locator
  look?: 'dark'
  /** The width of the window; 1280 without. */
  width?: number
  /** Answers that are always the same, where those of the server move. */
  answers?: Answers
  /** The page waits for the live line, as for a job: it comes from the server. */
  live?: true
  /** What differs from time to time, such as a random id: it is covered. */
  covered?: (page: Page) => Locator[]
  /** Whether the manual shows it. */
  shown?: true
}

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name })
const text = (what: RegExp) => (page: Page) => [page.getByText(what)]
const charts = (page: Page) => page.getByText('Window seen').and(page.locator('main:has(canvas) *'))
const stream = { person: 'operator', path: `/projects/:shop/streams/${ADDRESS}`, ready: charts, answers: STREAM } as const

export const PICTURES: readonly Picture[] = [
  { name: 'inbox', person: 'officer', path: '/inbox', ready: heading('Streams'), shown: true },
  { name: 'project', person: 'steward', path: '/projects/:hospital', ready: heading('Releases'), shown: true },
  { name: 'data', person: 'steward', path: '/projects/:hospital/data', ready: heading('Columns that single persons out'), live: true, shown: true },
  { name: 'protect', person: 'steward', path: '/projects/:hospital/protect', ready: heading('Classes by size'), live: true, covered: text(/ ms$/), shown: true },
  { name: 'releases', person: 'analyst', path: '/projects/:hospital/releases', ready: heading('Admissions'), shown: true },
  { name: 'ledger', person: 'officer', path: '/projects/:hospital/ledger', ready: heading('Budget'), covered: text(/^[0-9a-f]{64}$/) },
  { name: 'streams', person: 'operator', path: '/projects/:shop/streams', ready: (page) => page.getByText('goal 80 %'), answers: STREAM },
  { name: 'stream', ...stream, shown: true },
  { name: 'stream-dark', ...stream, look: 'dark' },
  { name: 'stream-narrow', ...stream, width: 360 },
  { name: 'account', person: 'analyst', path: '/account', ready: heading('Tokens for programs'), shown: true },
]
