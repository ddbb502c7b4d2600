// A steward asks, an officer reviews and decides.
import { call, enter, expect, looksRight, Server, test, type Page } from './moretta.ts'
import { other, policy, prepared, projectOf, ready } from './made.ts'

let demo: Server
test.beforeAll(async () => {
  demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
})
test.afterAll(() => demo.end())

const requests = (project: string) => `${demo.address}/projects/${project}/requests`
async function ask(page: Page, name: string, chosen: RegExp): Promise<void> {
  await page.getByLabel('Name').fill(name)
  await page.getByLabel('Purpose').fill('Planning of beds')
  const wanted = await page.getByLabel('Policy').getByRole('option', { name: chosen }).first().getAttribute('value')
  await page.getByLabel('Policy').selectOption(wanted)
  await page.getByRole('button', { name: 'Run it and ask for approval' }).click()
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible()
}

test('from the request of a steward to what an officer has published', async ({ page, browser }) => {
  await enter(page, demo, 'steward')
  const project = await prepared(page)
  await policy(page, project, 'stricter', (text) => text.replace('k = 5', 'k = 8'))
  await page.goto(requests(project))
  await expect(page.getByText('Level 2, “release”')).toBeVisible()
  await expect(page.getByText('moretta run policy.toml')).toBeVisible()
  await looksRight(page)
  // What was typed is kept, also on another visit.
  await page.getByLabel('Purpose').fill('to be kept')
  await expect(page.getByText('draft kept')).toBeVisible()
  await page.reload()
  await expect(page.getByLabel('Purpose')).toHaveValue('to be kept')
  await ask(page, 'Beds of May', /stricter/)
  await expect(page.getByText('waits for an officer', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('button', { name: /Approve/ })).toHaveCount(0)

  const officer = await other(browser, demo, 'officer')
  await officer.getByRole('link', { name: 'Review Beds of May' }).click()
  // What changed, who gets it, what holds.
  await expect(officer.getByRole('region', { name: 'Difference of the policies' })).toContainText('k = 8')
  await expect(officer.getByText('for level 2 (4 people)')).toBeVisible()
  const checks = officer.getByRole('region', { name: 'Checks' })
  await expect(checks.getByText('k-anonymity at least 8')).toBeVisible()
  await expect(checks).toContainText('Not held against 1 earlier release')
  await expect(officer.getByRole('row', { name: /downcoding/ })).toBeVisible()
  await officer.getByText('Staged rows of level 2').click()
  await officer.getByRole('button', { name: 'Show rows of level 2' }).click()
  await expect(officer.getByText('50 of 4,000 rows')).toBeVisible()
  const [report] = await Promise.all([officer.waitForEvent('popup'), officer.getByRole('link', { name: /Report of level 2/ }).click()])
  await expect(report.getByRole('heading').first()).toBeVisible()
  await report.close()
  await looksRight(officer)

  await officer.getByRole('button', { name: /Approve these bytes [0-9a-f]{8}/ }).click()
  await expect(officer.getByText('published', { exact: true })).toBeVisible()
  await expect(officer.getByText(/^\d+:[0-9a-f]{64}$/)).toBeVisible()
  // The steward sees it without doing anything.
  await expect(page.getByText('published', { exact: true })).toBeVisible()
  await page.getByRole('link', { name: 'To the release' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Beds of May' })).toBeVisible()
  await officer.context().close()
})

test('a refusal has a reason, and the steward asks again', async ({ page, browser }) => {
  await enter(page, demo, 'steward')
  const project = await prepared(page)
  const version = await policy(page, project, 'refused later', (text) => text.replace('k = 5', 'k = 6'))
  const request = await ready(page, project, 'To be refused', version, [2])
  await page.goto(`${requests(project)}/${request}`)

  const officer = await other(browser, demo, 'officer')
  await officer.goto(`${requests(project)}/${request}`)
  await officer.getByRole('button', { name: 'Refuse' }).click()
  await expect(officer.getByRole('alert')).toContainText('say why')
  await officer.getByLabel('Reason').fill('cost and ward together tell too much')
  await officer.getByRole('button', { name: 'Refuse' }).click()
  await expect(officer.getByText('refused', { exact: true }).first()).toBeVisible()
  await officer.context().close()

  await expect(page.getByText('cost and ward together tell too much')).toBeVisible()
  await page.getByRole('link', { name: 'Ask again with changes' }).click()
  await expect(page.getByLabel('Name')).toHaveValue('To be refused')
  await expect(page.getByLabel('Policy')).toHaveValue(version)
})

test('a steward withdraws', async ({ page }) => {
  await enter(page, demo, 'steward')
  const project = await prepared(page)
  const version = await policy(page, project, 'withdrawn later', (text) => text.replace('k = 5', 'k = 7'))
  const request = await ready(page, project, 'Not wanted', version, [2])
  await page.goto(`${requests(project)}/${request}`)
  await page.getByRole('button', { name: 'Withdraw' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await expect(page.getByText('withdrawn', { exact: true })).toBeVisible()
  await expect(page.getByRole('link', { name: 'Ask again with changes' })).toBeVisible()
})

test('a run that fails says why, and can be run again', async ({ page }) => {
  await enter(page, demo, 'steward')
  const project = await projectOf(page)
  await policy(page, project, 'too coarse', (text) => text.replace('gcp = 0.5', 'gcp = 0.01'))
  await page.goto(requests(project))
  await ask(page, 'Says too little', /too coarse/)
  await expect(page.getByText('run failed', { exact: true })).toBeVisible({ timeout: 30_000 })
  await expect(page.getByRole('alert').first()).toContainText('above the limit of 0.01')
  await page.getByRole('button', { name: 'Run again' }).click()
  await expect(page.getByText('run failed', { exact: true })).toBeVisible({ timeout: 30_000 })
})

test('a script in the name of a column runs nowhere', async ({ page, browser }) => {
  const EVIL = '<img src=x onerror=document.title=String.fromCharCode(82)><script>document.title=String.fromCharCode(82)</script>'
  await enter(page, demo, 'steward')
  const project = await prepared(page)
  const rows = Array.from({ length: 200 }, (_, row) => `P${row},${20 + (row % 10)},${['a', 'b', 'c'][row % 3]}`)
  await page.goto(`${demo.address}/projects/${project}/data`)
  await page.getByRole('button', { name: 'Bring data' }).click()
  await page.getByLabel('Drop a table here').setInputFiles({ name: 'evil.csv', mimeType: 'text/csv', buffer: Buffer.from(`person,age,${EVIL}\n${rows.join('\n')}\n`) })
  await page.getByLabel('a new data set').check()
  await page.getByRole('button', { name: 'Upload', exact: true }).click()
  await expect(page.getByRole('heading', { name: 'evil version 1' })).toBeVisible()
  await expect(page.getByRole('article').filter({ hasText: '<script>' }).first()).toBeVisible()
  const content = `version = 1\nname = "evil"\n\n[columns]\nperson = { role = "subject" }\nage = { role = "quasi" }\n${JSON.stringify(EVIL)} = { role = "plain" }\n\n[guarantee]\nk = 5\n\n[[protect]]\nmethod = "mondrian"\n`
  const made = (await call(page, 'POST', `/projects/${project}/policies`, { name: 'evil', content })) as { id: string }
  const { items } = (await call(page, 'GET', `/projects/${project}/datasets`)) as { items: { name: string; last: { id: string } }[] }
  const data = items.find((one) => one.name === 'evil')?.last.id
  const { id } = (await call(page, 'POST', `/projects/${project}/requests`, { name: 'Evil', purpose: 'a story', data, policy: made.id, levels: [2] })) as { id: string }
  await expect.poll(async () => ((await call(page, 'GET', `/projects/${project}/requests/${id}`)) as { state: string }).state, { timeout: 30_000 }).toBe('ready')

  const officer = await other(browser, demo, 'officer')
  await officer.goto(`${requests(project)}/${id}`)
  const [report] = await Promise.all([officer.waitForEvent('popup'), officer.getByRole('link', { name: /Report of level 2/ }).click()])
  await expect(report.getByText('<script>').first()).toBeAttached()
  // The sandbox of the report would stop a script that was there.
  const answer = await officer.request.get(report.url())
  expect(answer.headers()['content-security-policy']).toMatch(/^sandbox|; ?sandbox/)
  await officer.getByRole('button', { name: /Approve these bytes/ }).click()
  await expect(officer.getByText('published', { exact: true })).toBeVisible()
  await officer.goto(`${demo.address}/projects/${project}/releases/${id}?show=rows`)
  await expect(officer.getByRole('columnheader', { name: '<script>' }).first()).toBeVisible()
  // The name is there as text, and made no element and no title.
  for (const one of [page, officer, report]) {
    expect(await one.locator('img[src="x"]').count()).toBe(0)
    expect(await one.title()).not.toBe('R')
  }
  await officer.context().close()
})
