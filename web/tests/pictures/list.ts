// The pictures of pages: each one line. They are compared with what pages look like, and those with a
// sentence are in the manual as `docs/src/images/web-NAME.png`.
import type { Locator } from '@playwright/test'
import type { Page, Person } from '../moretta.ts'
import type { Answers } from './fixed.ts'
import { ADDRESS, STREAM } from './stream.ts'

export interface Picture {
  name: string
  person: Person
  /** The address; `:shop` and `:hospital` stand for the projects of the demonstration, `:release` and `:request` for those of the hospital. */
  path: string
  /** What is done on the page first. */
  act?: (page: Page) => Promise<void>
  /** What has to be there before the picture is taken. */
  ready: (page: Page) => Locator
  look?: 'dark'
  /** The width and height of the window; 1280 and 800 without. */
  width?: number
  height?: number
  /** What is scrolled to, below the head of the page. */
  top?: (page: Page) => Locator
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
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).click()
const stream = { person: 'operator', path: `/projects/:shop/streams/${ADDRESS}`, ready: charts, answers: STREAM } as const

/** What has happened before depends on how often somebody signed in: the entries that are shown are numbered anew. */
const LOG: Answers = {
  '/audit': (log: { items: { facts: object }[] }) => ({
    ...log,
    items: log.items.map((one, place) => ({ ...one, number: 31 + log.items.length - place, subject: `4c1d7f${'0'.repeat(26)}`, facts: sameIds(one.facts) })),
  }),
}
/** The request that waits has an id and no page of a release. */
const CHARGED: Answers = {
  '/ledger': (ledger: { charges: { release: string }[]; releases: { id: string }[] }) => ({
    ...ledger,
    charges: ledger.charges.map((one) => ({ ...one, release: ledger.releases.some(({ id }) => id === one.release) ? one.release : `4c1d7f${'0'.repeat(26)}` })),
  }),
}
const ALONE: Answers = {
  '/me/sessions': (sessions: { current: boolean }[]) => sessions.filter(({ current }) => current),
}
function sameIds(facts: object): unknown {
  return JSON.parse(JSON.stringify(facts).replace(/\b[0-9a-f]{32}\b/g, `8e2b95${'0'.repeat(26)}`))
}
const HEALTH: Answers = {
  '/status': (status: object) => ({ ...status, sessions: 9, jobs_running: 0, jobs_waiting: 0, bytes: 1_204_000, free_bytes: 38e9 }),
}

async function explore(page: Page): Promise<void> {
  await press('Try them')(page)
  await page.getByRole('button', { name: /^mondrian, k = 10: / }).click()
}
async function learn(page: Page): Promise<void> {
  await page.getByLabel('Predict').selectOption('diagnosis')
  await page.getByLabel(/ with other k$/).fill('50')
  await press('Learn and attack')(page)
}

export const PICTURES: readonly Picture[] = [
  { name: 'inbox', person: 'officer', path: '/inbox', ready: heading('Streams'), shown: true },
  { name: 'project', person: 'steward', path: '/projects/:hospital', ready: heading('Releases'), shown: true },
  { name: 'data', person: 'steward', path: '/projects/:hospital/data', ready: heading('Columns that single persons out'), live: true, shown: true },
  { name: 'hierarchies', person: 'steward', path: '/projects/:hospital/hierarchies', ready: (page) => page.getByText(/of \d+ shown values/), live: true, shown: true },
  { name: 'protect', person: 'steward', path: '/projects/:hospital/protect', ready: heading('Classes by size'), live: true, covered: text(/ ms$/), shown: true },
  { name: 'explore', person: 'steward', path: '/projects/:hospital/explore', act: explore, ready: (page) => page.getByRole('button', { name: 'Use this setting' }), top: heading('What was tried'), live: true, shown: true },
  { name: 'check', person: 'steward', path: '/projects/:hospital/check', act: press('Check it'), ready: heading('Attacks'), top: heading('Risk'), live: true, shown: true },
  { name: 'learn', person: 'steward', path: '/projects/:hospital/learn', act: learn, ready: (page) => page.getByRole('img', { name: /^nb\. / }).locator('canvas'), top: heading('Accuracy over records'), live: true, shown: true },
  { name: 'review', person: 'officer', path: '/projects/:hospital/requests/:request', ready: heading('Decide'), shown: true },
  { name: 'releases', person: 'analyst', path: '/projects/:hospital/releases', ready: heading('Admissions'), shown: true },
  { name: 'release', person: 'analyst', path: '/projects/:hospital/releases/:release', ready: (page) => page.getByRole('img', { name: /Detail lost by column/ }), shown: true },
  { name: 'ledger', person: 'officer', path: '/projects/:hospital/ledger', ready: heading('Budget'), answers: CHARGED },
  { name: 'audit', person: 'auditor', path: '/audit?act=release', ready: (page) => page.getByRole('cell', { name: 'release.approve' }), height: 1000, answers: LOG, shown: true },
  { name: 'streams', person: 'operator', path: '/projects/:shop/streams', ready: (page) => page.getByText('goal 80 %'), answers: STREAM },
  { name: 'stream', ...stream, shown: true },
  { name: 'stream-dark', ...stream, look: 'dark' },
  { name: 'stream-narrow', ...stream, width: 360 },
  { name: 'admin', person: 'administrator', path: '/admin', ready: heading('Health'), answers: HEALTH },
  { name: 'account', person: 'analyst', path: '/account', ready: heading('Tokens for programs'), answers: ALONE, shown: true },
]
