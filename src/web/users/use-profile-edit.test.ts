import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { HistoryEntry } from '#contract/audit-actions.ts'
import type { ManagedProfile } from '#contract/users.ts'
import { createProfile, installLocalStorage, makeSession, stubFetch } from '#web/testing/browser-parts.ts'

const base = createProfile({ types: ['Vendas'], version: 3 })
const entry = (id: number, action: string, actor: string, before: object, after: object) =>
  ({
    id,
    at: `2026-11-20T17:3${id}:00Z`,
    actor_email: `${actor}@grupopatio.com.br`,
    action,
    before,
    after,
  }) as HistoryEntry

async function loadConflict(current: Partial<ManagedProfile>, items: HistoryEntry[]) {
  vi.useFakeTimers({ now: new Date('2026-11-20T18:00:00Z'), toFake: ['Date'] })
  const { storeSession } = await import('#web/session/session-store.ts')
  storeSession(makeSession(1, { userId: 'eu' }))
  stubFetch(Response.json({ ...base, ...current }), Response.json({ items, next: null }))
  const { readConflict } = await import('./use-profile-edit.ts')
  return (await readConflict(base)).sentences
}

beforeEach(() => {
  installLocalStorage()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

it('lists the changes since the loaded version, oldest first, without unversioned ones', async () => {
  const sentences = await loadConflict({ version: 5, types: ['CRM'], approved: true }, [
    entry(4, 'data-exported', 'bia', {}, {}),
    entry(3, 'approval-given', 'eu', { approved: false }, { approved: true }),
    entry(2, 'types-set', 'carla', { types: ['Vendas'] }, { types: ['CRM'] }),
    entry(1, 'types-set', 'velha', { types: [] }, { types: ['Vendas'] }),
  ])
  expect(sentences).toEqual([
    'carla@grupopatio.com.br mudou os tipos às 14:32: + CRM, − Vendas',
    'Você aprovou a conta às 14:33',
  ])
})

it('describes the difference when the history is empty', async () => {
  expect(await loadConflict({ version: 4, types: ['CRM'], approved: true }, [])).toEqual([
    'Mudou nesse meio-tempo: tipos + CRM, − Vendas; conta aprovada',
  ])
})
