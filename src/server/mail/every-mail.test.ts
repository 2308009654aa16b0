import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { portalMails } from '#server/app.ts'

const FILES = globSync('src/server/*/mails.ts')

test('the mails of every feature are among those that the outbox can send', async () => {
  const sendable = new Set<unknown>(Object.values(portalMails))
  const forgotten = []
  for (const file of FILES) {
    const groups = Object.entries(await import(`../../../${file}`)).filter(([name]) => name.endsWith('Mails'))
    for (const [name, mails] of groups)
      for (const [kind, mail] of Object.entries(mails as object))
        if (!sendable.has(mail)) forgotten.push(`${name} '${kind}'`)
  }
  expect(forgotten).toEqual([])
  expect(sendable.size).toBeGreaterThan(5)
})
