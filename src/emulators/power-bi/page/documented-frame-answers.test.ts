import { expect, it } from 'vitest'
import { DOCUMENTED_ANSWERS } from '#emulators/power-bi/testing/documented-answers.ts'
import { findFrameOutcome, isFatalError, toEmbedFailure } from '#web/reports/embed/frame-outcomes.ts'

/** Whether it heals by itself, what readers read, and what administrators read. */
const EXPECTED: Record<string, [boolean, RegExp, RegExp?]> = {
  renew: [false, /expirou/, /^O Power BI respondeu: “TokenExpired/],
  'wrong-id': [false, /não existe mais.*Avise o administrador do portal/, /Report ID/],
  'wrong-token': [false, /não aceitou a configuração/, /“Testar relatório”/],
  'no-workspace-access': [false, /não tem permissão.*Avise/, /o administrador do Power BI precisa/],
  capacity: [true, /pausado ou indisponível\. O portal tenta de novo/, /o administrador do Power BI precisa/],
}

it.each(DOCUMENTED_ANSWERS.filter(({ on }) => on === 'frame'))(
  '$name is $outcome',
  ({ message = '', detailedMessage = '', errorCode = '', outcome }) => {
    const error = { message, detailedMessage, errorCode }
    const [isTemporary, forReaders, forAdministrators = /^$/] = EXPECTED[outcome] ?? [false, /^$/]
    expect(findFrameOutcome(error)?.name).toBe(outcome)
    const { advice, adminAdvice = '', autoRetries } = toEmbedFailure(error)
    expect([autoRetries, isFatalError(error, false)]).toEqual([isTemporary, true])
    expect(advice).toMatch(forReaders)
    expect(adminAdvice).toMatch(forAdministrators)
    expect(advice).not.toContain(detailedMessage)
  },
)
