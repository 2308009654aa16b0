import { describe, expect, it } from 'vitest'
import { checkSignUp } from './check-sign-up.ts'

const GOOD = 'Um-Cavalo-Azul-77'
const DOMAIN = 'grupopatio.com.br'
const ONLY = 'Apenas e-mails @grupopatio.com.br são permitidos'
const check = (email: string, password = GOOD, confirmation = password) =>
  checkSignUp({ email, password, confirmation }, DOMAIN)

describe('checkSignUp', () => {
  it.each([
    ['', 'E-mail inválido'],
    ['ana', 'E-mail inválido'],
    ['ana@outra.com', ONLY],
    ['ana@xgrupopatio.com.br', ONLY],
    ['ana@grupopatio.com.br.evil.com', ONLY],
    ['ana@sub.grupopatio.com.br', ONLY],
    [`${'a'.repeat(250)}@grupopatio.com.br`, 'E-mail deve ter no máximo 255 caracteres'],
  ])('e-mail %j', (email, message) => {
    expect(check(email)).toEqual([{ field: 'email', message }])
  })

  it.each(['ana@grupopatio.com.br', ' Ana@GrupoPatio.com.br '])('takes %j', (email) => {
    expect(check(email)).toEqual([])
  })

  it.each([
    ['x'.repeat(11), 'Senha deve ter no mínimo 12 caracteres'],
    ['x'.repeat(129), 'Senha deve ter no máximo 128 caracteres'],
  ])('password %j', (password, message) => {
    expect(check('ana@grupopatio.com.br', password)).toEqual([{ field: 'password', message }])
  })

  it.each(['x'.repeat(12), 'x'.repeat(128)])('takes a password at the limit', (password) => {
    expect(check('ana@grupopatio.com.br', password)).toEqual([])
  })

  it('names each field in the order of the specification', () => {
    expect(check('ana@outra.com', 'x', 'y')).toEqual([
      { field: 'email', message: ONLY },
      { field: 'password', message: 'Senha deve ter no mínimo 12 caracteres' },
      { field: 'confirmation', message: 'As senhas não correspondem' },
    ])
  })

  it('leaves the domain to the server where it is not known', () => {
    expect(checkSignUp({ email: 'ana@outra.com', password: GOOD, confirmation: GOOD }, '')).toEqual([])
  })
})
