import { expect, it } from 'vitest'
import { checkReset, noticeOfReset } from './check-reset.ts'

it.each([
  ['Abcde1!', 'Abcde1!', 'A senha deve ter no mínimo 8 caracteres', 'Erro de validação'],
  ['', '', 'A senha deve ter no mínimo 8 caracteres', 'Erro de validação'],
  ['Abcdef1!', 'Abcdef1?', 'As senhas não coincidem', 'Erro de validação'],
  // 35 points.
  ['abcdefg!', 'abcdefg!', 'Por favor, escolha uma senha mais forte.', 'Senha fraca'],
  [
    `A${'a'.repeat(128)}`,
    `A${'a'.repeat(128)}`,
    'A senha deve ter no máximo 128 caracteres',
    'Erro de validação',
  ],
])('%j and %j: %s', (password, confirmation, message, title) => {
  const [first] = checkReset({ password, confirmation })
  expect(first?.message).toBe(message)
  expect(noticeOfReset({ message })).toEqual({ kind: 'error', title, description: message })
})

it('takes 8 characters of 40 points', () => {
  expect(checkReset({ password: 'Abcdefgh', confirmation: 'Abcdefgh' })).toEqual([])
})
