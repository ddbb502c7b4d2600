// Raw rows: for who has level 1, for a purpose, after a second factor; each page and each look is logged.
import { call, enter, expect, looksRight, Server, test } from './moretta.ts'


test('a clinician reads raw rows after a second factor, and all of it is in the log', async ({ page, browser }) => {
  const demo = await Server.start(['--demo'], /administrator: .*\n\s+\S+/)
  await enter(page, demo, 'clinician')
  await page.getByRole('link', { name: 'Raw rows' }).click()
  const purpose = page.getByLabel('What do you need the rows for?')
  await expect(page.getByLabel('Data set')).toHaveText('admissions', { timeout: 20_000 })
  await looksRight(page)
  await page.getByRole('button', { name: 'Read the first 100 rows' }).click()
  await expect(purpose, 'nothing without a purpose').toBeFocused()

  // As the server answers a quarter of an hour after the second factor was shown.
  let asked = 0
  await page.route('**/rows?*', (route) => {
    asked += 1
    if (asked > 1) return route.continue()
    return route.fulfill({ status: 403, contentType: 'application/problem+json', json: { title: 'show the second factor again', status: 403, code: 'step-up' } })
  })
  await purpose.fill('case conference')
  await page.getByRole('button', { name: 'Read the first 100 rows' }).click()
  await expect(page.getByRole('heading', { name: 'Show your second factor again' })).toBeVisible()
  await page.getByRole('button', { name: 'Not now' }).click()
  await expect(page.getByRole('alert')).toContainText('second factor')
  asked = 0
  await page.getByRole('button', { name: 'Read the first 100 rows' }).click()
  await page.getByRole('button', { name: 'Show it as this person' }).click()
  const table = page.getByRole('table', { name: 'Raw rows of admissions' })
  await expect(table.getByRole('row')).toHaveCount(101)
  await expect(table).toContainText('P0000001')
  await page.getByRole('button', { name: 'Show more' }).click()
  await expect(table.getByRole('row')).toHaveCount(201)
  expect(page.url()).not.toContain('case')

  await table.getByRole('button', { name: 'who?' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Look it up' }).click()
  await expect(page.getByRole('dialog')).toContainText('stands for the name Alivel Bona')
  await looksRight(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]))).not.toMatch(/Alivel|P0000001/)

  await page.getByRole('button', { name: 'Lock' }).click()
  await expect(page.getByRole('button', { name: 'Unlock' })).toBeVisible()
  expect(await page.content()).not.toMatch(/Alivel|P0000001/)
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(purpose, 'rows do not come back by themselves').toHaveValue('')

  const context = await browser.newContext()
  const auditor = await context.newPage()
  await enter(auditor, demo, 'auditor')
  const log = JSON.stringify(await call(auditor, 'GET', '/audit?limit=100'))
  expect(log.match(/data\.raw/g)).toHaveLength(2)
  expect(log.match(/vault\.look/g)).toHaveLength(1)
  expect(log).toContain('case conference')
  expect(log).not.toMatch(/Alivel|P0000001/)

  await enter(auditor, demo, 'analyst')
  await expect(auditor.getByRole('navigation', { name: 'Pages' })).not.toContainText('Raw rows')
  await auditor.goto(page.url())
  await expect(auditor.getByText('Your role does not include this page.')).toBeVisible()
  await context.close()
  await demo.end()
})
