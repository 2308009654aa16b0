import { existsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'

const globalSetup = 'src/server/testing/global-setup.ts'

export default defineConfig({
  test: {
    environment: 'node',
    include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs'],
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    // An embedded database takes seconds to come up on a busy machine.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
  },
})
