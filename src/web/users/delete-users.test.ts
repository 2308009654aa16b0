import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ManagedProfile } from '#contract/users.ts'
import { clearSession, storeSession } from '#web/session/session-store.ts'
import { installLocalStorage, makeSession, problem, stubFetch } from '#web/testing/browser-parts.ts'
import { closeToast, toastStore } from '#web/ui/toast.tsx'
import { announceDeletion, deleteInBatches, describeListChange, readSelected } from './delete-users.ts'

const person = (userId: string) => ({ user_id: userId, email: `${userId}@x` }) as ManagedProfile
const shown = () => toastStore.read().map(({ title, description }) => [title, description ?? ''])

beforeEach(() => {
  installLocalStorage()
  storeSession(makeSession(1))
})
afterEach(() => {
  for (const { id } of toastStore.read()) closeToast(id)
  vi.unstubAllGlobals()
})

describe('readSelected', () => {
  const all = { kind: 'allMatching' as const, filter: { q: 'a', approved: false }, except: ['u2'], count: 4 }

  it('reads all pages and drops the exceptions', async () => {
    const requests = stubFetch(
      Response.json({ items: [person('u1'), person('u2')], next: 'mais' }),
      Response.json({ items: [person('u3'), person('u4')], next: null }),
    )
    const found = await readSelected(all)
    expect(found.map(({ user_id }) => user_id)).toEqual(['u1', 'u3', 'u4'])
    expect(requests.map(({ path }) => path)).toEqual([
      '/api/profiles?q=a&approved=false&sort=email&order=asc&limit=1000',
      '/api/profiles?q=a&approved=false&sort=email&order=asc&limit=1000&cursor=mais',
    ])
  })

  it('sorts individually picked people by e-mail', async () => {
    const profiles = new Map(['ú', 'z', 'a'].map((id) => [id, person(id)]))
    const some = { kind: 'some' as const, profiles }
    expect((await readSelected(some)).map(({ email }) => email)).toEqual(['a@x', 'ú@x', 'z@x'])
  })
})

describe('describeListChange', () => {
  const people = (...ids: string[]) => ids.map(person)
  const changed = 'A lista mudou nesse meio-tempo:'

  it('compares people regardless of their order', () => {
    expect(describeListChange(people('a', 'b'), people('b', 'a'))).toBeUndefined()
    expect(describeListChange(people('a', 'b'), people('a', 'c'))).toBe(
      `${changed} o número é o mesmo, mas as pessoas não. Entrou: c@x.`,
    )
  })

  it('gives the new count and names the newcomers', () => {
    expect(describeListChange(people('a', 'b'), people('b'))).toBe(`${changed} agora corresponde 1 usuário.`)
    expect(describeListChange(people('a'), people('b', 'c', 'd', 'e', 'f'))).toBe(
      `${changed} agora correspondem 5 usuários. Entraram: b@x, c@x, d@x e mais 2.`,
    )
  })
})

describe('deleteInBatches', () => {
  const userIds = Array.from({ length: 600 }, (_, index) => `u${index}`)

  it('sends every id once, reports progress and collects refusals', async () => {
    const refused = { userId: 'u0', error: 'Usuário não encontrado.' }
    const answer = (success: string[], errors: object[] = []) => Response.json({ success, errors })
    const requests = stubFetch(
      answer(userIds.slice(1, 250), [refused]),
      answer(userIds.slice(250, 500)),
      answer(userIds.slice(500)),
    )
    const progress: number[] = []
    const {
      deletedIds,
      refused: found,
      failure,
    } = await deleteInBatches(userIds.map(person), (done) => progress.push(done))
    expect(requests.flatMap(({ body }) => (body as { userIds: string[] }).userIds)).toEqual(userIds)
    expect(progress).toEqual([250, 500, 600])
    expect(deletedIds).toEqual(userIds.slice(1))
    expect(found).toEqual([refused])
    expect(failure).toBeUndefined()
  })

  it('stops at the first failed batch and keeps earlier results', async () => {
    const requests = stubFetch(
      Response.json({ success: userIds.slice(0, 250), errors: [] }),
      problem(403, 'forbidden'),
      Response.json({ success: [], errors: [] }),
    )
    const deletion = await deleteInBatches(userIds.map(person), () => {})
    expect(deletion.deletedIds).toHaveLength(250)
    expect(deletion.failure).toMatchObject({ status: 403 })
    expect(requests).toHaveLength(2)
  })
})

describe('announceDeletion', () => {
  it('reports deleted and refused people, each reason once', () => {
    const lastAdmin = 'Não é possível excluir o último administrador.'
    const refused = ['a', 'b', 'c', 'd'].map((userId) => ({ userId, error: 'Usuário não encontrado.' }))
    refused.push({ userId: 'e', error: lastAdmin })
    announceDeletion({ deletedIds: ['x', 'y'], refused }, [...'abcde'].map(person))
    expect(shown()).toEqual([
      ['2 usuário(s) excluído(s) com sucesso', ''],
      ['Erro ao excluir 5 usuário(s)', `a@x, b@x, c@x e mais 1: Usuário não encontrado. e@x: ${lastAdmin}`],
    ])
  })

  it('formats large numbers with thousands separators', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => `u${index}`)
    const refused = ids.slice(0, 1_234).map((userId) => ({ userId, error: 'Não.' }))
    announceDeletion({ deletedIds: ids, refused }, ids.map(person))
    expect(shown()).toEqual([
      ['10.000 usuário(s) excluído(s) com sucesso', 'u0@x, u1@x, u2@x e mais 9.997'],
      ['Erro ao excluir 1.234 usuário(s)', 'u0@x, u1@x, u2@x e mais 1.231: Não.'],
    ])
  })

  it('reports the people deleted before a failure', () => {
    announceDeletion({ deletedIds: ['x'], refused: [], failure: new Error('Sem conexão') }, [])
    expect(shown()).toEqual([
      ['1 usuário(s) excluído(s) com sucesso', ''],
      ['Erro ao excluir usuários', 'Sem conexão'],
    ])
  })

  it('reports an expired session when signed out', () => {
    clearSession()
    announceDeletion({ deletedIds: [], refused: [], failure: new Error('Sem conexão') }, [])
    expect(shown()).toEqual([['Sessão expirada', '']])
  })
})
