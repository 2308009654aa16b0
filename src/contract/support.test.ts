import { describe, expect, it } from 'vitest'
import { contactFormSchema } from './support.ts'

const valid = { name: 'Ana', email: 'ana@exemplo.com.br', phone: '(21) 98765-4321', message: 'Olá' }
const check = (values: typeof valid) =>
  (contactFormSchema.safeParse(values).error?.issues ?? []).map(({ path, message }) => ({
    field: path[0],
    message,
  }))
const getIssues = (values: Partial<typeof valid>) =>
  check({ ...valid, ...values }).map(({ message }) => message)

describe('contactFormSchema', () => {
  it('accepts a complete form', () => {
    expect(check(valid)).toEqual([])
    expect(check({ ...valid, name: ` ${'a'.repeat(100)} ` })).toEqual([])
  })

  it('reports every broken rule by field', () => {
    expect(check({ name: ' ', email: '', phone: '\t', message: '\n' })).toEqual([
      { field: 'name', message: 'Nome é obrigatório' },
      { field: 'email', message: 'E-mail inválido' },
      { field: 'phone', message: 'Celular é obrigatório' },
      { field: 'message', message: 'Mensagem é obrigatória' },
    ])
  })

  it('enforces the limits', () => {
    expect(getIssues({ name: 'a'.repeat(101) })).toEqual(['Nome deve ter no máximo 100 caracteres'])
    expect(getIssues({ email: `${'a'.repeat(250)}@x.com` })).toEqual([
      'E-mail deve ter no máximo 255 caracteres',
    ])
    expect(getIssues({ phone: '1'.repeat(21) })).toEqual(['Celular deve ter no máximo 20 caracteres'])
    expect(getIssues({ message: 'a'.repeat(1001) })).toEqual(['Mensagem deve ter no máximo 1000 caracteres'])
    expect(getIssues({ message: 'a'.repeat(1000), phone: '1'.repeat(20) })).toEqual([])
  })
})
