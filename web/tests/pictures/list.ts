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
  /** What differs from time to time, such as a random id: it is covered. */
  covered?: (page: Page) => Locator[]
  /** Whether the manual shows it. */
  shown?: true
}

const heading = (name: string) => (page: Page) => page.getByRole('heading', { name })
const charts = (page: Page) => page.getByText('Window seen').and(page.locator('main:has(canvas) *'))
const stream = { person: 'operator', path: `/projects/:shop/streams/${ADDRESS}`, ready: charts, answers: STREAM } as const

export const PICTURES: readonly Picture[] = [
  { name: 'inbox', person: 'officer', path: '/inbox', ready: heading('Streams'), shown: true },
  { name: 'project', person: 'steward', path: '/projects/:hospital', ready: heading('Releases'), shown: true },
  { name: 'streams', person: 'operator', path: '/projects/:shop/streams', ready: (page) => page.getByRole('cell', { name: '24 users' }), answers: STREAM },
  { name: 'stream', ...stream, shown: true },
  { name: 'stream-dark', ...stream, look: 'dark' },
  { name: 'stream-narrow', ...stream, width: 360 },
  { name: 'account', person: 'analyst', path: '/account', ready: heading('Tokens for programs'), shown: true },
]
