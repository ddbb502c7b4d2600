import { defineConfig } from '@playwright/test'

/** What Chromium does not do in tests. */
export const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  // One demonstration is shared: its people work one after the other.
  workers: 1,
  fullyParallel: false,
  // A machine that is busy with something else is given time; what fails three times is broken.
  retries: process.env['CI'] ? 2 : 0,
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: quiet },
    viewport: { width: 1280, height: 860 },
    screenshot: 'only-on-failure',
  },
})
