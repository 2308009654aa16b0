import { describe, expect, it } from 'vitest'
import { type EmbedError, findFrameOutcome, isFatalError, toEmbedFailure } from './frame-outcomes.ts'

const FAILED = 'Get report failed'
/** 'Typical errors when embedding for non-Power BI users', and the words of an overloaded capacity. */
const DOCUMENTED: [EmbedError, string, string][] = [
  [{ message: 'TokenExpired', errorCode: '403' }, 'renew', 'expirou'],
  [{ message: 'LoadReportFailed', errorCode: '404', detailedMessage: FAILED }, 'wrong-id', 'não existe mais'],
  [{ message: 'LoadReportFailed', errorCode: '500', detailedMessage: FAILED }, 'wrong-id', 'não existe mais'],
  [{ message: 'PowerBIEntityNotFound', errorCode: '404' }, 'wrong-id', 'não existe mais'],
  [{ message: 'LoadReportFailed', errorCode: '403', detailedMessage: FAILED }, 'wrong-token', 'não aceitou'],
  [
    {
      message: 'LoadReportFailed',
      errorCode: '403',
      detailedMessage: "Fail to initialize - Couldn't resolve cluster",
    },
    'wrong-token',
    'não aceitou',
  ],
  [{ message: 'Invalid parameters' }, 'wrong-token', 'não aceitou'],
  [
    { message: 'PowerBINotAuthorizedException', errorCode: '401' },
    'no-workspace-access',
    'não tem permissão',
  ],
  [{ message: 'OpenConnectionError' }, 'capacity', 'pausado'],
  [{ message: 'ExplorationContainer_FailedToLoadModel_DefaultDetails' }, 'capacity', 'pausado'],
  [{ message: 'LoadReportFailed', errorCode: '404', detailedMessage: 'CapacityNotActive' }, 'capacity', 'p'],
  [{ detailedMessage: 'This Fabric capacity is currently not available' }, 'capacity', 'pausado'],
  [
    {
      message: 'ExplorationContainer_FailedToLoadModel_DefaultDetails',
      detailedMessage: 'Cannot load model due to reaching capacity limits.',
    },
    'capacity-overloaded',
    'sobrecarregado',
  ],
  [
    {
      message: 'LoadReportFailed',
      errorCode: '400',
      detailedMessage:
        "FabricThrottled: Unable to complete the action because your organization's Fabric compute capacity has exceeded its limits. Try again later.",
    },
    'capacity-overloaded',
    'sobrecarregado',
  ],
  [{ message: 'CapacityLimitExceeded', errorCode: '429' }, 'capacity-overloaded', 'sobrecarregado'],
  [{ message: 'LoadReportFailed', errorCode: '429' }, 'busy', 'não respondeu'],
  [{ message: 'LoadReportFailed', errorCode: '503' }, 'busy', 'não respondeu'],
  [{ message: 'LoadReportFailed', errorCode: '400' }, 'load-failed', 'não conseguiu abrir'],
]

describe('toEmbedFailure', () => {
  it.each(DOCUMENTED)('explains %o as %s', (error, name, part) => {
    expect(findFrameOutcome(error)?.name).toBe(name)
    const { title, advice, adminAdvice, code, autoRetries } = toEmbedFailure(error)
    expect(title).toBe('Erro ao carregar o relatório do Power BI')
    expect(advice).toContain(part)
    expect(code).toMatch(/^[\w ]*$/)
    const isTemporary = ['capacity', 'capacity-overloaded', 'busy'].includes(name)
    expect(autoRetries).toBe(isTemporary)
    // What ends by itself asks nobody to reload or to tell.
    if (isTemporary) expect(advice).toMatch(/tenta de novo sozinho a cada minuto\.$/)
    else expect(advice).toMatch(/Recarregue a página|Avise o administrador/)
    if (!['renew', 'busy', 'load-failed'].includes(name))
      expect(adminAdvice).toMatch(/o administrador do Power BI precisa|nas configurações/)
  })

  it('gives advice for an unknown error', () => {
    const failure = toEmbedFailure({ message: 'SomethingNew', level: 6 })
    expect(failure.advice).toContain('avise o administrador')
    expect(failure.code).toBe('SomethingNew')
  })

  it('quotes codes to everybody, and the service’s words to administrators alone', () => {
    const token = `H4sIAAAAAAAE${'Ab1+/_-.='.repeat(40)}`
    const failure = toEmbedFailure({
      message: 'LoadReportFailed',
      errorCode: '404',
      detailedMessage: `Get report\u202e failed for ana@grupopatio.com.br with ${token} ${'long '.repeat(200)}`,
    })
    expect(failure.code).toBe('LoadReportFailed 404')
    expect(failure.advice).not.toContain('Get report')
    expect(failure.adminAdvice).toContain(
      'O Power BI respondeu: “LoadReportFailed: Get report  failed for … with … long',
    )
    expect(failure.adminAdvice?.length).toBeLessThan(700)
    expect(toEmbedFailure({ message: 'Vendas de Ana não abriram' }).code).toBe('')
  })

  it('reads no status from the title of a visual', () => {
    const detailedMessage = "Couldn't render a report visual titled: Carteira 503"
    expect(findFrameOutcome({ message: 'VisualFailed', detailedMessage })).toBeUndefined()
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
