import { defineConfig } from '@playwright/test'

export default defineConfig<{ isTranslated: boolean }>({
  testDir: 'e2e',
  // Playwright empties this folder, so it must not contain other reports.
  outputDir: 'test-results/browser',
  workers: 3,
  // Tests share nothing, so they can run in any order: --shuffle.
  fullyParallel: true,
  // For a busy machine: a passing test never waits that long.
  timeout: 90_000,
  expect: { timeout: 10_000 },
  projects: [
    { name: 'chromium', testIgnore: 'engines.spec.ts' },
    // The most used journeys once more, while the browser translates every page.
    { name: 'translated', grep: /@translated/, use: { isTranslated: true } },
    { name: 'engines', testMatch: 'engines.spec.ts' },
  ],
  forbidOnly: process.env.CI === 'true',
  reporter: [['list'], ['json', { outputFile: 'test-results/playwright.json' }]],
  use: {
    browserName: 'chromium',
    locale: 'pt-BR',
    timezoneId: 'America/Sao_Paulo',
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH || '/usr/bin/chromium',
      // Disables the browser's own traffic: tests must pass without a network.
      args: [
        '--no-sandbox',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
})
