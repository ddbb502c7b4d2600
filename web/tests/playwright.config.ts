import { defineConfig } from '@playwright/test'

const quiet = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync']

export default defineConfig({
  testDir: '.',
  outputDir: '../test-results',
  // One demonstration is shared: its people work one after the other.
  workers: 1,
  fullyParallel: false,
  retries: 0,
  timeout: 60_000,
  reporter: 'list',
  use: {
    browserName: 'chromium',
    launchOptions: { executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium', args: quiet },
    viewport: { width: 1280, height: 860 },
    screenshot: 'only-on-failure',
  },
})
