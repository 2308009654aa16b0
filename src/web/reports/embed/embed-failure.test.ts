import { describe, expect, it } from 'vitest'
import { isFatalError, isTokenExpired, toEmbedFailure } from './embed-failure.ts'

describe('toEmbedFailure', () => {
  it.each([
    ['TokenExpired', 'expirou'],
    ['PowerBIEntityNotFound', 'não existe mais'],
    ['Invalid parameters', 'não aceitou a configuração'],
    ['LoadReportFailed', 'não conseguiu abrir'],
    ['PowerBINotAuthorizedException', 'não tem permissão'],
    ['OpenConnectionError', 'pausado'],
    ['ExplorationContainer_FailedToLoadModel_DefaultDetails', 'pausado'],
  ])('explains %s', (message, part) => {
    const failure = toEmbedFailure({ message })
    expect(failure.title).toBe('Erro ao carregar o relatório do Power BI')
    expect(failure.advice).toContain(part)
    expect(failure.code).toBe(message)
  })

  it('retries automatically for a paused capacity only', () => {
    expect(toEmbedFailure({ message: 'OpenConnectionError' }).autoRetries).toBe(true)
    expect(toEmbedFailure({ message: 'LoadReportFailed' }).autoRetries).toBe(false)
    expect(toEmbedFailure({ message: 'anything' }).autoRetries).toBe(false)
  })

  it('finds the code in message, errorCode and detailedMessage', () => {
    expect(toEmbedFailure({ message: 'Error', errorCode: 'PowerBINotAuthorizedException' }).code).toBe(
      'PowerBINotAuthorizedException',
    )
    expect(toEmbedFailure({ detailedMessage: 'pbi.error: OpenConnectionError (…)' }).autoRetries).toBe(true)
    expect(isTokenExpired({ message: 'TokenExpired', errorCode: '403' })).toBe(true)
  })

  it('gives advice for an unknown error', () => {
    const failure = toEmbedFailure({ message: 'SomethingNew', level: 6 })
    expect(failure.advice).toContain('avise o administrador')
    expect(failure.code).toBe('SomethingNew')
  })
})

describe('isFatalError', () => {
  it('ignores errors below fatal once the report has rendered', () => {
    expect(isFatalError({ message: 'LoadReportFailed', level: 4 }, true)).toBe(false)
    expect(isFatalError({ message: 'SomethingNew', level: 5 }, true)).toBe(false)
    expect(isFatalError({ message: 'SomethingNew', level: 6 }, true)).toBe(true)
  })

  it('accepts errors without a level if the code is known or the report has not rendered', () => {
    expect(isFatalError({ message: 'LoadReportFailed' }, true)).toBe(true)
    expect(isFatalError({ message: 'SomethingNew' }, true)).toBe(false)
    expect(isFatalError({ message: 'SomethingNew' }, false)).toBe(true)
  })

  it('accepts known codes of any level before the report has rendered', () => {
    expect(isFatalError({ message: 'LoadReportFailed', level: 4 }, false)).toBe(true)
    expect(isFatalError({ message: 'SomethingNew', level: 4 }, false)).toBe(false)
  })

  it('ignores filters that could not be applied', () => {
    expect(isFatalError({ message: 'invalidFilter', level: 6 }, false)).toBe(false)
    expect(isFatalError({ message: 'invalidFilter' }, true)).toBe(false)
  })
})
