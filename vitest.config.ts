import { existsSync, globSync, readFileSync } from 'node:fs'
import { configDefaults, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

const globalSetup = 'src/server/testing/global-setup.ts'

const replaces = /\bvi\.(mock|stubGlobal|useFakeTimers|spyOn)\(|testing\/browser-parts/

/** Test files that replace modules or globals, which would affect others in the same process. */
const aloneInTheirProcess = [
  ...globSync('src/{web,emulators}/**/*.test.ts').filter((file) => replaces.test(readFileSync(file, 'utf8'))),
  'src/server/{http/event-stream,database/job-queue}.test.ts',
  'src/server/accounts/{change-password,request-recovery,sign-in-with-password,sign-up}.test.ts',
]

const startProcesses = /(process|processes|main|release|replace-secrets)\.test\.\w+$/

/** Test files that start processes mostly wait: started last, they would prolong the whole run. */
class ProcessesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ project, moduleId }: TestSpecification) =>
      project.name === 'alone' ? 0 : startProcesses.test(moduleId) ? 1 : 2
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    environment: 'node',
    globalSetup: existsSync(globalSetup) ? [globalSetup] : [],
    // An embedded database takes seconds to start on a busy machine.
    testTimeout: 45_000,
    hookTimeout: 60_000,
    pool: 'forks',
    // Tests are too short to recoup the cost of optimizing PGlite.
    execArgv: ['--liftoff-only'],
    maxWorkers: 3,
    sequence: { sequencer: ProcessesFirst },
    reporters: ['default', ['json', { outputFile: 'test-results/vitest.json' }]],
    projects: [
      {
        // Reloading the server for every file took half of the time.
        extends: true,
        test: {
          name: 'shared',
          isolate: false,
          include: ['src/**/*.test.ts', 'scripts/**/*.test.mjs'],
          exclude: [...configDefaults.exclude, ...aloneInTheirProcess],
        },
      },
      { extends: true, test: { name: 'alone', include: aloneInTheirProcess } },
    ],
  },
})
