import { describe, expect, it } from 'vitest'
import { forgotPasswordFormSchema, signInFormSchema, signUpFormSchema } from './account-forms.ts'

const GOOD = 'Um-Cavalo-Azul-77'
const ONLY = 'Apenas e-mails @grupopatio.com.br são permitidos'

interface Parsed {
  error?: { issues: { path: PropertyKey[]; message: string }[] }
}
const getIssues = ({ error }: Parsed) =>
  error?.issues.map(({ path, message }) => [path.join('.'), message]) ?? []

describe('signInFormSchema', () => {
  it.each([
    ['', '', 'email', 'E-mail inválido'],
    ['ana', 'x', 'email', 'E-mail inválido'],
    [`${'a'.repeat(250)}@b.com`, 'x', 'email', 'E-mail deve ter no máximo 255 caracteres'],
    [' ana@b.com ', '', 'password', 'Senha é obrigatória'],
    ['ana@b.com', 'x'.repeat(129), 'password', 'Senha deve ter no máximo 128 caracteres'],
  ])('reports the first issue of %j and %j at %s', (email, password, field, message) => {
    expect(getIssues(signInFormSchema.safeParse({ email, password }))[0]).toEqual([field, message])
  })
})

describe('signUpFormSchema', () => {
  const check = (email: string, password = GOOD, confirmation = password, domain = 'grupopatio.com.br') =>
    getIssues(signUpFormSchema(domain).safeParse({ email, password, confirmation }))

  it.each([
    ['', 'E-mail inválido'],
    ['ana', 'E-mail inválido'],
    ['ana@outra.com', ONLY],
    ['ana@xgrupopatio.com.br', ONLY],
    ['ana@grupopatio.com.br.evil.com', ONLY],
    ['ana@sub.grupopatio.com.br', ONLY],
    ['ana+1@grupopatio.com.br', "Use seu e-mail sem o sinal '+'"],
    [`${'a'.repeat(250)}@grupopatio.com.br`, 'E-mail deve ter no máximo 255 caracteres'],
  ])('validates the e-mail %j', (email, message) => {
    expect(check(email)).toEqual([['email', message]])
  })

  it.each(['ana@grupopatio.com.br', ' Ana@GrupoPatio.com.br '])('accepts %j', (email) => {
    expect(check(email)).toEqual([])
  })

  it.each([
    ['x'.repeat(11), ['Senha deve ter no mínimo 12 caracteres']],
    ['x'.repeat(12), []],
    ['x'.repeat(128), []],
    ['x'.repeat(129), ['Senha deve ter no máximo 128 caracteres']],
  ])('validates the password %j', (password, messages) => {
    expect(check('ana@grupopatio.com.br', password).map(([, message]) => message)).toEqual(messages)
  })

  it('reports each field in order', () => {
    expect(check('ana@outra.com', 'x', 'y')).toEqual([
      ['email', ONLY],
      ['password', 'Senha deve ter no mínimo 12 caracteres'],
      ['confirmation', 'As senhas não correspondem'],
    ])
  })

  it('accepts any domain if the company’s is unknown', () => {
    expect(check('ana@outra.com', GOOD, GOOD, '')).toEqual([])
  })
})

it('forgotPasswordFormSchema has one message for every issue', () => {
  const tooLong = `${'a'.repeat(250)}@b.com`
  for (const email of ['', 'ana', tooLong])
    expect(getIssues(forgotPasswordFormSchema.safeParse({ email }))).toEqual([['email', 'E-mail inválido']])
  expect(forgotPasswordFormSchema.parse({ email: ' ana@b.com ' })).toEqual({ email: 'ana@b.com' })
})
