import { describe, expect, it } from 'vitest'
import { endsReport, failureOf, isTokenExpired } from './embed-failure.ts'

describe('translation of embed errors', () => {
  it.each([
    ['TokenExpired', 'expirou'],
    ['PowerBIEntityNotFound', 'não existe mais'],
    ['Invalid parameters', 'não aceitou a configuração'],
    ['LoadReportFailed', 'não conseguiu abrir'],
    ['PowerBINotAuthorizedException', 'não tem permissão'],
    ['OpenConnectionError', 'pausado'],
    ['ExplorationContainer_FailedToLoadModel_DefaultDetails', 'pausado'],
  ])('%s has a sentence of its own', (message, part) => {
    const failure = failureOf({ message })
    expect(failure.title).toBe('Erro ao carregar o relatório do Power BI')
    expect(failure.advice).toContain(part)
    expect(failure.code).toBe(message)
  })

  it('offers automatic retries for a paused capacity alone', () => {
    expect(failureOf({ message: 'OpenConnectionError' }).retriesItself).toBe(true)
    expect(failureOf({ message: 'LoadReportFailed' }).retriesItself).toBe(false)
    expect(failureOf({ message: 'anything' }).retriesItself).toBe(false)
  })

  it('finds the code wherever the service put it', () => {
    expect(failureOf({ message: 'Error', errorCode: 'PowerBINotAuthorizedException' }).code).toBe(
      'PowerBINotAuthorizedException',
    )
    expect(failureOf({ detailedMessage: 'pbi.error: OpenConnectionError (…)' }).retriesItself).toBe(true)
    expect(isTokenExpired({ message: 'TokenExpired', errorCode: '403' })).toBe(true)
  })

  it('says what to do even about an unknown error', () => {
    const failure = failureOf({ message: 'SomethingNew', level: 6 })
    expect(failure.advice).toContain('avise o administrador')
    expect(failure.code).toBe('SomethingNew')
  })
})

describe('what ends a report', () => {
  it('is never an error below fatal once it has rendered', () => {
    expect(endsReport({ message: 'LoadReportFailed', level: 4 }, true)).toBe(false)
    expect(endsReport({ message: 'SomethingNew', level: 5 }, true)).toBe(false)
    expect(endsReport({ message: 'SomethingNew', level: 6 }, true)).toBe(true)
  })

  it('is, of errors that do not say how grave they are, a known one or one before it has rendered', () => {
    expect(endsReport({ message: 'LoadReportFailed' }, true)).toBe(true)
    expect(endsReport({ message: 'SomethingNew' }, true)).toBe(false)
    expect(endsReport({ message: 'SomethingNew' }, false)).toBe(true)
  })

  it('is a known code of any level before it has rendered', () => {
    expect(endsReport({ message: 'LoadReportFailed', level: 4 }, false)).toBe(true)
    expect(endsReport({ message: 'SomethingNew', level: 4 }, false)).toBe(false)
  })

  it('is never a filter that could not be applied', () => {
    expect(endsReport({ message: 'invalidFilter', level: 6 }, false)).toBe(false)
    expect(endsReport({ message: 'invalidFilter' }, true)).toBe(false)
  })
})
