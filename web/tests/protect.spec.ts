// A steward weighs protection against loss: a policy as form and text with a live preview, settings that
// are tried and taken over, checks, and learners.
import { call, enter, expect, looksRight, test, type Page, type Server } from './moretta.ts'
import { projectOf } from './made.ts'

/** Goes to a page of the hospital as its steward, by links of the frame. Drafts of earlier stories are none of this one. */
async function open(page: Page, demo: Server, title: string): Promise<void> {
  await enter(page, demo, 'steward')
  const drafts = (await call(page, 'GET', '/me/drafts')) as { name: string }[]
  for (const { name } of drafts) await call(page, 'DELETE', `/me/drafts/${name}`)
  await page.getByRole('link', { name: title, exact: true }).click()
  await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
}
/** Two columns that leave as mixtures. */
const MIXED = `version = 1
seed = 3

[columns]
name = { role = "identifier" }
patient = { role = "identifier" }
age = { role = "quasi", type = "number" }
sex = { role = "identifier" }
zip = { role = "identifier" }
education = { role = "identifier" }
admission = { role = "identifier" }
ward = { role = "class" }
diagnosis = { role = "identifier" }
cost = { role = "quasi", type = "number" }

[[protect]]
method = "random-projection"
`
const preview = (page: Page) => page.getByRole('region', { name: 'Preview' })
const text = (page: Page) => page.getByLabel('policy.toml')

test('k is moved, the preview follows, and form and text are in step', async ({ page, demo }) => {
  await open(page, demo, 'Protect')
  await expect(preview(page).getByText('5 persons')).toBeVisible()
  await page.getByLabel('k', { exact: true }).fill('25')
  await expect(preview(page).getByText('k-anonymity, promised at least 25, found 25')).toBeVisible()
  await expect(text(page)).toHaveValue(/\nk = 25 +# every class holds at least 5 patients\n/)
  await expect(page.getByText('loss', { exact: false }).first()).toContainText('k=25')

  // By the slider, with keys.
  await page.getByLabel('k, from 2 to 200').focus()
  await page.keyboard.press('Home')
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('2')
  await expect(preview(page).getByText('2 persons')).toBeVisible()
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('25')
  await page.getByRole('button', { name: 'Redo', exact: true }).click()
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('2')

  // The text, with what is wrong at its line and at its field.
  const written = await text(page).inputValue()
  await text(page).fill(written.replace(/\nk = 2 /, '\nk = 0 '))
  await expect(page.getByRole('button', { name: 'Line 18' })).toBeVisible()
  await expect(page.getByLabel('k', { exact: true })).toHaveAttribute('aria-invalid', 'true')
  await expect(page.getByRole('button', { name: 'Save version 2' })).toBeDisabled()
  await text(page).fill(written.replace(/\nk = 2 /, '\nk = '))
  await expect(page.getByText('The text cannot be read at line 18')).toBeVisible()
  await text(page).fill(written.replace(/\nk = 2 /, '\nk = 10 '))
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('10')
  await expect(preview(page).getByText('found 10')).toBeVisible()
})

test('methods, levels and roles are chosen, and a version is saved with its command', async ({ page, demo }) => {
  await open(page, demo, 'Protect')
  await page.getByRole('button', { name: 'New policy' }).click()
  await page.getByLabel('Name', { exact: true }).fill('admissions by level')
  await page.getByLabel('Begins with').selectOption({ label: 'a copy of admissions, as it is saved' })
  await page.getByRole('button', { name: 'Make it' }).click()
  await expect(page.getByLabel('Policy', { exact: true })).toHaveValue(/^[0-9a-f]{32}$/)
  await expect(page.getByRole('dialog')).toBeHidden()
  await page.getByLabel('lattice finds').check()
  await expect(text(page)).toHaveValue(/method = "lattice"/)
  await page.getByLabel('suppress', { exact: true }).fill('0.05')
  await expect(text(page)).toHaveValue(/method = "lattice"\nsuppress = 0.05\n/)
  await page.getByLabel('mondrian cuts').check()
  await page.getByRole('button', { name: '+ levels' }).click()
  await expect(text(page)).toHaveValue(/\[levels\]\n2 = \{ k = 5 \}\n3 = \{ k = 25 \}\n/)
  await preview(page).getByRole('button', { name: 'Level 3' }).click()
  await expect(preview(page).getByText('promised at least 25')).toBeVisible()
  await page.getByLabel('Role of ward').selectOption('sensitive')
  await expect(text(page)).toHaveValue(/ward +\= \{ role = "sensitive" \}/)
  await expect(preview(page).getByText('diversity of diagnosis').first()).toBeVisible()
  await page.getByRole('button', { name: 'Back to version 1' }).click()
  await page.getByLabel('k', { exact: true }).fill('6')
  await page.getByRole('button', { name: 'Save version 2' }).click()
  await expect(page.getByText('was saved')).toBeVisible()
  await expect(page.getByText('As saved in version 2.')).toBeVisible()
  await expect(page.getByText('moretta run policy.toml')).toBeVisible()
  await page.getByText('Earlier versions').click()
  await page.getByRole('button', { name: 'Take into the draft version 1', exact: true }).click()
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('5')
  await looksRight(page)
})

test('a method that the server has learnt has its form without new code', async ({ page, demo }) => {
  await page.route('**/api/v1/catalogue', async (route) => {
    const response = await route.fetch()
    const catalogue = (await response.json()) as { methods: { name: string; about: string; family: string }[] }
    const mondrian = catalogue.methods.find(({ name }) => name === 'mondrian')
    catalogue.methods.push({ ...mondrian, name: 'fogging', about: 'fogs values by a made-up rule', family: mondrian?.family ?? '' })
    await route.fulfill({ response, json: catalogue })
  })
  await page.route('**/api/v1/policy-schema', async (route) => {
    const response = await route.fetch()
    const schema = (await response.json()) as { properties: { protect: { items: { oneOf: object[] } } } }
    schema.properties.protect.items.oneOf.push({
      type: 'object',
      description: 'fogs values by a made-up rule',
      required: ['method', 'density'],
      properties: {
        method: { const: 'fogging' },
        density: { type: 'integer', minimum: 1, maximum: 9, description: 'how thick the fog is' },
        share: { type: 'number', minimum: 0, maximum: 1, description: 'share of cells (default: 1)' },
        drift: { type: 'boolean', default: false, description: 'whether it moves' },
        colour: { enum: ['grey', 'white'], description: 'its colour (default: grey)' },
        towns: { type: 'array', items: { type: 'string' }, description: 'where it lies (default: everywhere)' },
      },
    })
    await route.fulfill({ response, json: schema })
  })
  await open(page, demo, 'Protect')
  await page.getByLabel('fogging fogs values by a made-up rule').check()
  await expect(text(page)).toHaveValue(/\nmethod = "fogging"\ndensity = 1\n/)
  await page.getByLabel('density', { exact: true }).fill('12')
  await expect(page.getByText('this is at most 9')).toBeVisible()
  await page.getByLabel('density', { exact: true }).fill('7')
  await page.getByLabel('share', { exact: true }).fill('0.25')
  await page.getByLabel('drift', { exact: true }).check()
  await page.getByLabel('colour', { exact: true }).selectOption('white')
  await page.getByLabel('towns', { exact: true }).fill('Bern, Basel')
  await page.getByLabel('towns', { exact: true }).blur()
  for (const line of ['density = 7', 'share = 0.25', 'drift = true', 'colour = "white"', 'towns = ["Bern", "Basel"]']) await expect(text(page)).toHaveValue(new RegExp(`\n${line.replace(/[[\]]/g, '\\$&')}\n`))
  // The server of today does not know it, and says so at its line.
  await expect(page.getByRole('button', { name: /^Line \d+$/ }).first()).toBeVisible()
})

test('a lock in the middle of an edit keeps the draft', async ({ page, demo }) => {
  await open(page, demo, 'Protect')
  await page.getByLabel('k', { exact: true }).fill('17')
  await page.getByRole('button', { name: 'Lock' }).click()
  await expect(page.getByRole('button', { name: 'Unlock' })).toBeVisible()
  expect(await page.textContent('body')).not.toContain('hospital-admissions')
  await page.getByRole('button', { name: 'Unlock' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Protect' })).toBeVisible()
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('17')
  await expect(page.getByText(/^Changed since version 1; the draft is kept/)).toBeVisible()
})

test('settings are tried as they are found, pinned, and taken over', async ({ page, demo }) => {
  await open(page, demo, 'Explore')
  await page.getByLabel('Values of k').fill('3, 12')
  await page.getByRole('button', { name: 'Try them' }).click()
  const seen = page.getByRole('region', { name: 'mondrian, k = 12' })
  await page.getByRole('button', { name: 'List', exact: true }).click()
  await page.getByRole('button', { name: 'mondrian, k = 3', exact: true }).click()
  await page.getByRole('button', { name: 'Pin as A' }).click()
  await page.getByRole('button', { name: 'mondrian, k = 12', exact: true }).click()
  await expect(seen.getByRole('columnheader', { name: 'A: mondrian, k = 3' })).toBeVisible()
  // Other measures are drawn without another search.
  await page.getByLabel('Up', { exact: true }).selectOption('loss')
  await page.getByRole('button', { name: 'Picture' }).click()
  await expect(page.getByRole('button', { name: /^mondrian, k = 3: marketer_risk, % .*, loss, % / })).toBeVisible()
  await looksRight(page)
  await seen.getByRole('button', { name: 'Use this setting' }).click()
  await expect(page.getByRole('heading', { level: 1, name: 'Protect' })).toBeVisible()
  await expect(page.getByLabel('k', { exact: true })).toHaveValue('12')
  await expect(preview(page).getByText('promised at least 12')).toBeVisible()
  await page.getByRole('button', { name: 'Undo', exact: true }).first().click()
  await expect(page.getByLabel('k', { exact: true })).not.toHaveValue('12')
})

test('a goal is searched, and says why it chose', async ({ page, demo }) => {
  await open(page, demo, 'Explore')
  await page.getByLabel('The least loss at a risk').check()
  await page.getByLabel('at most').fill('0.1')
  await page.getByRole('button', { name: 'Search' }).last().click()
  await expect(page.getByText(/has the least gcp of the \d+ that keep marketer_risk ≤ 0.1/)).toBeVisible()
})

test('the lattice with the keyboard alone', async ({ page, demo }) => {
  await open(page, demo, 'Protect')
  await page.getByLabel('mondrian cuts').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await expect(page.getByLabel('lattice finds')).toBeChecked()
  await expect(page.getByText(/^Changed since version 1; the draft is kept/)).toBeVisible()
  await page.getByRole('link', { name: 'Explore', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Look through the lattice' }).focus()
  await page.keyboard.press('Enter')
  const lattice = page.getByRole('group', { name: 'Lattice of recodings of' })
  await lattice.locator('[tabindex="0"]').focus()
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? '')
  expect(await focused()).toContain('the best')
  const best = await focused()
  await page.keyboard.press('ArrowDown')
  expect(await focused()).toContain('does not hold')
  await page.keyboard.press('ArrowUp')
  expect(await focused()).toBe(best)
  await page.keyboard.press('Home')
  expect(await focused()).not.toBe(best)
  await page.keyboard.press('Enter')
  const seen = page.getByRole('region', { name: 'Lattice of recodings' })
  await expect(seen.getByText('Smallest class').first()).toBeVisible()
  await looksRight(page)
  await page.getByRole('button', { name: 'Use this recoding' }).focus()
  await page.keyboard.press('Enter')
  await expect(text(page)).toHaveValue(/method = "lattice"\nlevels = \{ age = \d, sex = \d, zip = \d/)
})

test('a check shows risk, utility and attacks beside a pinned one', async ({ page, demo }) => {
  await open(page, demo, 'Check')
  await page.getByRole('button', { name: 'Check it' }).click()
  const attacks = page.getByRole('region', { name: 'Attacks' })
  await expect(attacks.getByRole('row', { name: /^exact bounds of age/ })).toContainText(/of [\d,]+ ends of intervals/)
  await expect(page.getByRole('region', { name: 'Utility' }).getByText('learnt on the release, tested on originals').first()).toBeVisible()
  await expect(page.getByRole('region', { name: 'Risk' }).getByRole('row', { name: /^prosecutor_risk/ })).toBeVisible()
  await page.getByRole('button', { name: 'Pin this check' }).click()
  await expect(attacks.getByRole('columnheader', { name: /^Pinned: version/ })).toBeVisible()
  await page.getByRole('button', { name: 'Verify Admissions', exact: true }).click()
  await expect(page.getByText('The bytes are those that were approved')).toBeVisible()
  await looksRight(page)
  // It is there at the next visit.
  await page.reload()
  await expect(attacks.getByRole('row', { name: /^exact bounds of age/ })).toBeVisible()
})

test('learners on protections, an earlier run behind', async ({ page, demo }) => {
  await open(page, demo, 'Learn')
  await page.getByLabel('Predict').selectOption('diagnosis')
  await page.getByLabel(/ with other k$/).fill('50')
  await page.getByRole('button', { name: 'Learn and attack' }).click()
  const table = page.getByRole('group', { name: 'Learners and protections' })
  await expect(table.getByRole('row', { name: /^nb k = 50/ })).toContainText(/0\.\d+$/)
  await expect(page.getByRole('img', { name: /^nb\. Right answers of nb/ }).locator('canvas')).toBeVisible()
  await page.getByRole('button', { name: 'Learn and attack' }).click()
  await expect(page.getByText('Grey is the run before this one.')).toBeVisible()
  await looksRight(page)
})

test('a curve grows before its trial ends', async ({ page, demo }) => {
  await open(page, demo, 'Learn')
  await page.getByRole('checkbox', { name: /^ht / }).uncheck()
  await page.getByLabel('Predict').selectOption('diagnosis')
  await page.getByLabel('Window').fill('200')
  // The server's answers are held at so many points, in the shape in which a worker tells them.
  let shown = 3
  let id = ''
  const point = (place: number) => ({ learner: 'nb', side: 'original', tested: 'original', point: { results: 200 * (place + 1), accuracy: 0.5, kappa: 0.2 } })
  await page.route(/\/jobs\/[0-9a-f]{32}$/, async (route) => {
    const answer = await route.fetch()
    const job = (await answer.json()) as { id: string; kind: string; state: string }
    if (job.kind !== 'learn' || shown === 0) return route.fulfill({ response: answer })
    id = job.id
    const found = Array.from({ length: shown }, (_, place) => point(place))
    return route.fulfill({ response: answer, json: { ...job, state: 'running', progress: { stage: 'read', rows: 0 }, result: { found } } })
  })
  /** As the live line tells that there is more. */
  const tell = () =>
    page.evaluate((id) => {
      const channel = new BroadcastChannel('moretta-events')
      channel.postMessage({ kind: 'job', news: { id, state: 'running', stage: 'read', rows: 0 } })
      channel.close()
    }, id)
  await page.getByRole('button', { name: 'Learn and attack' }).click()
  const chart = page.locator('figure').filter({ has: page.getByRole('heading', { name: 'nb', exact: true }) })
  await expect(chart.getByText(/as far as it is/)).toBeVisible()
  await chart.locator('summary').click()
  const rows = chart.locator('details tbody tr')
  await expect(rows).toHaveCount(3)
  shown = 7
  await tell()
  await expect(rows).toHaveCount(7)
  shown = 0
  await expect
    .poll(async () => {
      await tell()
      return chart.getByText(/^Right answers of nb .* in all/).isVisible()
    })
    .toBe(true)
})

test('what attacks get of masked records grows, and stays with the run', async ({ page, demo }) => {
  await enter(page, demo, 'steward')
  const project = await projectOf(page)
  const { items } = (await call(page, 'GET', `/projects/${project}/policies`)) as { items: { id: string; name: string }[] }
  const content = MIXED
  const made = (items.find((one) => one.name === 'mixed')?.id ?? ((await call(page, 'POST', `/projects/${project}/policies`, { name: 'mixed', content })) as { text: string }).text)
  await page.goto(`${demo.address}/projects/${project}/learn?text=${made}`)
  await page.getByLabel('Predict').selectOption('cost')
  await page.getByRole('button', { name: 'Learn and attack' }).click()
  const chart = page.locator('figure').filter({ has: page.getByRole('heading', { name: 'Records that are reconstructed' }) })
  await expect(chart.getByText(/^Reconstructed: mixed v1, .* of 500/)).toBeVisible()
  await chart.locator('summary').click()
  // Shares of few records are not told, those of more are.
  await expect.poll(() => chart.locator('details tbody tr').count()).toBeGreaterThan(2)
  const kept = async () => ((await call(page, 'GET', `/me/drafts/learn:${made}`)) as { content: { last: { attack: string }[] } }).content.last[0]?.attack ?? ''
  await expect.poll(() => kept().catch(() => '')).not.toBe('')
  await page.reload()
  await expect(chart.getByText(/^Reconstructed: mixed v1, .* of 500/)).toBeVisible()
})

test('one number is tuned for a goal, and its value is taken over', async ({ page, demo }) => {
  await open(page, demo, 'Explore')
  const tune = page.getByRole('region', { name: 'Tune one number' })
  await tune.getByLabel('To', { exact: true }).fill('30')
  await tune.getByRole('button', { name: 'Tune it' }).click()
  await expect(tune.getByText(/protects most and keeps the goal/)).toBeVisible()
  await expect(tune.getByRole('row').nth(3)).toContainText(/kept|missed/)
  await looksRight(page)
  const use = tune.getByRole('button', { name: /^Use k = / })
  const k = /= (.*)$/.exec((await use.textContent()) ?? '')?.[1] ?? ''
  await use.click()
  await expect(page.getByLabel('k', { exact: true })).toHaveValue(k)
  await page.getByRole('button', { name: 'Back to version 1' }).click()
})

test('a key is made where the policy names it, and is never shown', async ({ page, demo }) => {
  await open(page, demo, 'Protect')
  const keys = page.getByRole('region', { name: 'Keys' })
  await expect(keys.getByText('This project has no key yet.')).toBeVisible()
  const written = await text(page).inputValue()
  await text(page).fill(written.replace(/patient += \{ role = "subject"/, '$&, action = "pseudonym", key = "secret:patients"'))
  await expect(page.getByRole('button', { name: /^Save version/ })).toBeDisabled()
  await keys.getByRole('button', { name: 'Make the key patients' }).click()
  await expect(keys.getByRole('row', { name: /^patients .*you names it/ })).toBeVisible()
  await expect(page.getByRole('button', { name: /^Save version/ })).toBeEnabled()
  await expect(preview(page).getByText('5 persons')).toBeVisible()
  const listed = JSON.stringify(await call(page, 'GET', `/projects/${await projectOf(page)}/secrets`))
  expect(listed).not.toMatch(/[0-9a-f]{64}/)
  await keys.getByLabel('A new key').fill('patients')
  await keys.getByRole('button', { name: 'Make the key', exact: true }).click()
  await expect(keys.getByRole('alert')).toContainText('Another one has this name')
  await keys.getByLabel('A new key').fill('')
  await keys.getByText('Why?').click()
  await looksRight(page)
  await page.getByRole('button', { name: 'Back to version 1' }).click()
})

test('a preview tells of how many rows it is a sample, a check of every level', async ({ page, demo }) => {
  await open(page, demo, 'Protect')
  await expect(preview(page).getByText('sample of 4,000 of 4,000 rows')).toBeVisible()
  await page.getByRole('button', { name: '+ levels' }).click()
  await expect(preview(page).getByRole('button', { name: 'Level 3' })).toBeVisible()
  await expect(page.getByText(/^Changed since version/)).toBeVisible()
  await page.getByRole('link', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Check it' }).click()
  const levels = page.getByRole('region', { name: 'Levels' })
  await expect(levels.getByRole('row', { name: /^3 ✓ hold 25 persons/ })).toBeVisible()
  const risk = page.getByRole('region', { name: 'Risk' })
  await expect(risk.getByText('Of level 2, the finest one.')).toBeVisible()
  await levels.getByRole('button', { name: 'Show level 3' }).click()
  await expect(risk.getByText('Of level 3.')).toBeVisible()
  await expect(risk.getByText(/promised at least 25/)).toBeVisible()
  await looksRight(page)
})

test('officers read policies and check, and change nothing', async ({ page, demo }) => {
  await enter(page, demo, 'officer')
  await page.getByRole('link', { name: 'Protect', exact: true }).click()
  await expect(text(page)).toHaveJSProperty('readOnly', true)
  await expect(page.getByRole('link', { name: 'Explore', exact: true })).toBeHidden()
  await page.getByRole('link', { name: 'Check', exact: true }).click()
  await page.getByRole('button', { name: 'Check it' }).click()
  await expect(page.getByRole('region', { name: 'Attacks' })).toBeVisible()
})
