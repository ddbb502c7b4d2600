// What is written is kept: in every form, through a reload, without holding the session open, and it is
// said where that cannot be.
import { call, enter, expect, Server, test, type Page } from './moretta.ts'
import { prepared, projectOf } from './made.ts'

let demo: Server
test.beforeAll(async () => {
  demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
})
test.afterAll(() => demo.end())

const names = async (page: Page) => ((await call(page, 'GET', '/me/drafts')) as { name: string }[]).map((one) => one.name)
/** Makes or deletes many drafts, no faster than the server lets a session. */
const each = (page: Page, method: 'PUT' | 'DELETE', names: string[]) =>
  page.evaluate(
    async ([method, names]) => {
      const { token } = (await (await fetch('/api/v1/session')).json()) as { token: string }
      const headers = { 'x-moretta-token': token, 'content-type': 'application/json' }
      for (const name of names) {
        const send = () => fetch(`/api/v1/me/drafts/${encodeURIComponent(name)}`, { method, headers, ...(method === 'PUT' ? { body: '{"content":{}}' } : {}) })
        while ((await send()).status === 429) await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    },
    [method, names] as const,
  )
const alert = (page: Page) => page.getByRole('alert').filter({ hasText: 'What you write here is not kept' })
async function protect(page: Page): Promise<void> {
  await enter(page, demo, 'steward')
  await each(page, 'DELETE', await names(page))
  await page.getByRole('link', { name: 'Protect', exact: true }).click()
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('5')
}

test('a draft that is refused is not sent again, is told, and does not hold the session open', async ({ page }) => {
  await page.clock.install()
  await protect(page)
  const sent: (string | undefined)[] = []
  await page.route('**/api/v1/me/drafts/protect*', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    sent.push(route.request().headers()['x-moretta-background'])
    const problem = { title: 'a draft has 512 KiB at most', status: 413, code: 'too-long' }
    await route.fulfill({ status: 413, contentType: 'application/problem+json', body: JSON.stringify(problem) })
  })
  await page.getByLabel('k', { exact: true }).fill('11')
  await expect(alert(page)).toContainText('a draft has 512 KiB at most')
  const before = sent.length
  await page.clock.runFor('00:30')
  expect(sent.length).toBe(before)
  await page.clock.fastForward('28:50')
  await page.clock.runFor('00:05')
  await expect(page.getByRole('button', { name: 'Stay' })).toBeVisible()
  await expect(page.getByText('What you wrote last is not kept.')).toBeVisible()
  expect(sent.length).toBe(before)
  expect(new Set(sent)).toEqual(new Set(['1']))
  // Once the way is free it is kept, and the alert goes.
  await page.unroute('**/api/v1/me/drafts/protect*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(alert(page)).toBeHidden()
  await expect(page.getByText(/^Changed since version 1; the draft is kept/)).toBeVisible()
})

test('of fifty drafts the oldest that nobody has written makes room', async ({ page }) => {
  await protect(page)
  const keep = (...names: string[]) => each(page, 'PUT', names)
  await keep('check:oldest', ...Array.from({ length: 49 }, (_, number) => `note:${number}`))
  await page.getByLabel('k', { exact: true }).fill('12')
  await expect(page.getByText(/^Changed since version 1; the draft is kept/)).toBeVisible()
  expect(await names(page)).not.toContain('check:oldest')
  await expect(alert(page)).toBeHidden()
  // Without one of these it is told, and kept when another is deleted.
  await page.getByRole('button', { name: 'Back to version 1' }).click()
  await expect.poll(() => names(page)).toHaveLength(49)
  await keep('note:49')
  await page.getByLabel('k', { exact: true }).fill('13')
  await expect(alert(page)).toContainText('nobody has more than 50 drafts')
  await call(page, 'DELETE', '/me/drafts/note:1')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByText(/^Changed since version 1; the draft is kept/)).toBeVisible()
})

/** Writes into a form, and finds it there after the page was loaded again; then takes it out again. */
async function staysWritten(page: Page, open: () => Promise<void>, label: string, text: string, without?: string): Promise<void> {
  await open()
  const field = page.getByLabel(label, { exact: true })
  const empty = await field.inputValue()
  const kept = page.waitForResponse((response) => response.request().method() === 'PUT' && (response.request().postData() ?? '').includes(JSON.stringify(text)))
  await field.fill(text)
  const at = (await kept).url()
  await page.reload()
  await open()
  await expect(field).toHaveValue(text)
  const gone = page.waitForResponse((response) => response.request().method() === 'DELETE' && response.url() === at)
  await field.fill(without ?? empty)
  await gone
}

test('every form keeps what is written in it', async ({ page }) => {
  await enter(page, demo, 'officer')
  const project = await prepared(page)
  const at = (path: string) => `${demo.address}/projects/${project}/${path}`
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click()
  const release = ((await call(page, 'GET', `/projects/${project}/releases`)) as { items: { id: string }[] }).items[0]?.id

  await page.goto(at(`releases/${release}`))
  await staysWritten(page, () => press('Take it back'), 'Reason', 'a column was forgotten')

  await page.goto(`${at(`releases/${release}`)}?show=rows`)
  await staysWritten(page, () => page.locator('summary', { hasText: /^Filter/ }).click(), 'Value', '57..80')

  await enter(page, demo, 'analyst')
  await page.goto(at('releases'))
  await staysWritten(page, () => press('Ask for a finer level'), 'Purpose', 'to see single years')

  await enter(page, demo, 'clinician')
  await page.goto(at('raw'))
  await staysWritten(page, async () => undefined, 'What do you need the rows for?', 'a letter to a patient')

  await enter(page, demo, 'steward')
  await page.goto(at('hierarchies'))
  await staysWritten(page, async () => undefined, 'Widths', '4, 8, 24')
  await staysWritten(page, () => press('New hierarchy'), 'Name', 'wards.csv', '')

  await enter(page, demo, 'administrator')
  await page.goto(`${demo.address}/admin`)
  await staysWritten(page, () => press('Invite somebody'), 'Name', 'deputy')
  await page.goto(at('members'))
  await staysWritten(page, () => press('Add a member'), 'Reason', 'takes over in autumn')
})

test('what a page remembers of a policy goes when the policy becomes a request', async ({ page }) => {
  await enter(page, demo, 'steward')
  const project = await projectOf(page)
  await prepared(page)
  await page.goto(`${demo.address}/projects/${project}/check`)
  await page.getByRole('button', { name: 'Check it' }).click()
  await expect(page.getByRole('region', { name: 'Attacks' })).toBeVisible()
  await expect.poll(async () => (await names(page)).some((name) => name.startsWith('check:'))).toBe(true)
  await page.goto(`${demo.address}/projects/${project}/requests`)
  await page.getByLabel('Name', { exact: true }).fill('Admissions of a story')
  await page.getByLabel('Purpose').fill('to see what is forgotten')
  await page.getByRole('button', { name: 'Run it and ask for approval' }).click()
  await expect(page).toHaveURL(/requests\/[0-9a-f]{32}$/)
  await expect.poll(async () => (await names(page)).filter((name) => /^(check|request):/.test(name))).toEqual([])
})
