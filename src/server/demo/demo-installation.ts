import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Db } from '#server/database/schema.ts'

const FACT = 'demo'

export async function isMarkedAsDemo(db: Db): Promise<boolean> {
  const fact = await db.selectFrom('portal_facts').select('value').where('name', '=', FACT).executeTakeFirst()
  return fact?.value === 'true'
}

export async function markAsDemo(db: Db): Promise<void> {
  await db.insertInto('portal_facts').values({ name: FACT, value: 'true' }).execute()
}

/** Reads the demo's random secret, which is created once per data directory. */
export function readDemoSecret(dataDir: string): string {
  const file = join(dataDir, 'demo-secret')
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    const secret = randomBytes(32).toString('base64url')
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(file, secret, { mode: 0o600 })
    return secret
  }
}
