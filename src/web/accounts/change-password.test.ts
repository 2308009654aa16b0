import { beforeEach, describe, expect, it, vi } from 'vitest'
import { adoptSession } from '#web/session/session.ts'
import { installLocalStorage, makeSession, problem, stubFetch } from '#web/testing/browser-parts.ts'
import { toFieldErrors } from '#web/ui/use-form.ts'
import { changePassword, explainRefusal } from './change-password.ts'
import { toResetToast } from './reset-password-screen.tsx'

const REJECTED =
  'Senha rejeitada pelo servidor. Tente uma senha diferente com maiúsculas, minúsculas, números e símbolo, evitando senhas comuns/vazadas.'

let storage: Map<string, string>
beforeEach(() => {
  vi.unstubAllGlobals()
  storage = installLocalStorage()
})

describe('changePassword', () => {
  it('sends the new password alone', async () => {
    const requests = stubFetch(Response.json({ success: true }))
    await changePassword('nova')
    expect(requests).toMatchObject([
      { path: '/api/functions/change-password', body: { newPassword: 'nova' } },
    ])
  })

  it('stores the device token of the reply', async () => {
    stubFetch(Response.json({ success: true, device_token: 'd1' }))
    adoptSession(makeSession(1))
    await changePassword('nova')
    expect([...storage.values()]).toContain('d1')
  })

  it.each([
    ['an error in the reply', Response.json({ error: 'Já usada.' }), 'Já usada.', true],
    ['a refusal that explains itself', problem(429, 'rate-limited'), 'detalhe de rate-limited', false],
    ['a refused password', problem(422, 'password-rejected'), 'detalhe de password-rejected', true],
    ['a generic failure', new Response('no', { status: 500 }), REJECTED, false],
    ['an unknown error', problem(500, 'internal'), REJECTED, false],
    ['no reply', new TypeError('fetch failed'), 'Erro ao alterar senha', false],
  ])('throws an error that explainRefusal explains, for %s', async (_, answer, title, isAboutPassword) => {
    stubFetch(answer)
    const error = await changePassword('nova').catch((thrown: unknown) => thrown)
    expect(explainRefusal(error, 'Erro ao alterar senha')).toMatchObject({ title })
    expect(toFieldErrors(error)).toEqual(isAboutPassword ? [{ path: 'password', message: title }] : [])
  })
})

it('explainRefusal names the guessable part of a password', async () => {
  const part = 'Fácil de adivinhar: contém “toyota”.'
  const body = {
    ...(await problem(422, 'password-rejected').json()),
    fields: [{ path: 'password', message: part }],
  }
  stubFetch(Response.json(body, { status: 422 }))
  const error = await changePassword('Toyota@Toyota1').catch((thrown: unknown) => thrown)
  const title = 'detalhe de password-rejected'
  expect(explainRefusal(error, '')).toEqual({ kind: 'error', title, description: part })
  expect(toFieldErrors(error)).toEqual([{ path: 'password', message: `${title} ${part}` }])
})

it.each([
  ['A senha deve ter no mínimo 8 caracteres', {}],
  ['As senhas não coincidem', {}],
  [
    'Por favor, escolha uma senha mais forte.',
    { title: 'Senha fraca', description: 'Por favor, escolha uma senha mais forte.' },
  ],
])('toResetToast explains the validation error: %s', (message, titled) => {
  expect(toResetToast({ message })).toEqual({ kind: 'error', title: message, ...titled })
})
