// Auditors: the log and its sums, who could read, what releases give away together.
import { readFileSync } from 'node:fs'
import { enter, expect, looksRight, test } from './moretta.ts'
import { prepared, projectOf } from './made.ts'

test('the log is read, filtered, verified and exported', async ({ page, demo }) => {
  await enter(page, demo, 'auditor')
  await prepared(page)
  await page.goto(`${demo.address}/audit`)
  await expect(page.getByRole('heading', { level: 1, name: 'Audit of the server' })).toBeVisible()
  await page.getByLabel('Act begins with').fill('release.approve')
  await page.getByLabel('Act begins with').press('Tab')
  const entry = page.getByRole('row').filter({ hasText: 'release.approve' }).first()
  await expect(entry).toContainText('officer')
  await expect(page.getByRole('row').filter({ hasText: 'session.begin' })).toHaveCount(0)
  await page.getByRole('button', { name: 'No filter' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'session.begin' }).first()).toBeVisible()

  // Persons are named, though entries have their numbers.
  await page.getByLabel('Person').fill('steward')
  await page.getByLabel('Person').press('Tab')
  await expect(page.getByRole('row').filter({ hasText: 'data.version' }).first()).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'release.approve' })).toHaveCount(0)
  await page.getByLabel('Person').fill('somebody else')
  await page.getByLabel('Person').press('Tab')
  await expect(page.getByText('by somebody of this name')).toBeVisible()
  await page.getByRole('button', { name: 'No filter' }).click()
  await expect(page.getByRole('row').filter({ hasText: 'session.begin' }).first()).toBeVisible()

  await page.getByRole('button', { name: 'Verify the whole log' }).click()
  await expect(page.getByText(/All \d+ entries hold/)).toBeVisible()
  const head = /\d+:[0-9a-f]{64}/.exec((await page.getByRole('region', { name: 'Verify' }).textContent()) ?? '')?.[0] ?? ''
  await page.getByLabel('A head that you noted down').fill(head)
  await page.getByRole('button', { name: 'Verify the whole log' }).click()
  await expect(page.getByText('the head that you noted is in it')).toBeVisible()
  await page.getByLabel('A head that you noted down').fill(head.replace(/.$/, (last) => (last === '0' ? '1' : '0')))
  await page.getByRole('button', { name: 'Verify the whole log' }).click()
  await expect(page.getByText(/does not hold.* fits together/)).toBeVisible()
  await looksRight(page)

  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export it' }).click()
  const text = readFileSync(await (await download).path(), 'utf8')
  expect(text.split('\n')[0]).toMatch(/^[0-9a-f]{64} \{/)
})

test('who could read on a day, and what was given away together', async ({ page, demo }) => {
  await enter(page, demo, 'auditor')
  const project = await projectOf(page)
  await page.goto(`${demo.address}/audit`)
  await page.getByRole('link', { name: 'log and readers of hospital' }).click()
  await page.getByLabel('Who could read', { exact: true }).selectOption('raw rows')
  await page.getByRole('button', { name: 'Look it up in the log' }).click()
  const readers = page.getByRole('table', { name: 'Readers' })
  await expect(readers.getByRole('row', { name: /clinician/ })).toBeVisible()
  await expect(readers.getByRole('row')).toHaveCount(2)
  await looksRight(page)
  await page.goto(`${demo.address}/projects/${project}/ledger`)
  await expect(page.getByText(/of these data (was|were) published/)).toBeVisible()
  await expect(page.getByRole('link', { name: 'Admissions', exact: true }).first()).toBeVisible()
  await looksRight(page)
  // An auditor sees what was decided, and no row.
  await page.getByRole('link', { name: 'Admissions', exact: true }).first().click()
  await expect(page.getByRole('heading', { level: 1, name: 'Admissions' })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Rows', exact: true })).toHaveCount(0)
})

test('an officer sees the log of the project alone', async ({ page, demo }) => {
  await enter(page, demo, 'officer')
  const project = await projectOf(page)
  await page.goto(`${demo.address}/projects/${project}/audit`)
  await expect(page.getByRole('row').filter({ hasText: 'member.grant' }).first()).toBeVisible()
  await expect(page.getByRole('row').filter({ hasText: 'session.begin' })).toHaveCount(0)
  await page.getByRole('button', { name: 'Verify the whole log' }).click()
  await expect(page.getByText(/All \d+ entries hold/)).toBeVisible()
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Export the entries of this project' }).click()
  expect(readFileSync(await (await download).path(), 'utf8')).not.toContain('session.begin')
})
