import { beforeEach, describe, expect, it, vi } from 'vitest'
import { answerWith, installLocalStorage, problem } from '#web/testing/browser-parts.ts'
import { changePassword } from './change-password.ts'
import { checkChange } from './check-change.ts'
import { checkForcedChange } from './use-forced-change.ts'

const REJECTED =
  'Senha rejeitada pelo servidor. Tente uma senha diferente com maiúsculas, minúsculas, números e símbolo, evitando senhas comuns/vazadas.'

beforeEach(() => {
  vi.unstubAllGlobals()
  installLocalStorage()
})

describe('changePassword', () => {
  it('sends the new password alone', async () => {
    const requests = answerWith(Response.json({ success: true }))
    expect(await changePassword('nova', 'Erro')).toBeUndefined()
    expect(requests).toMatchObject([
      { path: '/api/functions/change-password', body: { newPassword: 'nova' } },
    ])
  })

  it.each([
    ['an error in the reply', Response.json({ error: 'Já usada.' }), 'Já usada.', true],
    ['a refusal that explains itself', problem(429, 'rate-limited'), 'detalhe de rate-limited', false],
    ['a refused password', problem(422, 'password-rejected'), 'detalhe de password-rejected', true],
    ['a generic failure', new Response('no', { status: 500 }), REJECTED, false],
    ['an unknown error', problem(500, 'internal'), REJECTED, false],
    ['no reply', new TypeError('fetch failed'), 'Erro ao alterar senha', false],
  ])('tells of %s', async (_, answer, title, isAboutPassword) => {
    answerWith(answer)
    const refusal = await changePassword('nova', 'Erro ao alterar senha')
    expect(refusal).toMatchObject({ title, isAboutPassword })
  })
})

const short = { password: 'curta', confirmation: 'outra' }
const long = { password: 'x'.repeat(129), confirmation: 'x'.repeat(129) }
const messages = (found: { message: string }[]) => found.map(({ message }) => message)

describe('the rules of the forms', () => {
  it('check the lengths first in the forced change', () => {
    expect(messages(checkForcedChange(short))).toEqual([
      'A senha deve ter no mínimo 12 caracteres',
      'As senhas não coincidem',
    ])
    expect(messages(checkForcedChange(long))).toEqual(['A senha deve ter no máximo 128 caracteres'])
    expect(checkForcedChange({ password: 'x'.repeat(12), confirmation: 'x'.repeat(12) })).toEqual([])
  })

  it('check the match first on the profile', () => {
    expect(messages(checkChange(short))).toEqual([
      'As senhas não coincidem',
      'A nova senha deve ter pelo menos 12 caracteres',
    ])
    expect(messages(checkChange(long))).toEqual(['A nova senha deve ter no máximo 128 caracteres'])
    expect(checkChange({ password: 'x'.repeat(128), confirmation: 'x'.repeat(128) })).toEqual([])
  })
})
