import { describe, expect, it } from 'vitest'
import { endsReport, failureOf, isTokenExpired } from './embed-failure.ts'

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
    const failure = failureOf({ message })
    expect(failure.title).toBe('Erro ao carregar o relatório do Power BI')
    expect(failure.advice).toContain(part)
    expect(failure.code).toBe(message)
  })

  it('retries automatically for a paused capacity only', () => {
    expect(failureOf({ message: 'OpenConnectionError' }).retriesItself).toBe(true)
    expect(failureOf({ message: 'LoadReportFailed' }).retriesItself).toBe(false)
    expect(failureOf({ message: 'anything' }).retriesItself).toBe(false)
  })

  it('finds the code in message, errorCode and detailedMessage', () => {
    expect(failureOf({ message: 'Error', errorCode: 'PowerBINotAuthorizedException' }).code).toBe(
      'PowerBINotAuthorizedException',
    )
    expect(failureOf({ detailedMessage: 'pbi.error: OpenConnectionError (…)' }).retriesItself).toBe(true)
    expect(isTokenExpired({ message: 'TokenExpired', errorCode: '403' })).toBe(true)
  })

  it('gives advice for an unknown error', () => {
    const failure = failureOf({ message: 'SomethingNew', level: 6 })
    expect(failure.advice).toContain('avise o administrador')
    expect(failure.code).toBe('SomethingNew')
  })
})

describe('endsReport', () => {
  it('ignores errors below fatal once the report has rendered', () => {
    expect(endsReport({ message: 'LoadReportFailed', level: 4 }, true)).toBe(false)
    expect(endsReport({ message: 'SomethingNew', level: 5 }, true)).toBe(false)
    expect(endsReport({ message: 'SomethingNew', level: 6 }, true)).toBe(true)
  })

  it('accepts errors without a level if the code is known or the report has not rendered', () => {
    expect(endsReport({ message: 'LoadReportFailed' }, true)).toBe(true)
    expect(endsReport({ message: 'SomethingNew' }, true)).toBe(false)
    expect(endsReport({ message: 'SomethingNew' }, false)).toBe(true)
  })

  it('accepts known codes of any level before the report has rendered', () => {
    expect(endsReport({ message: 'LoadReportFailed', level: 4 }, false)).toBe(true)
    expect(endsReport({ message: 'SomethingNew', level: 4 }, false)).toBe(false)
  })

  it('ignores filters that could not be applied', () => {
    expect(endsReport({ message: 'invalidFilter', level: 6 }, false)).toBe(false)
    expect(endsReport({ message: 'invalidFilter' }, true)).toBe(false)
  })
})
