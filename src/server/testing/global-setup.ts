import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PGliteDialect } from 'kysely'
import type { TestProject } from 'vitest/node'
import { migrate } from '#server/database/migrate.ts'
import { createPglite } from '#server/database/open-embedded.ts'
import type { Tables } from '#server/database/schema.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** File with a migrated embedded database, which loads faster than a new one is made. */
    embeddedTemplate: string
  }
}

/** Migrates one embedded database before the suite; every test file starts from a copy. */
export default async function setup(project: TestProject) {
  const folder = await mkdtemp(join(tmpdir(), 'patio-tests-'))
  const pglite = await createPglite({})
  await migrate(new Kysely<Tables>({ dialect: new PGliteDialect({ pglite }) }))
  const template = join(folder, 'embedded.tar')
  const dump = await pglite.dumpDataDir('none')
  await writeFile(template, Buffer.from(await dump.arrayBuffer()))
  await pglite.close()
  project.provide('embeddedTemplate', template)
  return () => rm(folder, { recursive: true })
}
