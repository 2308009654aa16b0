import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ManagedProfile } from '#contract/profiles.ts'
import { storeSession } from '#web/session-store.ts'
import { answerWith, installLocalStorage, problem, sessionOf } from '#web/testing/browser-parts.ts'
import { closeToast, toastStore } from '#web/ui/toast-store.ts'
import { announceDeletion, deleteInBatches, readSelected } from './delete-users.ts'

const person = (userId: string) => ({ user_id: userId, email: `${userId}@x` }) as ManagedProfile
const shown = () => toastStore.read().map(({ title, description }) => [title, description ?? ''])

beforeEach(() => {
  installLocalStorage()
  storeSession(sessionOf(1))
})
afterEach(() => {
  for (const { id } of toastStore.read()) closeToast(id)
  vi.unstubAllGlobals()
})

describe('readSelected', () => {
  const all = { kind: 'allMatching' as const, filter: { q: 'a', approved: false }, except: ['u2'], count: 4 }

  it('follows the pages to the end, without those excepted', async () => {
    const requests = answerWith(
      Response.json({ items: [person('u1'), person('u2')], next: 'mais' }),
      Response.json({ items: [person('u3'), person('u4')], next: null }),
    )
    expect((await readSelected(all)).map(({ user_id }) => user_id)).toEqual(['u1', 'u3', 'u4'])
    expect(requests.map(({ path }) => path)).toEqual([
      '/api/profiles?q=a&approved=false&sort=email&order=asc&limit=1000',
      '/api/profiles?q=a&approved=false&sort=email&order=asc&limit=1000&cursor=mais',
    ])
  })

  it('reads no more than is asked for', async () => {
    const requests = answerWith(
      Response.json({ items: [person('u1'), person('u2'), person('u3')], next: 'mais' }),
    )
    expect((await readSelected(all, 2)).map(({ user_id }) => user_id)).toEqual(['u1', 'u3'])
    expect(requests[0]?.path).toContain('limit=3')
  })

  it('knows those picked one by one, in the order of their addresses', async () => {
    const profiles = new Map(['ú', 'z', 'a'].map((id) => [id, person(id)]))
    const some = { kind: 'some' as const, userIds: [...profiles.keys()], profiles }
    expect((await readSelected(some)).map(({ email }) => email)).toEqual(['a@x', 'ú@x', 'z@x'])
  })
})

describe('deleteInBatches', () => {
  const userIds = Array.from({ length: 600 }, (_, index) => `u${index}`)

  it('names everybody once, tells how far it is, and gathers what was refused', async () => {
    const refused = { userId: 'u0', error: 'Usuário não encontrado.' }
    const answer = (success: string[], errors: object[] = []) => Response.json({ success, errors })
    const requests = answerWith(
      answer(userIds.slice(1, 250), [refused]),
      answer(userIds.slice(250, 500)),
      answer(userIds.slice(500)),
    )
    const progress: number[] = []
    const {
      deletedIds,
      refused: found,
      failure,
    } = await deleteInBatches(userIds, (done) => progress.push(done))
    expect(requests.flatMap(({ body }) => (body as { userIds: string[] }).userIds)).toEqual(userIds)
    expect(progress).toEqual([250, 500, 600])
    expect(deletedIds).toEqual(userIds.slice(1))
    expect(found).toEqual([refused])
    expect(failure).toBeUndefined()
  })

  it('stops where it fails and keeps what has been done', async () => {
    const requests = answerWith(
      Response.json({ success: userIds.slice(0, 250), errors: [] }),
      problem(403, 'forbidden'),
      Response.json({ success: [], errors: [] }),
    )
    const deletion = await deleteInBatches(userIds, () => {})
    expect(deletion.deletedIds).toHaveLength(250)
    expect(deletion.failure).toMatchObject({ status: 403 })
    expect(requests).toHaveLength(2)
  })
})

describe('announceDeletion', () => {
  const emailOf = (userId: string) => `${userId}@x`

  it('says what went and what did not, each reason once', () => {
    const lastAdmin = 'Não é possível excluir o último administrador.'
    const refused = ['a', 'b', 'c', 'd'].map((userId) => ({ userId, error: 'Usuário não encontrado.' }))
    refused.push({ userId: 'e', error: lastAdmin })
    announceDeletion({ deletedIds: ['x', 'y'], refused }, emailOf)
    expect(shown()).toEqual([
      ['2 usuário(s) excluído(s) com sucesso', ''],
      ['Erro ao excluir 5 usuário(s)', `a@x, b@x, c@x e mais 1: Usuário não encontrado. e@x: ${lastAdmin}`],
    ])
  })

  it('says what had gone before it failed', () => {
    announceDeletion({ deletedIds: ['x'], refused: [], failure: new Error('Sem conexão') }, emailOf)
    expect(shown()).toEqual([
      ['1 usuário(s) excluído(s) com sucesso', ''],
      ['Erro ao excluir usuários', 'Sem conexão'],
    ])
  })

  it('says that the session has ended where there is none any more', () => {
    localStorage.removeItem('patio.session')
    announceDeletion({ deletedIds: [], refused: [], failure: new Error('Sem conexão') }, emailOf)
    expect(shown()).toEqual([['Sessão expirada', '']])
  })
})
