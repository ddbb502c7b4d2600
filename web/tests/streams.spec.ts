// A stream from its definition to its rows, by those who define, approve, run and read it.
import type { BrowserContext } from '@playwright/test'
import { call, enter, expect, looksRight, test, type Page, type Person, type Server } from './moretta.ts'

interface Me {
  projects: { project: string; name: string }[]
}
async function shopOf(page: Page): Promise<string> {
  const me = (await call(page, 'GET', '/me')) as Me
  return me.projects.find((one) => one.name === 'shop')?.project ?? ''
}

/** Made-up visits of forty people: what all but one of them show is shown by enough, and two rounds have two others. */
function visits(round: number): string {
  const second = Math.floor(Date.now() / 1000)
  const visit = (user: number) => JSON.stringify({ t: String(second), user: `v${user}`, page: user === round ? `rare/${user}` : 'books/crime' })
  return Array.from({ length: 40 }, (_, user) => visit(user)).join('\n')
}
async function send(address: string, token: string, round: number): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/x-ndjson' }
  return (await fetch(address, { method: 'POST', headers, body: visits(round) })).status
}

const contexts: BrowserContext[] = []
test.afterEach(async () => {
  for (const context of contexts.splice(0)) await context.close()
})

test('a stream is defined, approved, fed, started, killed and stopped', async ({ page, demo, browser }) => {
  test.setTimeout(150_000)
  const as = async (person: Person, server: Server = demo) => {
    const context = await browser.newContext()
    contexts.push(context)
    const other = await context.newPage()
    await enter(other, server, person)
    return other
  }
  // The steward defines it.
  await enter(page, demo, 'steward')
  const shop = await shopOf(page)
  const streams = `${demo.address}/projects/${shop}/streams`
  await page.goto(streams)
  await expect(page.getByRole('link', { name: 'visits' })).toBeVisible({ timeout: 30_000 })
  await looksRight(page)
  await page.getByRole('button', { name: 'Define a stream' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('till')
  await dialog.getByLabel('Policy').selectOption('visits')
  await expect(dialog.getByLabel('Version')).toHaveValue(/^[0-9a-f]{32}$/)
  await looksRight(page)
  await dialog.getByRole('button', { name: 'Define it' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'till' })).toBeVisible()
  await expect(page.getByRole('heading', { name: 'It waits for an officer' })).toBeVisible()
  const stream = page.url()

  // The officer finds it in the inbox and approves it.
  const officer = await as('officer')
  await officer.goto(`${demo.address}/inbox`)
  await officer.getByRole('link', { name: 'Decide about till' }).click()
  await expect(officer.getByRole('button', { name: 'Approve for level 2' })).toBeDisabled()
  await expect(officer.getByText('1 analyst of the project today')).toBeVisible()
  await expect(officer.getByLabel('Text of the policy')).toContainText('z-anonymity')
  await looksRight(officer)
  await officer.getByLabel('Reason').fill('the window is short')
  await officer.getByRole('button', { name: 'Approve for level 2' }).click()
  await expect(officer.getByText('the window is short')).toBeVisible()

  // The steward makes a token, and the line that is given sends an event.
  await page.reload()
  await page.getByRole('button', { name: 'Make a token' }).click()
  await page.getByRole('textbox', { name: 'Program' }).fill('the till')
  await page.getByRole('button', { name: 'Make it' }).click()
  const line = (await page.getByText(/curl --data-binary/).textContent()) ?? ''
  const [, token = '', address = ''] = /Bearer (\w+)' (\S+)$/.exec(line) ?? []
  expect(line).toContain(`echo '{"t":"'$(date +%s)'","user":"somebody","page":"something"}'`)
  await looksRight(page)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await expect(page.getByRole('cell', { name: 'the till', exact: true })).toBeVisible()

  // The operator begins with the streams, starts it, and sees it live, but no row.
  const operator = await as('operator')
  await expect(operator).toHaveURL(streams)
  await operator.getByRole('link', { name: 'till' }).click()
  await operator.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(operator.getByText('It runs as soon as the first event comes.')).toBeVisible()
  expect(await send(address, token, 0)).toBe(202)
  await expect(operator.getByText('running', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(operator.getByText('Restarts, 15 min', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(operator.getByRole('heading', { name: 'Released rows' })).toBeHidden()
  await expect(call(operator, 'GET', `${new URL(stream).pathname}/rows`)).rejects.toThrow('forbidden')

  // Its process is killed, and another one goes on.
  expect(demo.killChildren()).toBeGreaterThan(0)
  await expect(operator.getByRole('cell', { name: 'killed', exact: false }).first()).toBeVisible({ timeout: 40_000 })
  await expect(operator.getByText('running', { exact: true })).toBeVisible({ timeout: 30_000 })
  expect(await send(address, token, 1)).toBe(202)
  await expect(operator.getByRole('img', { name: /^Released by level/ })).toBeVisible({ timeout: 40_000 })
  await expect(operator.getByText(/\d+, \d\d:\d\d killed/)).toBeVisible()
  await operator.getByRole('button', { name: '6 h' }).click()
  await expect(operator).toHaveURL(/range=6h/)
  await expect(operator.getByRole('heading', { name: 'What happened 6 h' })).toBeVisible()
  await operator.getByRole('button', { name: 'Pause' }).click()
  await expect(operator.getByRole('button', { name: 'Go on' })).toBeVisible()
  await looksRight(operator)

  // The analyst finds the stream and reads its rows, and no figures.
  const analyst = await as('analyst')
  await analyst.goto(streams)
  await analyst.getByRole('link', { name: 'till' }).click()
  await expect(analyst.getByRole('cell', { name: 'books', exact: false }).first()).toBeVisible()
  await expect(analyst.getByRole('cell', { name: /^rare/ })).toHaveCount(0)
  await expect(analyst.getByRole('heading', { name: 'As it runs' })).toBeHidden()
  await looksRight(analyst)

  // The operator stops it; then the steward may change it, but not for a coarser audience.
  await operator.getByRole('button', { name: 'Stop' }).click()
  await expect(operator.getByText('stopped', { exact: true }).first()).toBeVisible({ timeout: 30_000 })
  await page.goto(stream)
  await page.getByRole('button', { name: 'Another policy or audience' }).click()
  await page.getByRole('dialog').getByLabel('Audience: level').fill('3')
  await page.getByRole('button', { name: 'Change it' }).click()
  await expect(page.getByRole('dialog').getByRole('alert')).toContainText('Define another stream')
  await page.getByRole('dialog').getByLabel('Audience: level').fill('2')
  await page.getByRole('button', { name: 'Change it' }).click()
  await expect(page.getByRole('heading', { name: 'It waits for an officer' })).toBeVisible()
})

/** Visits of forty people, each of whom visits other pages than everybody else: nobody is alike. */
function different(): string {
  const t = String(Math.floor(Date.now() / 1000))
  const pages = (user: number) => [...'abcdef'].filter((_, bit) => (user + 1) & (1 << bit))
  return Array.from({ length: 40 }, (_, user) => pages(user).map((page) => JSON.stringify({ t, user: `d${user}`, page: `${page}/${page}` })).join('\n')).join('\n')
}
const GOAL = `version = 1
name = "unreachable"

[columns]
t = { role = "time", unit = "s" }
user = { role = "subject", action = "keep" }
page = { role = "quasi", hierarchy = { path = "/" } }

[[protect]]
method = "z-anonymity"
z = 3
window = "10m"
tune = { goal = 0.8, every = "1h", at_least = 3 }
`

test('a stream under its goal is in the banner and in the inbox; pause and ranges', async ({ page, demo, browser }) => {
  test.setTimeout(180_000)
  await enter(page, demo, 'steward')
  const shop = await shopOf(page)
  const made = (await call(page, 'POST', `/projects/${shop}/policies`, { name: 'unreachable', content: GOAL })) as { id: string }
  const { id } = (await call(page, 'POST', `/projects/${shop}/streams`, { name: 'corner shop', policy_version: made.id, level: 2 })) as { id: string }
  const address = `${demo.address}/projects/${shop}/streams/${id}`
  const token = (await call(page, 'POST', `/projects/${shop}/streams/${id}/tokens`, { name: 'till', ends_at: Date.now() + 3_600_000 })) as { token: string }
  const post = (body: string) => fetch(`${demo.address}/api/v1/projects/${shop}/streams/${id}/events`, { method: 'POST', headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/x-ndjson' }, body })
  const officer = await (await browser.newContext()).newPage()
  contexts.push(officer.context())
  await enter(officer, demo, 'officer')
  await officer.goto(address)
  await officer.getByLabel('Reason').fill('to see an alarm')
  await officer.getByRole('button', { name: 'Approve for level 2' }).click()
  await expect(officer.getByText('to see an alarm')).toBeVisible()

  const operator = await (await browser.newContext()).newPage()
  contexts.push(operator.context())
  await enter(operator, demo, 'operator')
  await operator.goto(address)
  await operator.getByRole('button', { name: 'Start', exact: true }).click()
  await expect(operator.getByText('It runs as soon as the first event comes.')).toBeVisible()
  const banner = operator.getByText(/^▲ p_k is [\d.]+ %, under the goal of 80 %\.$/)
  expect((await post(visits(-1))).status).toBe(202)
  await expect(operator.getByText('running', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(operator.getByText('Window seen', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(banner).toBeHidden()
  const sent = Date.now()
  expect((await post(different())).status).toBe(202)
  await banner.waitFor({ timeout: 40_000 })
  console.log(`from events that nobody shares to the figure on the screen: ${Date.now() - sent} ms`)
  await looksRight(operator)
  await operator.getByRole('link', { name: /^Inbox/ }).click()
  const entry = operator.getByRole('listitem').filter({ hasText: 'corner shop' })
  await expect(entry).toContainText('is under its goal', { timeout: 40_000 })
  await expect(operator.getByRole('navigation', { name: 'Pages' })).toContainText(/Inbox\s*\d+\s*waiting/)
  await entry.getByRole('link', { name: 'Look at corner shop' }).click()
  await expect(banner).toBeVisible({ timeout: 30_000 })

  // Seven days are asked for, and held still.
  const asked: number[] = []
  operator.on('request', (request) => void (request.url().includes('/figures?') && asked.push(Number(new URL(request.url()).searchParams.get('from')))))
  await operator.getByRole('button', { name: '7 days' }).click()
  await expect(operator).toHaveURL(/range=7d/)
  await expect(operator.getByRole('heading', { name: 'What happened 7 days' })).toBeVisible()
  await expect.poll(() => Math.round((Date.now() - (asked.at(-1) ?? 0)) / 3_600_000)).toBe(7 * 24)
  await operator.getByRole('button', { name: '15 min' }).click()
  const shown = () => operator.getByRole('region', { name: 'As it runs' }).innerText()
  const before = await shown()
  await post(visits(-1))
  await expect.poll(shown, { timeout: 40_000 }).not.toBe(before)
  await operator.getByRole('button', { name: 'Pause' }).click()
  await expect(operator.getByText(/^as of /)).toBeVisible()
  await expect.poll(async () => (await operator.waitForTimeout(1000), asked.length)).toBe(asked.length)
  const [paused, calls] = [await shown(), asked.length]
  await post(different())
  await operator.waitForTimeout(12_000)
  expect(await shown()).toBe(paused)
  expect(asked.length, 'nothing is read meanwhile').toBe(calls)
  await operator.getByRole('button', { name: 'Go on' }).click()
  await expect.poll(() => asked.length).toBeGreaterThan(calls)
  await expect.poll(shown, { timeout: 30_000 }).not.toBe(paused)
})

test('who has no stream yet begins with a sample, and an address of others leads nowhere', async ({ page, demo }) => {
  await enter(page, demo, 'steward')
  const me = (await call(page, 'GET', '/me')) as Me
  const hospital = me.projects.find((one) => one.name === 'hospital')?.project
  await page.goto(`${demo.address}/projects/${hospital}/streams`)
  await page.getByRole('button', { name: 'Begin with made-up visits to a shop' }).click()
  await expect(page.getByRole('dialog').getByLabel('Policy')).toHaveValue(/^[0-9a-f]{32}$/)
  await page.keyboard.press('Escape')
  await enter(page, demo, 'analyst')
  await page.goto(`${demo.address}/projects/${hospital}/streams/${'0'.repeat(32)}`)
  await expect(page.getByRole('heading', { name: 'There is no such stream' })).toBeVisible()
})
